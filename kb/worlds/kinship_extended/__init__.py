"""Families as they are: half and step relations, former spouses, cousins of all kinds."""

from functools import cache
from importlib.resources import files

from ..world import World, load_world
from .semantics import EXTENDED
from .stories import stories, stories_unstated


@cache
def world() -> World:
    """The world of kinship-extended.yaml, with stories about families grown at random."""
    return load_world(
        files(__package__) / "kinship-extended.yaml",
        semantics=EXTENDED,
        stories=stories(),
        sentences=files("relsmith.templates") / "kinship_extended",
    )


@cache
def unstated() -> World:
    """With people of no stated gender: no axiom speaks of genders, so the rules are its."""
    return load_world(
        files(__package__) / "kinship-unstated.yaml",
        semantics=EXTENDED,
        rules={"sound": world().compositions()},
        stories=stories_unstated(),
        sentences=files("relsmith.templates") / "kinship_extended",
    )
