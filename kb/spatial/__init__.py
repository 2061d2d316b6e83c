"""Things on a grid, and in which of eight directions one lies from another."""

from functools import cache
from importlib.resources import files

from ..world import World, parse_world


@cache
def world() -> World:
    """The spatial world of spatial.yaml; its only rule set is `sound`."""
    source = files(__package__) / "spatial.yaml"
    return parse_world(source.read_text(encoding="utf-8"), "spatial.yaml")
