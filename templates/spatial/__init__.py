"""Sentences about things on a grid."""

from functools import cache
from importlib.resources import files

from ...kb.spatial import world
from ..bank import Bank, load_bank


@cache
def bank() -> Bank:
    """The English bank of the spatial world."""
    return load_bank(files(__package__), world())
