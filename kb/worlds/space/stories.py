"""Story specifications of the space worlds."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from ....seed import Stream
from ..questions import WhoQuestion
from ..scene import Scene
from ..stories import NamePool, StorySpec
from .judge import MapType, judge, part
from .layout import sample_squares
from .steps import Grid, Square
from .words import part_questions


class SpaceTexts(NamedTuple):
    """Opening and questions of stories."""

    opening: str
    question: str
    direction: str = ""
    distance: str = ""


# Without the opening, "two steps north of" need not mean straight north, nor a step one square. The
# relation word fits the gap as it is.
_STRAIGHT = (
    '"Two steps north of" means straight north, neither east nor west, and so for all directions; '
    "a step north-east is one step north and one step east."
)
_COUNT = "Count up to three steps in a direction, and say more than three for all beyond."
MAP = SpaceTexts(
    opening=(
        "On a map of squares each place has a square of its own, and a step leads to the next "
        f"square. {_STRAIGHT}"
    ),
    question=f'Which words fill the gap, "of" included: "The {{y}} is ... the {{x}}"? {_COUNT}',
    direction=(
        "In which direction does the {y} lie from the {x}: north, south, east or west, or, where "
        "two of these apply, north-east, north-west, south-east or south-west?"
    ),
    distance=(
        "How many steps does it take at least to get from the {x} to the {y}, if a step may go in "
        "any of the eight directions: one, two, three, or more than three?"
    ),
)
OVERLAP = SpaceTexts(
    opening=(
        "On a map of squares each place lies in one square, several places may lie in the same "
        f"one, and a step leads to the next square. {_STRAIGHT}"
    ),
    question=(
        'Which words fill the gap, "of" or "as" included: "The {y} is ... the {x}"? Say "in the '
        f'same square as" where there is no step between them. {_COUNT}'
    ),
    direction=(
        "In which direction does the {y} lie from the {x}: north, south, east or west, or, where "
        "two of these apply, north-east, north-west, south-east or south-west, or is it in the "
        "same square?"
    ),
    distance=(
        "How many steps does it take at least to get from the {x} to the {y}, if a step may go in "
        "any of the eight directions: zero, one, two, three, or more than three?"
    ),
)
BLOCK = SpaceTexts(
    opening=(
        "In a block of cubes each thing has a cube of its own, and a step leads to the next cube: "
        'north, south, east, west, up or down. "Two steps north of" means straight north, neither '
        "east nor west, up nor down, and so for all directions; a step north-east is one step "
        "north and one step east."
    ),
    question=(
        'Which words, such as "two steps above" or "one step north and two steps up from", fill '
        'the gap: "The {y} is ... the {x}"? Count up to two steps in a direction, and say more '
        "than two for all beyond."
    ),
    direction=(
        "In which direction does the {y} lie from the {x}: north, south, east, west, up or down, "
        'or, where several of these apply, for example "north-east", "west and up" or "south-east '
        'and down"?'
    ),
    distance=(
        "How many steps does it take at least to get from the {x} to the {y}, if a step may go "
        "straight or to the next cube on any diagonal: one, two, or more than two?"
    ),
)


# Without the opening, "above" need not mean the same column, and the answer would not follow.
DIRECTIONS = SpaceTexts(
    opening=(
        'Each thing lies in a cell of its own on one grid; "to the left of" and "to the right '
        'of" mean in the same row, "above" and "below" in the same column.'
    ),
    question='Which words fill the gap: "The {y} is ... the {x}"?',
)


def stories(
    grid: Grid,
    map_type: MapType,
    texts: SpaceTexts,
    names: tuple[str, ...],
    sample: Callable[[Stream, int], Sequence[Square]] | None = None,
    max_facts: Callable[[int], int] = lambda places: places // 3,
) -> StorySpec:
    """Return the specification of stories about places on a map, in a block or on a grid."""
    who = "What is {word} the {x}? Name everything of which that follows, or say none."
    parts = {"direction": texts.direction, "distance": texts.distance} if texts.distance else {}
    return StorySpec(
        scene=partial(_scene, grid, sample or partial(sample_squares, grid)),
        max_facts=max_facts,
        names=NamePool(names),
        judge=partial(judge, map_type=map_type),
        question=texts.question,
        yes_no="Is the {y} {word} the {x}?",
        plain=(
            "The {y} is {word} the {x}.",
            "The {y} lies {word} the {x}.",
            "You find the {y} {word} the {x}.",
        ),
        legend="(a, r, b) says: the b is r the a.",
        opening=texts.opening,
        questions=(WhoQuestion(who), *part_questions(grid, parts, partial(part, map_type))),
    )


def _scene(
    grid: Grid,
    sample: Callable[[Stream, int], Sequence[Square]],
    stream: Stream,
    places: int,
    predicates: tuple[str, ...],
) -> Scene:
    squares = sample(stream, places)
    return Scene.from_relation(
        lambda x, y: grid.relation(squares[x], squares[y]), places, predicates
    )
