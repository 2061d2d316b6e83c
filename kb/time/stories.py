"""What stories of time need: programmes, events, and the words around a story."""

from importlib.resources import files

import yaml

from ...seed import Stream
from ..scene import Scene
from ..stories import Pool, Stories
from .closure import everyone, left
from .intervals import relation
from .judge import judge
from .programme import alike, arrange


def stories() -> Stories:
    """Stories of time are set in a programme of events."""
    events = yaml.safe_load((files(__package__) / "events.yaml").read_text(encoding="utf-8"))
    return Stories(
        scene=_scene,
        longest=lambda events: alike(events) - 2,
        names=Pool(tuple(events["events"].split())),
        judge=lambda facts, genders, query, claimed: judge(facts, query, claimed),
        everyone=everyone,
        left=left,
        # The relation word fits the gap as it is.
        question='Which words fill the gap: "The {y} ... the {x}"?',
        yes_no="Is it true that the {y} {word} the {x}?",
        who="What {word} the {x}? Name every event of which that follows, or say none.",
        possible=(
            'Which of these words may fill the gap in "The {y} ... the {x}", for all that is told: '
            "{words}? Name all that may, with a semicolon between them."
        ),
        plain=(
            "The {y} {word} the {x}.",
            "The {y}, for its part, {word} the {x}.",
            "The {y}, as it turned out, {word} the {x}.",
        ),
        legend="(a, r, b) says: the b r the a.",
        opening=(
            "Each event took place once, without a break, and lasted for some time; to begin or "
            'end "during" an event is to do so after its start and before its end.'
        ),
    )


def _scene(stream: Stream, events: int, predicates: tuple[str, ...]) -> Scene:
    spans = arrange(stream, events)
    return Scene.where(lambda x, y: relation(spans[x], spans[y]), events, predicates)
