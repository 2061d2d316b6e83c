"""Share of true pairs among the negatives of the paper's procedure, over all candidates."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from .extension import Extension
from .relation import Relation

T = TypeVar("T")

STRATEGIES = ("random-head", "random-tail", "reverse", "type")


@dataclass(frozen=True)
class Rates:
    """Number of candidates, and of those that hold, by strategy."""

    relation: Relation
    candidates: dict[str, int]
    true: dict[str, int]

    def share(self, strategy: str) -> float:
        """Return the share of false negatives; 0 if there is no candidate."""
        return self.true[strategy] / (self.candidates[strategy] or 1)


def size(relation: Relation) -> int:
    """Return the number of steps of an audit: one for each word or tuple."""
    heads, tails = zip(*relation.pairs, strict=True)
    return 2 * len(relation.pairs) + len(set(heads)) + len(set(tails))


def audit(relation: Relation, step: Callable[[], None] = lambda: None) -> Rates:
    """Count over all ordered pairs of tuples, every listed answer a tuple, repeated ones too.

    Random-head is (h_j, t_i) with another head, random-tail (h_i, t_j) with another tail, reverse
    (t_j, h_j) of any tuple, type two different heads or two different tails. A candidate is true
    if the relation lists it, either way round where it is symmetric. `step` is called after each
    word or tuple.
    """
    holds = Extension(relation).holds
    tuples = Counter(relation.listed)
    heads: Counter[str] = Counter()
    tails: Counter[str] = Counter()
    for (head, tail), times in tuples.items():
        heads[head] += times
        tails[tail] += times
    every = {
        "random-head": _count(tuples, heads, lambda pair, word: (word, pair[1]), 0, holds, step),
        "random-tail": _count(tuples, tails, lambda pair, word: (pair[0], word), 1, holds, step),
        "reverse": _tally((times, holds(tail, head)) for (head, tail), times in tuples.items()),
        "type": _tally(
            (times * more, holds(first, second))
            for words in (heads, tails)
            for first, times in _with_progress(words.items(), step)
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
    step: Callable[[], None],
) -> tuple[int, int]:
    return _tally(
        (times * more, holds(*swapped(pair, word)))
        for pair, times in _with_progress(tuples.items(), step)
        for word, more in words.items()
        if word != pair[side]
    )


def _with_progress(items: Iterable[T], step: Callable[[], None]) -> Iterator[T]:
    for item in items:
        yield item
        step()


def _tally(weighted: Iterable[tuple[int, bool]]) -> tuple[int, int]:
    count = true = 0
    for weight, holds in weighted:
        count += weight
        true += weight * holds
    return count, true
