"""Relation sets: relations with all their pairs, from files or our own."""

from .extension import Extension
from .readers import SHIPPED, load
from .relation import GROUNDS, GROUPS, Pair, Relation

__all__ = ["GROUNDS", "GROUPS", "SHIPPED", "Extension", "Pair", "Relation", "load"]
