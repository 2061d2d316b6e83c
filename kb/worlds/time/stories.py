"""What stories of time need: programmes, events, and the words around a story."""

from dataclasses import replace
from importlib.resources import files

import yaml

from ....seed import Stream
from ..scene import Scene
from ..stories import Pool, Stories
from . import intervals, points
from .closure import everyone, left, left_points
from .judge import judge, judge_points
from .programme import alike, arrange, arrange_points
from .reckoning import reckoned
from .timetable import dated, words


def stories() -> Stories:
    """Stories of time are set in a programme of events."""
    return Stories(
        scene=_scene,
        longest=lambda events: alike(events) - 2,
        names=Pool(_nouns("events")),
        judge=lambda facts, genders, query, claimed: judge(facts, query, claimed),
        everyone=everyone,
        left=left,
        # The relation word fits the gap as it is.
        question='Which words fill the gap: "The {y} ... the {x}"?',
        yes_no="Is it true that the {y} {word} the {x}?",
        who="What {word} the {x}? Name every event of which that follows, or say none.",
        possible=(
            'Which of these words may fill the gap in "The {y} ... the {x}", going by what is '
            "told: {words}? Name all that may, with a semicolon between them."
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


def stories_points() -> Stories:
    """Stories in which some things come in an instant."""
    return replace(
        stories(),
        scene=_scene_points,
        names=Pool(_nouns("events"), _nouns("instants")),
        judge=lambda facts, genders, query, claimed: judge_points(facts, query, claimed),
        left=left_points,
        who="What {word} the {x}? Name everything of which that follows, or say none.",
        opening=(
            "Everything here took place once: events, which lasted for some time without a break, "
            'and things that came and were over in an instant. To begin or end "during" an event '
            "is to do so after its start and before its end."
        ),
    )


def stories_dates() -> Stories:
    """Stories in which two events are told by their times."""
    return replace(
        stories(),
        dated=dated,
        reckoned=reckoned,
        dated_words=words(),
        opening=(
            "Each event took place once, without a break, and lasted for some time; clock times "
            'and dates are exact, to the moment, and to begin or end "during" an event is to do so '
            "after its start and before its end."
        ),
    )


def _nouns(kind: str) -> tuple[str, ...]:
    nouns = yaml.safe_load((files(__package__) / f"{kind}.yaml").read_text(encoding="utf-8"))
    return tuple(nouns[kind].split())


def _scene(stream: Stream, events: int, predicates: tuple[str, ...]) -> Scene:
    spans = arrange(stream, events)
    return Scene.where(lambda x, y: intervals.relation(spans[x], spans[y]), events, predicates)


def _scene_points(stream: Stream, size: int, predicates: tuple[str, ...]) -> Scene:
    spans = arrange_points(stream, size)
    scene = Scene.where(lambda x, y: points.relation(spans[x], spans[y]), size, predicates)
    return replace(scene, gender=tuple(int(start == end) for start, end in spans))
