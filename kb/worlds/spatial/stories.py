"""Story specification of the spatial world."""

from ....seed import Stream
from ..scene import Scene
from ..stories import NamePool, StorySpec, word_lists
from .grid import directions
from .judge import judge
from .layout import sample_cells, things_in_line


def stories() -> StorySpec:
    """Return the specification of stories about things on a grid."""
    return StorySpec(
        scene=_scene,
        max_facts=lambda things: things_in_line(things) - 2,
        names=NamePool(word_lists("spatial", "things.yaml")["things"]),
        judge=lambda facts, genders, query, claimed: judge(facts, query, claimed),
        # The relation word fits the gap as it is.
        question='Which words fill the gap: "The {y} is ... the {x}"?',
        yes_no="Is the {y} {word} the {x}?",
        who="What is {word} the {x}? Name everything of which that follows, or say none.",
        plain=(
            "The {y} is {word} the {x}.",
            "The {y} lies {word} the {x}.",
            "You find the {y} {word} the {x}.",
        ),
        legend="(a, r, b) says: the b is r the a.",
        # Without it, "above" need not mean the same column, and the answer would not follow.
        opening=(
            'Each thing lies in a cell of its own on one grid; "to the left of" and "to the right '
            'of" mean in the same row, "above" and "below" in the same column.'
        ),
    )


def _scene(stream: Stream, things: int, predicates: tuple[str, ...]) -> Scene:
    cells = sample_cells(stream, things)

    def direction(x: int, y: int) -> str | None:
        return next(iter(directions(cells[x], cells[y])), None)

    return Scene.from_relation(direction, things, predicates)
