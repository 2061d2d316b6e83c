"""Things on a grid, and in which of eight directions one lies from another."""

from functools import cache
from importlib.resources import files

from ..world import World, load_world
from .grid import GRID
from .stories import stories


@cache
def world() -> World:
    """The spatial world of spatial.yaml, with stories about things placed at random."""
    return load_world(
        files(__package__) / "spatial.yaml",
        semantics=GRID,
        stories=stories(),
        sentences=files("relsmith.templates") / "spatial",
    )
