"""What stories about places need: maps, places, and the words around a story."""

from importlib.resources import files

import yaml

from ...seed import Stream
from ..scene import Scene
from ..stories import Pool, Stories
from .judge import judge, part
from .layout import place
from .steps import relation


def stories() -> Stories:
    """Stories of space are set on a map."""
    places = yaml.safe_load((files(__package__) / "places.yaml").read_text(encoding="utf-8"))
    return Stories(
        scene=_scene,
        longest=lambda places: places // 3,
        names=Pool(tuple(places["places"].split())),
        judge=lambda facts, genders, query, claimed: judge(facts, query, claimed),
        # The relation word fits the gap as it is.
        question=(
            'Which words fill the gap, "of" included: "The {y} is ... the {x}"? Count up to three '
            "steps in a direction, and say more than three for all beyond."
        ),
        yes_no="Is the {y} {word} the {x}?",
        who="What is {word} the {x}? Name everything of which that follows, or say none.",
        plain=(
            "The {y} is {word} the {x}.",
            "The {y} lies {word} the {x}.",
            "You find the {y} {word} the {x}.",
        ),
        legend="(a, r, b) says: the b is r the a.",
        # Without it, "two steps north of" need not mean straight north, nor a step one square.
        opening=(
            "On a map of squares each place has a square of its own, and a step leads to the next "
            'square. "Two steps north of" means straight north, neither east nor west, and so for '
            "all directions; a step north-east is one step north and one step east."
        ),
        part=part,
    )


def _scene(stream: Stream, places: int, predicates: tuple[str, ...]) -> Scene:
    squares = place(stream, places)
    return Scene.where(lambda x, y: relation(squares[x], squares[y]), places, predicates)
