"""Families as they are: half and step relations, former spouses, cousins of all kinds."""

from functools import cache
from importlib.resources import files

from ..world import World, load_world
from .semantics import EXTENDED
from .stories import stories


@cache
def world() -> World:
    """The world of kinship-extended.yaml, with stories about families grown at random."""
    return load_world(
        files(__package__) / "kinship-extended.yaml",
        semantics=EXTENDED,
        stories=stories(),
        sentences=files("relsmith.templates") / "kinship_extended",
    )
