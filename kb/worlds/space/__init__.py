"""The space worlds: places on a map, and the steps north, east, south or west between them."""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from ..stories import word_lists
from ..world import World, load_world
from . import judge, steps, stories
from .words import sections

_PLACES = word_lists("space", "places.yaml")["places"]


@cache
def world() -> World:
    """Return the world in which each place has its own square."""
    return _world("space", steps.MAP, judge.MAP, stories.MAP, _PLACES, ("space",))


@cache
def overlap() -> World:
    """Return the world in which places may share a square."""
    folders = ("space", "space_overlap")
    return _world("space-overlap", steps.OVERLAP, judge.OVERLAP, stories.OVERLAP, _PLACES, folders)


@cache
def block() -> World:
    """Return the three-dimensional world."""
    things = word_lists("spatial", "things.yaml")["things"]
    things = tuple(thing for thing in things if thing != "cube")  # where they all lie
    return _world("space-3d", steps.BLOCK, judge.BLOCK, stories.BLOCK, things, ("space_3d",))


def _world(
    name: str,
    grid: steps.Grid,
    map_type: judge.MapType,
    texts: stories.SpaceTexts,
    names: tuple[str, ...],
    folders: Sequence[str],
) -> World:
    """Load a world file with its generated sections and rules."""
    return load_world(
        files(__package__) / f"{name}.yaml",
        semantics=grid,
        sections=sections(grid, {"direction": texts.direction, "distance": texts.distance}),
        rules={"sound": grid.compositions()},
        stories=stories.stories(grid, map_type, texts, names),
        sentences=[files("relsmith.templates") / folder for folder in folders],
    )
