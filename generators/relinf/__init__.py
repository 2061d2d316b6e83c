"""Relation inference in context: candidates for questions, questionnaires, labelled pairs."""

from .aggregate import RelinfAggregate
from .generator import Relinf

__all__ = ["Relinf", "RelinfAggregate"]
