"""Stories of the spatial world: things on a grid, and in which direction they lie."""

from collections.abc import Iterable, Mapping
from functools import cache

from ...kb.fact import Fact
from ...kb.spatial import world
from ...kb.spatial.grid import directions
from ...kb.spatial.judge import judge
from ...kb.spatial.layout import line, place
from ...kb.verdict import Verdict
from ...seed import Stream
from .people import Pool
from .scene import Scene
from .setting import Setting
from .things import OPENING, QUESTION
from .things import pool as things


@cache
def setting() -> Setting:
    """Spatial stories are set on a grid."""
    return Setting(
        name="spatial",
        scene=_scene,
        longest=lambda things: line(things) - 2,
        pool=lambda: Pool(things()),
        judge=_judged,
        question=QUESTION,
        yes_no="Is the {y} {word} the {x}?",
        plain=(
            "The {y} is {word} the {x}.",
            "The {y} lies {word} the {x}.",
            "You find the {y} {word} the {x}.",
        ),
        legend="(a, r, b) says: the b is r the a.",
        semantics="grid",
        opening=OPENING,
    )


def _scene(stream: Stream, size: int, children: int, marriage: float) -> Scene:
    cells = place(stream, size)
    number = {name: at for at, name in enumerate(world().predicates)}
    related = [[0] * len(number) for _ in cells]
    for x, here in enumerate(cells):
        for y, there in enumerate(cells):
            for name in directions(here, there):
                related[x][number[name]] |= 1 << y
    return Scene.of([False] * size, [tuple(row) for row in related])


def _judged(
    facts: Iterable[Fact],
    genders: Mapping[str, str],
    query: tuple[str, str],
    claimed: str | None,
) -> Verdict:
    return judge(facts, query, claimed)
