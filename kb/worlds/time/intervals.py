"""Semantics of the time worlds: events have a start and a later end, and two may share them.
References: J. F. Allen, Maintaining knowledge about temporal intervals, Communications of the ACM
26 (1983); M. B. Vilain, A system for reasoning about time, Proceedings of AAAI (1982), has the
relations of instants and intervals.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations, combinations_with_replacement

from ....tables import load_tables
from ..semantics import Situation, chain_names

Interval = tuple[int, int]
"""A start and an end; equal for an instant."""


def _relations(section: str) -> dict[tuple[int, ...], str]:
    table = load_tables(__package__, "intervals.yaml")[section]
    return {tuple(signs): name for name, signs in table.items()}


RELATIONS = _relations("intervals")
_INSTANTS = {
    (True, True): _relations("instants"),
    (False, True): _relations("instant of interval"),
    (True, False): _relations("interval of instant"),
}
"""Relations by which of x and y are instants."""


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
