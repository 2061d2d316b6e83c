"""People compared by height, age, speed and strength, and what follows from that."""

from functools import cache
from importlib.resources import files

from ..world import World, load_world
from .ranks import RANKS
from .stories import stories


@cache
def world() -> World:
    """The world of ordering.yaml, with stories about people who are compared at random."""
    return load_world(
        files(__package__) / "ordering.yaml",
        semantics=RANKS,
        stories=stories(),
        sentences=files("relsmith.templates") / "ordering",
    )
