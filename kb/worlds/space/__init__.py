"""The space worlds: places on a map, and the steps or directions between them."""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from ..stories import StorySpec, word_lists
from ..world import World, load_world
from . import judge, steps, stories
from .layout import sample_cross, things_in_line
from .words import sections

_PLACES = word_lists("space", "places.yaml")["places"]
_THINGS = word_lists("space", "things.yaml")["things"]


@cache
def world() -> World:
    """Return the world in which each place has its own square."""
    spec = stories.stories(steps.MAP, judge.MAP, stories.MAP, _PLACES)
    return _counted("space", steps.MAP, spec, ["space"])


@cache
def overlap() -> World:
    """Return the world in which places may share a square."""
    spec = stories.stories(steps.OVERLAP, judge.OVERLAP, stories.OVERLAP, _PLACES)
    return _counted("space-overlap", steps.OVERLAP, spec, ["space", "space_overlap"])


@cache
def block() -> World:
    """Return the three-dimensional world."""
    things = tuple(thing for thing in _THINGS if thing != "cube")  # where they all lie
    spec = stories.stories(steps.BLOCK, judge.BLOCK, stories.BLOCK, things)
    return _counted("space-3d", steps.BLOCK, spec, ["space_3d"])


def _counted(name: str, grid: steps.Grid, spec: StorySpec, folders: Sequence[str]) -> World:
    """Load a world with counted steps, whose predicates and rules are generated."""
    return load_world(
        files(__package__) / f"{name}.yaml",
        semantics=grid,
        sections=sections(grid),
        rules={"sound": grid.compositions()},
        stories=spec,
        sentences=[files("relsmith.templates") / folder for folder in folders],
    )


@cache
def directions() -> World:
    """Return the world of things on a grid, with eight directions and no steps."""
    return load_world(
        files(__package__) / "spatial.yaml",
        semantics=steps.DIRECTIONS,
        stories=stories.stories(
            *(steps.DIRECTIONS, judge.DIRECTIONS, stories.DIRECTIONS, _THINGS),
            sample=sample_cross,
            max_facts=lambda things: things_in_line(things) - 2,
        ),
        sentences=files("relsmith.templates") / "spatial",
    )
