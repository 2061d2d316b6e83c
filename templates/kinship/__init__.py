"""Sentences about families."""

from functools import cache
from importlib.resources import files

from ...kb.kinship import world
from ..bank import Bank, load_bank


@cache
def bank() -> Bank:
    """The English bank of the kinship world."""
    return load_bank(files(__package__), world())
