"""Whether rare words are what goes wrong: frequencies of right and of wrong answers.

References: section 4 of Rezaee and Camacho-Collados, 2022; Chiang et al., 2020, for the harmonic
mean of two words' frequencies.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import exp, log10, sqrt
from pathlib import Path
from statistics import median

from ...errors import InvalidOption, MissingExtra, NotFound, install
from ..table import Figure, Line, Table
from .results import Cell, Result
from .rows import SUPERVISED, Pair, Rows


@dataclass(frozen=True)
class Split:
    """A relation's frequencies, of what was answered rightly and of what was not."""

    relation: str
    right: list[float]
    wrong: list[float]
    right_pairs: list[float]
    """Each offered pair once, where it was judged rightly more often than not."""
    wrong_pairs: list[float]


def kolmogorov_smirnov(first: Sequence[float], second: Sequence[float]) -> tuple[float, float]:
    """The largest distance between two distributions, and how likely it is if they are the same.

    The probability is the asymptotic one, good for some dozens of values and more.
    """
    left, right = sorted(first), sorted(second)
    left_below, right_below, distance = 0, 0, 0.0
    while left_below < len(left) and right_below < len(right):
        value = min(left[left_below], right[right_below])
        while left_below < len(left) and left[left_below] == value:
            left_below += 1
        while right_below < len(right) and right[right_below] == value:
            right_below += 1
        distance = max(distance, abs(left_below / len(left) - right_below / len(right)))
    size = len(left) * len(right) / (len(left) + len(right))
    return distance, _kolmogorov(sqrt(size) * distance)


def _kolmogorov(x: float) -> float:
    """The probability that the limiting statistic is larger."""
    if x < 0.2:
        return 1.0
    signs = (1.0, -1.0) * 50
    total = 2 * sum(sign * exp(-2 * (k * x) ** 2) for k, sign in enumerate(signs, 1))
    return min(1.0, max(0.0, total))


def pair_frequency(pair: Pair) -> float:
    """The harmonic mean of the two words' frequencies, as a logarithm: per thousand million."""
    head, tail = map(_frequency, pair)
    return log10(max(1e-9, 2 * head * tail / (head + tail) if head and tail else 0.0)) + 9


@cache
def _frequency(word: str) -> float:
    try:
        from wordfreq import word_frequency
    except ImportError as error:
        raise MissingExtra(f"word frequencies need {error.name}: {install('analogy')}") from None
    return float(word_frequency(word, "en"))


def splits(result: Result, folder: Path, probe: str = "random") -> list[Split]:
    """The frequencies of each relation, by the answers of the first seed."""
    rows = Rows(folder, result.setup.test.split)
    cells = [cell for cell in result.cells if (cell.setting, cell.probe) == (SUPERVISED, probe)]
    if not cells:
        raise NotFound(
            f"{result.setup.label} has no supervised {probe} results; "
            f"make some with gen eval {folder}"
        )
    return [_split(cell, rows) for cell in cells]


def _split(cell: Cell, rows: Rows) -> Split:
    offered = [row.right for row in rows.by_key[cell.key]]
    answers = cell.runs[0].answered(cell.rows)
    frequency = {pair: pair_frequency(pair) for pair in offered}
    balance: dict[Pair, int] = {}
    for pair, right in zip(offered, answers, strict=True):
        balance[pair] = balance.get(pair, 0) + (1 if right else -1)
    judged = list(zip(offered, answers, strict=True))
    return Split(
        cell.relation,
        [frequency[pair] for pair, right in judged if right],
        [frequency[pair] for pair, right in judged if not right],
        [frequency[pair] for pair, more in balance.items() if more > 0],
        [frequency[pair] for pair, more in balance.items() if more <= 0],
    )


def check_dataset(result: Result, folder: Path, digest: str) -> None:
    """Refuse a dataset that the result is not of."""
    if digest != result.setup.test.manifest:
        raise InvalidOption(
            f"--data: {folder} is not the dataset of {result.setup.label} "
            f"({result.setup.test.dataset}, manifest {result.setup.test.manifest[:12]}); "
            f"give that one"
        )


def table(title: str, splits: Sequence[Split]) -> Table:
    """Distance and probability for each relation, over rows as in the paper, and over pairs."""
    lines = [_line(split) for split in splits]
    alike = [line for line in lines if line.cells[1] and line.cells[1][0] > 0.05]
    pairs = [line for line in lines if line.cells[3] and line.cells[3][0] > 0.05]
    note = (
        f"p is above 0.05 for {len(alike)} of {len(lines)} relations over rows, and for "
        f"{len(pairs)} over pairs; paper: over two thirds of 40, RoBERTa-large. Rows repeat "
        f"pairs, so that p over rows is too small; frequency is a logarithm, 3 is once in a million"
    )
    return Table(title, list(_COLUMNS), lines, note, 3, "relation")


_COLUMNS = (
    "D, rows",
    "p, rows",
    "D, pairs",
    "p, pairs",
    "frequency where right",
    "frequency where wrong",
)


def _line(split: Split) -> Line:
    cells: list[Figure | None] = []
    for right, wrong in ((split.right, split.wrong), (split.right_pairs, split.wrong_pairs)):
        tested = kolmogorov_smirnov(right, wrong) if right and wrong else None
        cells += [(tested[0], 0.0), (tested[1], 0.0)] if tested else [None, None]
    cells += [(median(side), 0.0) if side else None for side in (split.right, split.wrong)]
    return Line(split.relation, False, cells, [None] * len(cells))
