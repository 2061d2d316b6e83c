"""Places on a map of squares, and how many steps one lies north, east, south or west of another."""

from functools import cache
from importlib.resources import files

from ..world import World, load_world
from .steps import MAP, compositions
from .stories import stories


@cache
def world() -> World:
    """The world of space.yaml with its rules, and stories about places put down at random."""
    return load_world(
        files(__package__) / "space.yaml",
        semantics=MAP,
        rules={"sound": compositions()},
        stories=stories(),
        sentences=files("relsmith.templates") / "space",
    )
