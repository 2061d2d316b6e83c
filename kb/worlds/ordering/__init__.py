"""The ordering world: people compared by height, age, speed and strength."""

from functools import cache
from importlib.resources import files

from ..world import World, load_world
from .ranks import RANKS
from .stories import stories


@cache
def world() -> World:
    """Return the ordering world, with stories about random people."""
    return load_world(
        files(__package__) / "ordering.yaml",
        semantics=RANKS,
        stories=stories(),
        sentences=files("relsmith.templates") / "ordering",
    )
