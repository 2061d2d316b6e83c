"""Share of true pairs among the negatives of the paper's procedure, over all candidates."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from .extension import Extension
from .relation import Pair, Relation

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
    candidates = dict.fromkeys(STRATEGIES, 0)
    true = dict.fromkeys(STRATEGIES, 0)
    for strategy, weight, head, tail in _candidates(Counter(relation.listed), step):
        candidates[strategy] += weight
        true[strategy] += weight * holds(head, tail)
    return Rates(relation, candidates, true)


def _candidates(
    tuples: Counter[Pair], step: Callable[[], None]
) -> Iterator[tuple[str, int, str, str]]:
    """Yield strategy, number of occurrences, head and tail of all candidates."""
    heads: Counter[str] = Counter()
    tails: Counter[str] = Counter()
    for (head, tail), times in tuples.items():
        heads[head] += times
        tails[tail] += times
        yield "reverse", times, tail, head
    for (head, tail), times in tuples.items():
        for other, more in heads.items():
            if other != head:
                yield "random-head", times * more, other, tail
        step()
        for other, more in tails.items():
            if other != tail:
                yield "random-tail", times * more, head, other
        step()
    for words in (heads, tails):
        for first, times in words.items():
            for second, more in words.items():
                if first != second:
                    yield "type", times * more, first, second
            step()
