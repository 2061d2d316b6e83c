"""StepGame: stories of sentences such as "A is above B", and the direction between two of them."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from ....kb.worlds.fact import Fact
from ....kb.worlds.space.judge import MapType
from ....kb.worlds.space.judge import judge as judge_map
from ....kb.worlds.verdict import Verdict
from ....tables import load_tables
from .case import (
    NO_QUESTION,
    NOT_UNDERSTOOD,
    Case,
    Outcome,
    Query,
    Reading,
    Row,
    UnreadableRow,
    check_named,
)
from .records import column, records, texts
from .settings import Settings

Vector = tuple[int, int]
"""Steps right and up; one, none, or one back."""

LABELS: Final[dict[str, Vector]] = {
    **{"left": (-1, 0), "right": (1, 0), "above": (0, 1), "below": (0, -1), "overlap": (0, 0)},
    **{"upper-left": (-1, 1), "upper-right": (1, 1)},
    **{"lower-left": (-1, -1), "lower-right": (1, -1)},
}
_NAMES: Final[dict[tuple[int, ...], str]] = {vector: label for label, vector in LABELS.items()}
_AXES: Final = (("right", "left"), ("up", "down"))
_FREE: Final = MapType(_AXES, (), words=_NAMES, nouns=("direction", "things"), apart=False)
"""Things that are some steps apart; several may lie in one cell."""
_STEPS: Final[dict[tuple[int, ...], str]] = {
    (x, y): f"{x}, {y}" for x in range(-2, 3) for y in range(-2, 3)
}
_UNIT: Final = MapType(_AXES, ("one",), words=_STEPS, apart=False)
"""The same, where a step is counted; 2 is any larger number."""

_WORDS: Final = load_tables(__package__, "stepgame.yaml")
_SIDES: Final[dict[str, Vector]] = {
    word: (across, up) for across, up, words in _WORDS["sides"] for word in words.split()
}
"""Directions of words and of the hours of a clock."""
_FILLERS: Final = frozenset(_WORDS["fillers"].split())
_ARTICLES: Final = frozenset("the a object objects agent labeled".split())
_BEFORE_OBJECTS: Final = frozenset("of to below above over under at".split())
_TOKEN = re.compile(r"'s\b|o'clock|[A-Za-z]+|\d+(?::00)?")
_ASKED = re.compile(r"What is the relation of the agent (\w+) to the agent (\w+)\?")


def fits(path: Path, first: object) -> bool:
    """Return whether the first row has a story in sentences, a question and a label."""
    label = column(first, "label")
    return isinstance(column(first, "story"), list) and isinstance(label, str) and label in LABELS


def rows(path: Path, settings: Settings) -> Iterator[tuple[float, Row]]:
    """Yield the rows of a JSON file."""
    settings.check(worlds=False)
    for _, share, record in records(path):
        yield share, _row(record)


def _row(record: Any) -> Row:
    question, label = texts(record, "question", "label")
    story = column(record, "story")
    sentences = list(map(str, story)) if isinstance(story, list) else []
    return row(sentences, question, label)


def is_question(text: str) -> bool:
    """Return whether a question is one of StepGame."""
    return _ASKED.fullmatch(text) is not None


def row(story: Sequence[str], question: str, label: str) -> Row:
    """Return a story, a question and a label as a row."""
    text, group = " ".join([*story, question]), f"{len(story)} sentences"
    return Row(text, label, group, lambda: _outcome(story, question, label))


def _outcome(story: Sequence[str], question: str, label: str) -> Outcome:
    asked = _ASKED.fullmatch(question)
    if asked is None or label not in LABELS:
        raise UnreadableRow(NO_QUESTION, f"{question} {label}")
    told = [read_sentence(sentence) for sentence in story]
    query, (across, up) = (asked[2], asked[1]), LABELS[label]
    check_named(query, {name for x, _, y in told for name in (x, y)})
    facts = [(x, _NAMES[steps], y) for x, steps, y in told]
    unit_facts = [(x, _STEPS[steps], y) for x, steps, y in told]
    unit = frozenset(_STEPS[x, y] for x in (across, 2 * across) for y in (up, 2 * up))
    convention = "each sentence is about two things that are exactly one step apart"
    readings = (
        Reading(partial(_judge, _FREE), facts, frozenset([label])),
        Reading(partial(_judge, _UNIT), unit_facts, unit, convention),
    )
    return Case(query, readings).outcome()


def _judge(
    map_type: MapType,
    facts: Iterable[Fact],
    genders: Mapping[str, str],
    query: Query,
    claimed: str | None,
) -> Verdict:
    return judge_map(facts, query, claimed, map_type)


def read_sentence(sentence: str) -> tuple[str, Vector, str]:
    """Return x, the steps from x to y, and y; UnreadableRow if a word is not known."""
    unclear = UnreadableRow(NOT_UNDERSTOOD, sentence)
    said = sentence.replace("\u2019", "'").replace("over there", "there").replace("-", " ")
    if re.search(r"[^\w\s.,:']", said):
        raise unclear
    clauses: list[tuple[str, set[str]]] = []
    before = ""
    names: set[str] = set()
    for token in _TOKEN.findall(said):
        word = token.lower().removesuffix(":00")
        if word in _SIDES and clauses:
            clauses[-1][1].add(word)
        elif token[0].isupper() and not (len(word) > 1 and word in _FILLERS):
            names.add(token)
            if before not in _BEFORE_OBJECTS:
                clauses.append((token, set()))
        elif word not in _FILLERS:
            raise unclear
        if word not in _ARTICLES:
            before = word
    told = {(name, _vector(words, unclear)) for name, words in clauses if words}
    if len(names) != 2 or not told:
        raise unclear
    y, steps = min(told)
    for name, vector in told:
        if vector != (steps if name == y else (-steps[0], -steps[1])):
            raise unclear
    (x,) = names - {y}
    return x, steps, y


def _vector(words: set[str], unclear: UnreadableRow) -> Vector:
    """Return the direction of a clause; hours of a clock say more than words."""
    hours = {_SIDES[word] for word in words if word.isdigit()}
    if len(hours) > 1:  # between 2 and 3
        hours = {hour for hour in hours if all(hour)}
    sides = {_SIDES[word] for word in words if not word.isdigit()}
    across, up = ({side[axis] for side in sides} - {0} for axis in (0, 1))
    if len(hours) > 1 or len(across) > 1 or len(up) > 1:
        raise unclear
    vector = (sum(across), sum(up))
    for hour in hours:
        if any(part and part != other for part, other in zip(vector, hour, strict=True)):
            raise unclear
        return hour
    return vector
