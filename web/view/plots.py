"""Plots of counts: tables of bars, and histograms of lengths."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...flat_metadata import Scalar
from .search import sort_values, word

_MAX_BARS = 30
_MAX_COLUMNS = 40


class Bar(NamedTuple):
    """A value with its count and share in each dataset."""

    value: str
    counts: Sequence[int]
    shares: Sequence[float]


class BarTable(NamedTuple):
    """A table of bars; `longest` is the largest share, `rarer` the number of omitted values.

    There are no bars if nearly every row has a different value.
    """

    name: str
    bars: Sequence[Bar]
    longest: float
    rarer: int


def bars(name: str, counts: Sequence[Mapping[Scalar, int]]) -> BarTable:
    """Return the bars of one label: numbers sorted by value, words by frequency."""
    totals = [sum(table.values()) or 1 for table in counts]
    values = {value for table in counts for value in table}
    frequency = {value: sum(table.get(value, 0) for table in counts) for value in values}
    if len(values) > max(_MAX_BARS, sum(frequency.values()) / 2):
        return BarTable(name, [], 1, len(values))
    listed = sort_values(values)
    if any(isinstance(value, str) for value in values):
        listed.sort(key=lambda value: -frequency[value])
    drawn = [
        Bar(
            word(value),
            [table.get(value, 0) for table in counts],
            [table.get(value, 0) / total for table, total in zip(counts, totals, strict=True)],
        )
        for value in listed[:_MAX_BARS]
    ]
    longest = max((share for bar in drawn for share in bar.shares), default=0) or 1
    return BarTable(name, drawn, longest, len(listed) - len(drawn))


class HistogramBin(NamedTuple):
    """The count and share of rows with `low` to `high` words in each dataset."""

    low: int
    high: int
    counts: Sequence[int]
    shares: Sequence[float]


@dataclass(frozen=True)
class Histogram:
    """A histogram, its highest share, and the mean of each dataset."""

    columns: Sequence[HistogramBin]
    highest: float
    means: Sequence[float]


def columns(counts: Sequence[Mapping[int, int]]) -> Histogram:
    """Return a histogram of lengths with bins of equal width."""
    every = {value for table in counts for value in table}
    low, high = min(every, default=0), max(every, default=0)
    size = max(1, -(-(high - low + 1) // _MAX_COLUMNS))
    totals = [sum(table.values()) or 1 for table in counts]
    drawn = []
    for start in range(low, high + 1, size):
        bins = [
            sum(frequency for value, frequency in table.items() if start <= value < start + size)
            for table in counts
        ]
        shares = [count / total for count, total in zip(bins, totals, strict=True)]
        drawn.append(HistogramBin(start, start + size - 1, bins, shares))
    means = [
        sum(value * frequency for value, frequency in table.items()) / total
        for table, total in zip(counts, totals, strict=True)
    ]
    highest = max((share for column in drawn for share in column.shares), default=0) or 1
    return Histogram(drawn, highest, means)
