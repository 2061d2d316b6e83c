"""Places on a map of squares, and how many steps one lies north, east, south or west of another."""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from ..world import World, load_world
from . import judge, steps, stories
from .words import sections

_PLACES = stories.nouns("space", "places.yaml", "places")


@cache
def world() -> World:
    """Places that have a square each."""
    return _world("space", steps.MAP, judge.MAP, stories.MAP, _PLACES, ("space",))


@cache
def overlap() -> World:
    """Places of which several may share a square."""
    folders = ("space", "space_overlap")
    return _world("space-overlap", steps.OVERLAP, judge.OVERLAP, stories.OVERLAP, _PLACES, folders)


@cache
def block() -> World:
    """Things in three dimensions."""
    things = stories.nouns("spatial", "things.yaml", "things")
    things = tuple(thing for thing in things if thing != "cube")  # where they all lie
    return _world("space-3d", steps.BLOCK, judge.BLOCK, stories.BLOCK, things, ("space_3d",))


def _world(
    name: str,
    grid: steps.Grid,
    kind: judge.Kind,
    prose: stories.Prose,
    names: tuple[str, ...],
    folders: Sequence[str],
) -> World:
    """The world of a file, with all that steps decide."""
    return load_world(
        files(__package__) / f"{name}.yaml",
        semantics=grid,
        sections=sections(grid, {"direction": prose.direction, "distance": prose.distance}),
        rules={"sound": grid.compositions()},
        stories=stories.stories(grid, kind, prose, names),
        sentences=[files("relsmith.templates") / folder for folder in folders],
    )
