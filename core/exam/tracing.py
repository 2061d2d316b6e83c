"""Find the candidate whose wordings a leaked text has."""

import re
from math import exp, log
from typing import NamedTuple

from ..errors import InvalidOption
from .sealing import SealedExam


class Trace(NamedTuple):
    """How many wordings in a text are those of a candidate's copy."""

    candidate: str
    matching: int
    found: int
    """Questions of which the text has one wording and not the other."""
    chance: float
    """An upper limit of the probability that any unrelated copy has as many matches."""


def trace(sealed: SealedExam, candidates: list[str], leaked: str) -> list[Trace]:
    """Return how well each candidate's copy matches a leaked text, the best first."""
    if not sealed.exam.wordings:
        raise InvalidOption("all candidates have the same questions; trace exams with --wordings")
    sentences = _sentences(leaked)
    matching, found = dict.fromkeys(candidates, 0), 0
    for question in sealed.questions():
        first, second = (_sentences(question.rows[place].input) for place in (0, -1))
        own = first - second, second - first
        if first == second:  # they tell nobody
            continue
        hits = [len(each & sentences) for each in own]
        seen = int(hits[1] > hits[0])
        if 2 * hits[seen] <= len(own[seen]):  # another story may share a sentence
            continue
        found += 1
        for name in candidates:
            matching[name] += sealed.secret.wording(name, question.id, 2) == seen
    traces = [
        Trace(name, count, found, min(1.0, len(candidates) * _tail(count, found)))
        for name, count in matching.items()
    ]
    return sorted(traces, key=lambda each: (-each.matching, each.candidate))


def _sentences(text: str) -> set[str]:
    """Return the sentences of a text, without the escapes of JSON."""
    plain = text.replace("\\n", " ").replace("\\", "")
    return set(re.split(r"(?<=[.!?])\s+", " ".join(plain.split())))


def _tail(count: int, tosses: int) -> float:
    """Return Chernoff's limit for so many heads or more in some tosses of a coin."""
    if not tosses or 2 * count <= tosses:
        return 1.0
    divergence = sum(part * log(2 * part) for part in (count / tosses, 1 - count / tosses) if part)
    return exp(-tosses * divergence)
