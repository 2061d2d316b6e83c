"""Semantics of events and instants.

References: M. B. Vilain, A system for reasoning about time, Proceedings of AAAI (1982), has the
relations of instants and intervals.
"""

from . import intervals
from .intervals import Interval, IntervalSemantics

# (x, r, y), "y is r of x": by which of x and y are instants, as in intervals.py by how y's start
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
    """Return the relation of y to x, of those between two such things."""
    kinds = x[0] == x[1], y[0] == y[1]
    if not any(kinds):
        return intervals.relation(x, y)
    pairs = ((y[0], x[0]), (y[1], x[1]), (y[0], x[1]), (y[1], x[0]))
    start, end, start_to_end, end_to_start = ((a > b) - (a < b) for a, b in pairs)
    return _INSTANTS[kinds][start, end, start_to_end, end_to_start]


POINTS = IntervalSemantics(
    relation,
    intervals.INTERVALS.predicates.union(*map(dict.values, _INSTANTS.values())),
    instants=True,
)
