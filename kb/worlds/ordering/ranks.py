"""Semantics of the ordering world: everybody has a rank in each dimension, and two may share it.

References: the consequences of comparisons are the point algebra of M. Vilain and H. Kautz,
Constraint propagation algorithms for temporal reasoning, AAAI 1986, without "different from".
"""

from collections.abc import Callable
from functools import cache
from itertools import pairwise, product
from operator import eq, ge, gt, le, lt

from ..semantics import Situation, chain_names

DIMENSIONS: dict[str, tuple[str, str, str]] = {
    "height": ("taller", "shorter", "as-tall"),
    "age": ("older", "younger", "as-old"),
    "speed": ("faster", "slower", "as-fast"),
    "strength": ("stronger", "weaker", "as-strong"),
}
"""By dimension, the predicates for more, less and as much."""

COMPARISONS: dict[str, tuple[str, Callable[[int, int], bool]]] = {
    name: (dimension, holds)
    for dimension, (more, less, same) in DIMENSIONS.items()
    for name, holds in (
        *((more, gt), (less, lt), (same, eq)),
        *((f"not-{more}", le), (f"not-{less}", ge)),
    )
}
"""By predicate, its dimension, and how the rank of y compares with that of x."""

Ranking = tuple[int, ...]
"""Rank of each person in one dimension, from 0 without gaps."""


@cache
def all_rankings(people: int) -> tuple[Ranking, ...]:
    """Return all rankings of a number of people, ties included."""
    return tuple(
        ranks
        for ranks in product(range(people), repeat=people)
        if set(ranks) == set(range(max(ranks) + 1))
    )


class RankSemantics:
    """Comparatives, interpreted in rankings, one for each dimension.

    Why its situations suffice: predicates only compare ranks of one dimension. Of n people there
    are n ranks at most, and all ways to rank them are tried in each dimension. Dimensions have
    nothing to do with each other, so a head fails somewhere if and only if it fails in some
    ranking of its own dimension, whatever the others are like: each ranking stands in one
    situation at least, beside some ranking of the others.
    """

    predicates = frozenset(COMPARISONS)

    @cache  # noqa: B019 - one instance, lives forever
    def situations(self, chain: tuple[str, ...], *, closed: bool = False) -> tuple[Situation, ...]:
        """Return rankings of a chain's people, each in at least one situation."""
        people = len(chain) + (not closed)
        names = chain_names(len(chain), closed=closed)
        last = 0 if closed else people - 1
        fitting = [
            _satisfying_rankings(dimension, chain, people, closed) for dimension in DIMENSIONS
        ]
        if not all(fitting):
            return ()
        situations = []
        for number in range(max(map(len, fitting))):
            ranks = {
                dimension: rankings[number % len(rankings)]
                for dimension, rankings in zip(DIMENSIONS, fitting, strict=True)
            }
            situations.append(
                Situation(
                    relations=_between(ranks, 0, last),
                    reverse_relations=_between(ranks, last, 0),
                    size=people,
                    facts=tuple(
                        f"{dimension}: {_format_ranking(order, names)}"
                        for dimension, order in ranks.items()
                    ),
                )
            )
        return tuple(situations)


def _satisfying_rankings(
    dimension: str, chain: tuple[str, ...], people: int, closed: bool
) -> list[Ranking]:
    """Return the rankings in a dimension that satisfy the chain."""
    wanted = [
        (x, 0 if closed and x == people - 1 else x + 1, COMPARISONS[name][1])
        for x, name in enumerate(chain)
        if COMPARISONS[name][0] == dimension
    ]
    return [
        order
        for order in all_rankings(people)
        if all(holds(order[y], order[x]) for x, y, holds in wanted)
    ]


def _between(ranks: dict[str, Ranking], x: int, y: int) -> frozenset[str]:
    if x == y:
        return frozenset()
    return frozenset(
        name
        for name, (dimension, holds) in COMPARISONS.items()
        if holds(ranks[dimension][y], ranks[dimension][x])
    )


def _format_ranking(order: Ranking, names: tuple[str, ...]) -> str:
    """Format a ranking from the least on, as in X < Z = Y."""
    steps = sorted(zip(order, names, strict=False))
    text = steps[0][1]
    for (rank, _), (following, name) in pairwise(steps):
        text += f" {'=' if rank == following else '<'} {name}"
    return text


RANKS = RankSemantics()
