"""Semantics of the time worlds: events have a start and a later end, and two may share them.
References: J. F. Allen, Maintaining knowledge about temporal intervals, Communications of the ACM
26 (1983); M. B. Vilain, A system for reasoning about time, Proceedings of AAAI (1982), has the
relations of instants and intervals.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations, combinations_with_replacement

from ..semantics import Situation, chain_names

Interval = tuple[int, int]
"""A start and an end; equal for an instant."""

# (x, r, y), "y is r of x", holds iff y's start compares so with x's start, y's end with x's end,
# y's start with x's end, and y's end with x's start: 1 for later, 0 for the same, -1 for earlier.
RELATIONS: dict[tuple[int, int, int, int], str] = {
    (-1, -1, -1, -1): "before",
    (1, 1, 1, 1): "after",
    (-1, -1, -1, 0): "meets",
    (1, 1, 0, 1): "met-by",
    (-1, -1, -1, 1): "overlaps",
    (1, 1, -1, 1): "overlapped-by",
    (0, -1, -1, 1): "starts",
    (0, 1, -1, 1): "started-by",
    (1, -1, -1, 1): "during",
    (-1, 1, -1, 1): "contains",
    (1, 0, -1, 1): "finishes",
    (-1, 0, -1, 1): "finished-by",
    (0, 0, -1, 1): "equals",
}


# (x, r, y), "y is r of x": by which of x and y are instants, as above by how y's start
# compares with x's start, y's end with x's end, y's start with x's end and y's end with x's start.
_INSTANTS: dict[tuple[bool, bool], dict[tuple[int, int, int, int], str]] = {
    (True, True): {
        (-1, -1, -1, -1): "earlier",
        (1, 1, 1, 1): "later",
        (0, 0, 0, 0): "at-once",
    },
    (False, True): {
        (-1, -1, -1, -1): "ahead",
        (0, -1, -1, 0): "opens",
        (1, -1, -1, 1): "amid",
        (1, 0, 0, 1): "closes",
        (1, 1, 1, 1): "past",
    },
    (True, False): {
        (1, 1, 1, 1): "begins-after",
        (0, 1, 0, 1): "opened-by",
        (-1, 1, -1, 1): "around",
        (-1, 0, -1, 0): "closed-by",
        (-1, -1, -1, -1): "ends-before",
    },
}


def relation(x: Interval, y: Interval) -> str:
    """Return the relation of y to x: exactly one holds between two intervals or instants."""
    kinds = x[0] == x[1], y[0] == y[1]
    pairs = ((y[0], x[0]), (y[1], x[1]), (y[0], x[1]), (y[1], x[0]))
    start, end, start_to_end, end_to_start = ((a > b) - (a < b) for a, b in pairs)
    table = _INSTANTS[kinds] if any(kinds) else RELATIONS
    return table[start, end, start_to_end, end_to_start]


@dataclass(frozen=True, eq=False)
class IntervalSemantics:
    """Relations, interpreted in time lines.

    Why its situations suffice is in docs/time.md.
    """

    predicates: frozenset[str]
    instants: bool = False
    """True if there are instants beside intervals."""

    @cache  # noqa: B019 - one instance, lives forever
    def situations(self, chain: tuple[str, ...], *, closed: bool = False) -> tuple[Situation, ...]:
        """Return all arrangements of the chain's events, each once."""
        names = chain_names(len(chain), closed=closed)
        events = len(chain) + (not closed)
        pairs = combinations_with_replacement if self.instants else combinations
        between = list(pairs(range(2 * events), 2))
        found = []
        for first in between:
            for intervals in self._walks((first,), chain, between, closed):
                ranks = {rank for interval in intervals for rank in interval}
                if ranks == set(range(len(ranks))):
                    found.append(intervals)
        return tuple(
            Situation(
                relations=frozenset(() if closed else {relation(intervals[0], intervals[-1])}),
                reverse_relations=frozenset(
                    () if closed else {relation(intervals[-1], intervals[0])}
                ),
                size=events,
                facts=tuple(
                    f"{name} lasts from {start} to {end}" if start < end else f"{name} is at {end}"
                    for name, (start, end) in zip(names, intervals, strict=True)
                ),
            )
            for intervals in found
        )

    def _walks(
        self,
        intervals: tuple[Interval, ...],
        chain: tuple[str, ...],
        between: list[Interval],
        closed: bool,
    ) -> Iterator[tuple[Interval, ...]]:
        if not chain:
            yield intervals
            return
        returning = closed and len(chain) == 1
        for interval in intervals[:1] if returning else between:
            if relation(intervals[-1], interval) == chain[0]:
                yield from self._walks((*intervals, interval), chain[1:], between, closed)


INTERVALS = IntervalSemantics(frozenset(RELATIONS.values()))
POINTS = IntervalSemantics(
    INTERVALS.predicates.union(*map(dict.values, _INSTANTS.values())), instants=True
)
