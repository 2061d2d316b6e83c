"""Scores of submissions, and the log of them."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from math import ceil, floor
from typing import Any, NamedTuple

import orjson

from ..clusters import CLUSTER_FIELDS, clusters, interval
from ..scoring.scorer import score
from .sealing import Question, Secret, encode

ALL = "all"
"""The name of the score of all questions."""


class Grade(NamedTuple):
    """The right answers among some questions, with the 95 % interval of their share."""

    questions: int
    right: int
    low: float
    high: float

    def rounded(self) -> dict[str, int]:
        """Return what is said before the exam is revealed: whole percents."""
        score = (200 * self.right + self.questions) // (2 * self.questions)
        low, high = floor(100 * self.low), ceil(100 * self.high)
        return {"questions": self.questions, "score": score, "low": low, "high": high}


Grades = dict[str, Grade]
"""Grades by dataset, and of all."""


def grade(
    secret: Secret, questions: Iterable[Question], sheets: Sequence[tuple[str, Mapping[str, str]]]
) -> list[Grades]:
    """Return the grades of the answers of some candidates; no answer is a wrong one."""
    right = [list[bool]() for _ in sheets]
    drawn = dict[str, list[tuple[str, dict[str, Any]]]]()
    places = dict[str, list[int]]()
    for place, question in enumerate(questions):
        row = question.rows[0]
        known = {name: row.metadata.get(name) for name in CLUSTER_FIELDS}
        drawn.setdefault(question.dataset, []).append((row.id, known))
        places.setdefault(question.dataset, []).append(place)
        for (candidate, answers), verdicts in zip(sheets, right, strict=True):
            row = question.rows[secret.wording(candidate, question.id, len(question.rows))]
            given = answers.get(question.id)
            verdicts.append(given is not None and bool(score(row, given).value))
    keys = [""] * sum(map(len, drawn.values()))
    for name, rows in drawn.items():
        for place, key in zip(places[name], clusters(rows).keys, strict=True):
            keys[place] = f"{name} {key}"
    parts = {ALL: [*range(len(keys))]}
    if len(places) > 1:
        parts |= {name: places[name] for name in sorted(places)}
    return [
        {name: _grade(verdicts, keys, part) for name, part in parts.items()} for verdicts in right
    ]


def _grade(right: list[bool], keys: list[str], part: list[int]) -> Grade:
    verdicts, drawn = [right[n] for n in part], [keys[n] for n in part]
    return Grade(len(part), sum(verdicts), *interval(verdicts, drawn))


def encode_answers(answers: Mapping[str, str]) -> bytes:
    """Return answers in the form in which they are kept, hashed and published."""
    return b"".join(encode({"id": id, "answer": answers[id]}) for id in sorted(answers))


def log_entry(
    before: str, number: int, candidate: str, time: str, answers: bytes, grades: Grades
) -> dict[str, Any]:
    """Return an entry of the log; its receipt is a digest of it and of all entries before.

    `before` is the receipt of the entry before it; of the first, the commitment of the exam.
    """
    entry = {
        "number": number,
        "candidate": candidate,
        "time": time,
        "answers": hashlib.sha256(answers).hexdigest(),
        "scores": {name: grade.rounded() for name, grade in grades.items()},
    }
    return entry | {"receipt": hashlib.sha256(orjson.dumps([before, entry])).hexdigest()}
