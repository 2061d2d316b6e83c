"""The spatial world: things on a grid, and eight directions between them."""

from functools import cache
from importlib.resources import files

from ..world import World, load_world
from .grid import GRID
from .stories import stories


@cache
def world() -> World:
    """Return the spatial world, with stories about random placements."""
    return load_world(
        files(__package__) / "spatial.yaml",
        semantics=GRID,
        stories=stories(),
        sentences=files("relsmith.templates") / "spatial",
    )
