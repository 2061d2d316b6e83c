"""Word frequencies of right and of wrong answers, to see whether errors are due to rare words.

References: section 4 of Rezaee and Camacho-Collados, 2022; Chiang et al., 2020, for the harmonic
mean of two words' frequencies.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import isnan, log10
from pathlib import Path
from statistics import median

from ....dataset import Dataset
from ....errors import InvalidOption, MissingExtra, NotFound, install_command
from ....storage import files
from ...report import Table, TableRow
from ...result import Result
from ...statistics import Estimate, exact, kolmogorov_smirnov
from .task import SUPERVISED, AnalogyTask, WordPair


@dataclass(frozen=True)
class FrequencySplit:
    """The frequencies of a relation's pairs, of right and of wrong answers."""

    relation: str
    right: list[float]
    wrong: list[float]
    right_pairs: list[float]
    """Each pair once, if more of its answers are right than wrong."""
    wrong_pairs: list[float]


def pair_frequency(pair: WordPair) -> float:
    """Return log10 of the harmonic mean of the words' frequencies, per thousand million words."""
    head, tail = map(_frequency, pair)
    return log10(max(1e-9, 2 * head * tail / (head + tail) if head and tail else 0.0)) + 9


@cache
def _frequency(word: str) -> float:
    try:
        from wordfreq import word_frequency
    except ImportError as error:
        raise MissingExtra(
            f"word frequencies need {error.name}: {install_command('analogy')}"
        ) from None
    return float(word_frequency(word, "en"))


def splits(result: Result, folder: Path, probe: str = "random") -> list[FrequencySplit]:
    """Return the frequencies of each relation, by the answers of the first seed."""
    number = _test(result, folder)
    data = result.setup.tests[number]
    rows = AnalogyTask().read(folder, str(data.split)).rows
    selected = data.mask({"setting": SUPERVISED, "probe": probe})
    judged: dict[str, list[tuple[WordPair, bool]]] = {}
    for row, wanted, right in zip(
        rows, selected, result.sums("accuracy", number)[0, :, 0], strict=True
    ):
        if wanted and not isnan(right):
            judged.setdefault(row.labels.relation, []).append((row.judged_pair, bool(right)))
    if not judged:
        raise NotFound(
            f"{result.setup.label} has no supervised {probe} results; "
            f"make some with gen eval {folder}"
        )
    return [_split(relation, judged[relation]) for relation in sorted(judged)]


def _test(result: Result, folder: Path) -> int:
    """Return the index of the test set of a result that is this dataset."""
    digest = files.digest(Dataset(folder).folder / "manifest.json")
    for number, data in enumerate(result.setup.tests):
        if data.digest == digest:
            return number
    listed = " or ".join(f"{data.name}, manifest {data.digest[:12]}" for data in result.setup.tests)
    raise InvalidOption(
        f"data: {folder} is not the dataset of {result.setup.label} ({listed}); give that one"
    )


def _split(relation: str, judged: Sequence[tuple[WordPair, bool]]) -> FrequencySplit:
    frequency = {pair: pair_frequency(pair) for pair, _ in judged}
    balance = Counter[WordPair]()
    for pair, right in judged:
        balance[pair] += 1 if right else -1
    return FrequencySplit(
        relation,
        [frequency[pair] for pair, right in judged if right],
        [frequency[pair] for pair, right in judged if not right],
        [frequency[pair] for pair, more in balance.items() if more > 0],
        [frequency[pair] for pair, more in balance.items() if more <= 0],
    )


def table(title: str, splits: Sequence[FrequencySplit]) -> Table:
    """Make the table of the tests of each relation, over rows as in the paper and over pairs."""
    lines = [_line(split) for split in splits]
    alike = [line for line in lines if line.cells[1] and line.cells[1].mean > 0.05]
    pairs = [line for line in lines if line.cells[3] and line.cells[3].mean > 0.05]
    note = (
        f"p is above 0.05 for {len(alike)} of {len(lines)} relations over rows, and for "
        f"{len(pairs)} over pairs; paper: over two thirds of 40, RoBERTa-large. Rows repeat "
        f"pairs, so p over rows is too small; frequency is log10, 3 means once in a million"
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


def _line(split: FrequencySplit) -> TableRow:
    cells: list[Estimate | None] = []
    for right, wrong in ((split.right, split.wrong), (split.right_pairs, split.wrong_pairs)):
        tested = kolmogorov_smirnov(right, wrong) if right and wrong else (None, None)
        cells += [None if value is None else exact(value) for value in tested]
    cells += [exact(median(side)) if side else None for side in (split.right, split.wrong)]
    return TableRow(split.relation, False, cells, [None] * len(cells))
