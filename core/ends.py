"""What is told of the two that a question is about, and which answers go with it.

A guesser who looks at nothing else: whoever is no better has put nothing together.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")

Ends = list[tuple[str, str]]
"""Something that is told of the one asked about, and something of the other: every such pair."""


TURNED = "~"


def either_way(facts: Sequence[tuple[T, str, T]]) -> list[tuple[T, str, T]]:
    """All facts, and all as they are read from their other ends."""
    return [*((y, f"{TURNED}{word}", x) for x, word, y in facts), *facts]


def ends_of(facts: Sequence[tuple[T, str, T]], query: Sequence[T]) -> Ends:
    """What the first has to do with anybody, and anybody with the second."""
    start, end = query
    read = either_way(facts)
    firsts = sorted({word for x, word, _ in read if x == start})
    lasts = sorted({word for _, word, y in read if y == end})
    return [(first, last) for first in firsts for last in lasts]


def by_ends(known: Iterable[tuple[Ends, str]], asked: Iterable[Ends]) -> list[str]:
    """To each question the answer that its ends speak for, as they do in what is known.

    Where they say nothing it is the most frequent one, and where nothing is known none.
    """
    counts: dict[tuple[str, str], Counter[str]] = {}
    answers: Counter[str] = Counter()
    for ends, answer in known:
        answers[answer] += 1
        for pair in ends:
            counts.setdefault(pair, Counter())[answer] += 1
    shares = {
        pair: {answer: number / some.total() for answer, number in some.items()}
        for pair, some in counts.items()
    }
    guesses = []
    for ends in asked:
        speaking: Counter[str] = Counter()
        for pair in ends:
            speaking.update(shares.get(pair, {}))
        votes = speaking or answers
        guesses.append(min(votes, key=lambda answer: (-votes[answer], answer), default=""))
    return guesses
