"""Baselines that do not relate words to each other."""

from collections import Counter
from collections.abc import Sequence
from math import log
from typing import ClassVar

from typing_extensions import override

from .model import AnalogyBaseline
from .task import AnalogyRow, WordPair


class AnalogyMajority(AnalogyBaseline):
    """Always the most frequent answer of the training rows; of several candidates, the first."""

    name: ClassVar = "analogy-majority"

    @override
    def predict(self, train: Sequence[AnalogyRow], test: Sequence[AnalogyRow]) -> list[int]:
        if any(len(row.candidates) > 1 for row in test):
            return [0] * len(test)
        counts = Counter(row.target for row in train)
        return [max((0, 1), key=lambda target: counts[target])] * len(test)


class WordsOnly(AnalogyBaseline):
    """How often the candidate's head and tail were right in training; the query is not used."""

    name: ClassVar = "analogy-words"

    @override
    def predict(self, train: Sequence[AnalogyRow], test: Sequence[AnalogyRow]) -> list[int]:
        counts: Counter[tuple[bool, int, str]] = Counter()
        for row in train:
            for place, offer in enumerate(row.candidates):
                right = row.target == (place if len(row.candidates) > 1 else 1)
                counts.update((right, side, word) for side, word in enumerate(offer))

        def odds(pair: WordPair) -> float:
            return sum(
                log((counts[True, side, word] + 1) / (counts[False, side, word] + 1))
                for side, word in enumerate(pair)
            )

        return [_choice([odds(offer) for offer in row.candidates]) for row in test]


def _choice(scores: list[float]) -> int:
    if len(scores) == 1:
        return int(scores[0] > 0)
    return scores.index(max(scores))
