"""How many of the negatives of the paper's procedure are true, counted over all candidates."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from .extension import Extension
from .relation import Relation

STRATEGIES = ("random-head", "random-tail", "reverse", "type")


@dataclass(frozen=True)
class Rates:
    """For each strategy, how many candidates there are and how many of them hold."""

    relation: Relation
    candidates: dict[str, int]
    true: dict[str, int]

    def share(self, strategy: str) -> float:
        """The share of false negatives; 0 where there is no candidate."""
        return self.true[strategy] / (self.candidates[strategy] or 1)


def audit(relation: Relation) -> Rates:
    """Count over all ordered pairs of tuples, every listed answer a tuple, repeated ones too.

    Random-head is (h_j, t_i) with another head, random-tail (h_i, t_j) with another tail, reverse
    (t_j, h_j) of any tuple, type two different heads or two different tails. A candidate is true
    if the relation lists it, either way round where it is symmetric.
    """
    holds = Extension(relation).holds
    tuples = Counter(relation.listed)
    heads: Counter[str] = Counter()
    tails: Counter[str] = Counter()
    for (head, tail), times in tuples.items():
        heads[head] += times
        tails[tail] += times
    every = {
        "random-head": _count(tuples, heads, lambda pair, word: (word, pair[1]), 0, holds),
        "random-tail": _count(tuples, tails, lambda pair, word: (pair[0], word), 1, holds),
        "reverse": _tally((times, holds(tail, head)) for (head, tail), times in tuples.items()),
        "type": _tally(
            (times * more, holds(first, second))
            for words in (heads, tails)
            for first, times in words.items()
            for second, more in words.items()
            if first != second
        ),
    }
    return Rates(
        relation,
        {strategy: count for strategy, (count, _) in every.items()},
        {strategy: true for strategy, (_, true) in every.items()},
    )


def _count(
    tuples: Counter[tuple[str, str]],
    words: Counter[str],
    swapped: Callable[[tuple[str, str], str], tuple[str, str]],
    side: int,
    holds: Callable[[str, str], bool],
) -> tuple[int, int]:
    return _tally(
        (times * more, holds(*swapped(pair, word)))
        for pair, times in tuples.items()
        for word, more in words.items()
        if word != pair[side]
    )


def _tally(weighed: Iterable[tuple[int, bool]]) -> tuple[int, int]:
    count = true = 0
    for weight, holds in weighed:
        count += weight
        true += weight * holds
    return count, true
