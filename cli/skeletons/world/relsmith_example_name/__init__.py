"""Events of one day. Made by `gen new`, to be made your own.

Change a little, run `pytest`, change on. relsmith's docs/worlds.md says what each part is for.
"""

from functools import cache
from importlib.resources import files

from relsmith.kb.worlds.world import World, load_world

from .semantics import Day
from .stories import STORIES


@cache
def world() -> World:
    """All that belongs to the world: its file, its meaning, its stories and its sentences."""
    here = files(__package__)
    return load_world(
        here / "world.yaml",
        semantics=Day(),
        stories=STORIES,
        sentences=here / "sentences",
    )
