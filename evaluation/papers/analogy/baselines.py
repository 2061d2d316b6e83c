"""What can be had without relating words to one another."""

from collections import Counter
from collections.abc import Sequence
from math import log
from typing import ClassVar

from .model import Guesser
from .task import Analogy, Pair


class Majority(Guesser):
    """The answer that is most frequent in training, always; of several, the first by its words."""

    name: ClassVar = "analogy-majority"
    baseline: ClassVar = True

    def guess(self, train: Sequence[Analogy], test: Sequence[Analogy]) -> list[int]:
        """Give the same answer to every question."""
        if any(len(row.offers) > 1 for row in test):
            return [0] * len(test)
        counts = Counter(row.target for row in train)
        return [max((0, 1), key=lambda target: counts[target])] * len(test)


class WordsOnly(Guesser):
    """How often the offered head and tail were right in training; the query is not looked at."""

    name: ClassVar = "analogy-words"
    baseline: ClassVar = True

    def guess(self, train: Sequence[Analogy], test: Sequence[Analogy]) -> list[int]:
        """Right is what has words that were right more often than wrong."""
        counts: Counter[tuple[bool, int, str]] = Counter()
        for row in train:
            for place, offer in enumerate(row.offers):
                right = row.target == (place if len(row.offers) > 1 else 1)
                counts.update((right, side, word) for side, word in enumerate(offer))

        def odds(pair: Pair) -> float:
            return sum(
                log((counts[True, side, word] + 1) / (counts[False, side, word] + 1))
                for side, word in enumerate(pair)
            )

        return [_choice([odds(offer) for offer in row.offers]) for row in test]


def _choice(scores: list[float]) -> int:
    if len(scores) == 1:
        return int(scores[0] > 0)
    return scores.index(max(scores))
