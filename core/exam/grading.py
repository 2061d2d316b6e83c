"""Scores of submissions, and the log of them."""

import hashlib
from collections.abc import Mapping, Sequence
from math import ceil, floor
from typing import Any, NamedTuple

import orjson

from ..clusters import CLUSTER_FIELDS, clusters, share_interval
from ..scoring.scorer import score
from .sealing import ALL, SealedExam


class Grade(NamedTuple):
    """The right answers among some questions, with the 95 % interval of their share."""

    questions: int
    right: int
    low: float
    high: float

    def whole_percents(self) -> dict[str, int]:
        """Return the score as candidates see it: in percent, its interval rounded outward."""
        score = (200 * self.right + self.questions) // (2 * self.questions)
        low, high = floor(100 * self.low), ceil(100 * self.high)
        return {"questions": self.questions, "score": score, "low": low, "high": high}


Grades = dict[str, Grade]
"""Grades of all questions and, if there are several, of each dataset."""


class Submission(NamedTuple):
    """The answers of a candidate, and when they came."""

    candidate: str
    time: str
    answers: Mapping[str, str]


def grade(sealed: SealedExam, made: Sequence[Submission]) -> list[Grades]:
    """Return the grades of submissions; a question without an answer counts as wrong."""
    right: list[dict[str, list[bool]]] = [{} for _ in made]
    drawn = dict[str, list[tuple[str, dict[str, Any]]]]()
    for id, dataset, rows in sealed.questions():
        known = {name: rows[0].metadata.get(name) for name in CLUSTER_FIELDS}
        drawn.setdefault(dataset, []).append((rows[0].id, known))
        for each, verdicts in zip(made, right, strict=True):
            row = rows[sealed.secret.wording(each.candidate, id, len(rows))]
            answer = each.answers.get(id)
            is_right = answer is not None and bool(score(row, answer).value)
            verdicts.setdefault(dataset, []).append(is_right)
    names = sorted(drawn)
    keys = {name: [f"{name} {key}" for key in clusters(drawn[name]).keys] for name in names}
    keys[ALL] = [key for name in names for key in keys[name]]
    for part in right:
        part[ALL] = [verdict for name in names for verdict in part[name]]
    return [
        {
            name: Grade(len(part[name]), sum(part[name]), *share_interval(part[name], keys[name]))
            for name in ([ALL, *names] if len(names) > 1 else [ALL])
        }
        for part in right
    ]


def log_entry(
    before: str, number: int, submission: Submission, answers: bytes, grades: Grades
) -> dict[str, Any]:
    """Return an entry of the log; its receipt is a digest of it and of all entries before.

    `before` is the receipt of the entry before it; of the first, the commitment of the exam.
    """
    entry = {
        "number": number,
        "candidate": submission.candidate,
        "time": submission.time,
        "answers": hashlib.sha256(answers).hexdigest(),
        "scores": {name: grade.whole_percents() for name, grade in grades.items()},
    }
    return entry | {"receipt": hashlib.sha256(orjson.dumps([before, entry])).hexdigest()}
