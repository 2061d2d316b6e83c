"""The space worlds: places on a map, and the steps or directions between them."""

from collections.abc import Callable, Sequence
from functools import cache, partial
from importlib.resources import files

from ....seed import Stream
from ..scene import Scene
from ..stories import NamePool, StorySpec, story_texts, word_lists
from ..world import World, load_world
from . import judge, steps
from .layout import sample_cross, sample_squares, things_in_line
from .solver import solve
from .steps import Grid, Square
from .words import sections

_PLACES = word_lists("space", "places.yaml")["places"]
_THINGS = word_lists("space", "things.yaml")["things"]

_Sampler = Callable[[Stream, int], Sequence[Square]]


@cache
def world() -> World:
    """Return the world of places and counted steps, whose predicates and rules are generated."""
    return load_world(
        files(__package__) / "space.yaml",
        semantics=steps.MAP,
        sections=sections(steps.MAP),
        rules={"sound": steps.MAP.compositions()},
        stories=_stories(
            *("space", steps.MAP, judge.MAP, _PLACES),
            sample=sample_squares,
            max_facts=lambda places: places // 3,
        ),
        sentences=files("relsmith.templates") / "en" / "space",
    )


@cache
def directions() -> World:
    """Return the world of things on a grid, with eight directions and no steps."""
    return load_world(
        files(__package__) / "spatial.yaml",
        semantics=steps.DIRECTIONS,
        stories=_stories(
            *("spatial", steps.DIRECTIONS, judge.DIRECTIONS, _THINGS),
            sample=sample_cross,
            max_facts=lambda things: things_in_line(things) - 2,
        ),
        sentences=files("relsmith.templates") / "en" / "spatial",
    )


def _stories(
    name: str,
    grid: Grid,
    map_type: judge.MapType,
    names: tuple[str, ...],
    sample: _Sampler,
    max_facts: Callable[[int], int],
) -> StorySpec:
    """Return the specification of stories about places on a map or things on a grid."""
    return StorySpec(
        **story_texts(__package__, "all", name),
        scene=partial(_scene, grid, sample),
        max_facts=max_facts,
        names=NamePool(names),
        judge=partial(judge.judge, map_type=map_type),
        solver=partial(solve, grid, name),
    )


def _scene(
    grid: Grid, sample: _Sampler, stream: Stream, places: int, predicates: tuple[str, ...]
) -> Scene:
    squares = sample(stream, places)
    return Scene.from_relation(
        lambda x, y: grid.relation(squares[x], squares[y]), places, predicates
    )
