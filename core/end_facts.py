"""A baseline that guesses the answer from the end facts, those that mention a query person.

A model that is no better has not combined facts.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")

EndFactPairs = list[tuple[str, str]]
"""Every pair of a relation of the first query person and a relation of the second."""

INVERSE = "~"
"""Prefix of a relation that is read from its object to its subject."""


def with_inverses(facts: Sequence[tuple[T, str, T]]) -> list[tuple[T, str, T]]:
    """Return the inverse of every fact, then the facts."""
    return [*((y, f"{INVERSE}{word}", x) for x, word, y in facts), *facts]


def end_fact_pairs(facts: Sequence[tuple[T, str, T]], query: Sequence[T]) -> EndFactPairs:
    """Return the pairs of relations that start at the first and end at the second query person."""
    start, end = query
    read = with_inverses(facts)
    firsts = sorted({word for x, word, _ in read if x == start})
    lasts = sorted({word for _, word, y in read if y == end})
    return [(first, last) for first in firsts for last in lasts]


def predict_from_end_facts(
    known: Iterable[tuple[EndFactPairs, str]], asked: Iterable[EndFactPairs]
) -> list[str]:
    """Return for each question the answer that its end facts have most often in `known`.

    The most frequent answer where none of its end facts is known; "" where nothing is.
    """
    counts: dict[tuple[str, str], Counter[str]] = {}
    answers: Counter[str] = Counter()
    for pairs, answer in known:
        answers[answer] += 1
        for pair in pairs:
            counts.setdefault(pair, Counter())[answer] += 1
    shares = {
        pair: {answer: count / total for answer, count in counted.items()}
        for pair, counted in counts.items()
        for total in [counted.total()]
    }
    guesses = []
    for pairs in asked:
        votes: Counter[str] = Counter()
        for pair in pairs:
            votes.update(shares.get(pair, {}))
        votes = votes or answers
        guesses.append(min(votes, key=lambda answer: (-votes[answer], answer), default=""))
    return guesses
