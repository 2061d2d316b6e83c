"""Print the share of true pairs among the negatives of the paper's procedure, over all candidates.

    python bench/relations/audit.py PATH

PATH is a relation file or a folder of them, such as BATS, or `shipped`.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from relsmith.kb.relations import Extension, Pair, Relation, load

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


def audit(relation: Relation) -> Rates:
    """Count over all ordered pairs of tuples, every listed answer a tuple, repeated ones too.

    Random-head is (h_j, t_i) with another head, random-tail (h_i, t_j) with another tail, reverse
    (t_j, h_j) of any tuple, type two different heads or two different tails. A candidate is true
    if the relation lists it, either way round where it is symmetric.
    """
    holds = Extension(relation).holds
    candidates = dict.fromkeys(STRATEGIES, 0)
    true = dict.fromkeys(STRATEGIES, 0)
    for strategy, weight, head, tail in _candidates(Counter(relation.listed)):
        candidates[strategy] += weight
        true[strategy] += weight * holds(head, tail)
    return Rates(relation, candidates, true)


def _candidates(tuples: Counter[Pair]) -> Iterator[tuple[str, int, str, str]]:
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
        for other, more in tails.items():
            if other != tail:
                yield "random-tail", times * more, head, other
    for words in (heads, tails):
        for first, times in words.items():
            for second, more in words.items():
                if first != second:
                    yield "type", times * more, first, second


def main() -> None:
    """Print a line for each relation, and the means."""
    rates = [audit(relation) for relation in load(sys.argv[1])]
    print("\t".join(["relation", *STRATEGIES]))
    for rate in rates:
        shares = (f"{100 * rate.share(strategy):.1f} %" for strategy in STRATEGIES)
        print("\t".join([rate.relation.name, *shares]))
    means = (sum(rate.share(strategy) for rate in rates) / len(rates) for strategy in STRATEGIES)
    print("\t".join(["mean", *(f"{100 * mean:.1f} %" for mean in means)]))


if __name__ == "__main__":
    main()
