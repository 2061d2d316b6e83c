"""Families: who is whose child, spouse, sibling, grandparent, in-law, uncle or niece."""

from functools import cache
from importlib.resources import files

from ..world import World, parse_world


@cache
def world() -> World:
    """The kinship world of kinship.yaml; its default rule set is `sound`."""
    source = files(__package__) / "kinship.yaml"
    return parse_world(source.read_text(encoding="utf-8"), "kinship.yaml")
