"""Events of one day. A starting point, written by `gen new`.

Change it step by step and run `pytest`. docs/worlds.md of relsmith explains each part.
"""

from functools import cache
from importlib.resources import files

from relsmith.worlds import World, load_world

from .semantics import Day
from .stories import STORIES


@cache
def world() -> World:
    """Return the world: its file, semantics, stories and sentences."""
    here = files(__package__)
    return load_world(
        here / "world.yaml", semantics=Day(), stories=STORIES, sentences=here / "sentences"
    )
