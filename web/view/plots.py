"""Counts as plots: bars in tables, and columns for lengths."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...flat_metadata import Scalar
from .search import ordered, word

_MOST_BARS = 30
_MOST_COLUMNS = 40


class Bar(NamedTuple):
    """A value, and for each dataset how often it occurs and what share of its rows that is."""

    value: str
    counts: Sequence[int]
    shares: Sequence[float]


class Bars(NamedTuple):
    """A table of bars; `longest` is the largest share, `rarer` how many values are left out.

    Where nearly every row has a value of its own there are no bars.
    """

    name: str
    bars: Sequence[Bar]
    longest: float
    rarer: int


def bars(name: str, counts: Sequence[Mapping[Scalar, int]]) -> Bars:
    """Counts of one label in some datasets: numbers by size, words by how often they occur."""
    totals = [sum(table.values()) or 1 for table in counts]
    values = {value for table in counts for value in table}
    often = {value: sum(table.get(value, 0) for table in counts) for value in values}
    if len(values) > max(_MOST_BARS, sum(often.values()) / 2):
        return Bars(name, [], 1, len(values))
    listed = ordered(values)
    if any(isinstance(value, str) for value in values):
        listed.sort(key=lambda value: -often[value])
    drawn = [
        Bar(
            word(value),
            [table.get(value, 0) for table in counts],
            [table.get(value, 0) / total for table, total in zip(counts, totals, strict=True)],
        )
        for value in listed[:_MOST_BARS]
    ]
    longest = max((share for bar in drawn for share in bar.shares), default=0) or 1
    return Bars(name, drawn, longest, len(listed) - len(drawn))


class Column(NamedTuple):
    """Rows of `low` to `high` words: for each dataset their count and share."""

    low: int
    high: int
    counts: Sequence[int]
    shares: Sequence[float]


@dataclass(frozen=True)
class Columns:
    """Lengths as columns, the highest share, and the mean of each dataset."""

    columns: Sequence[Column]
    highest: float
    means: Sequence[float]


def columns(counts: Sequence[Mapping[int, int]]) -> Columns:
    """Lengths, in bins of equal width."""
    every = {value for table in counts for value in table}
    low, high = min(every, default=0), max(every, default=0)
    size = max(1, -(-(high - low + 1) // _MOST_COLUMNS))
    totals = [sum(table.values()) or 1 for table in counts]
    drawn = []
    for start in range(low, high + 1, size):
        bins = [
            sum(often for value, often in table.items() if start <= value < start + size)
            for table in counts
        ]
        shares = [count / total for count, total in zip(bins, totals, strict=True)]
        drawn.append(Column(start, start + size - 1, bins, shares))
    means = [
        sum(value * often for value, often in table.items()) / total
        for table, total in zip(counts, totals, strict=True)
    ]
    highest = max((share for column in drawn for share in column.shares), default=0) or 1
    return Columns(drawn, highest, means)
