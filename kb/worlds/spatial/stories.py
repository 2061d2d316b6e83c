"""What spatial stories need: placements, things, and the words around a story."""

from importlib.resources import files

import yaml

from ....seed import Stream
from ..scene import Scene
from ..stories import Pool, Stories
from .grid import directions
from .judge import judge
from .layout import line, place


def stories() -> Stories:
    """Spatial stories are set on a grid."""
    things = yaml.safe_load((files(__package__) / "things.yaml").read_text(encoding="utf-8"))
    return Stories(
        scene=_scene,
        longest=lambda things: line(things) - 2,
        names=Pool(tuple(things["things"].split())),
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
    cells = place(stream, things)

    def direction(x: int, y: int) -> str | None:
        return next(iter(directions(cells[x], cells[y])), None)

    return Scene.where(direction, things, predicates)
