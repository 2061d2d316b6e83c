"""Print and plot word frequencies of right and wrong answers, by relation.

    python bench/frequency.py RESULT DATA FIGURE [--probe random]

RESULT has one model's result on DATA, the dataset. Right and wrong answers are compared by
Kolmogorov-Smirnov: over rows, as in the paper, a pair counts many times, which makes p too small;
over pairs it counts once. Frequency is log10; 3 means once in a million.

References: section 4 of Rezaee and Camacho-Collados, 2022; Chiang et al., 2020, for the harmonic
mean of two words' frequencies.
"""

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import isnan, log10, sqrt
from pathlib import Path
from statistics import median

from scipy.special import kolmogorov
from scipy.stats import ks_2samp
from wordfreq import word_frequency

from relsmith.dataset import Dataset
from relsmith.evaluation.papers.analogy.task import SUPERVISED, AnalogyTask, WordPair
from relsmith.evaluation.plots import drawing
from relsmith.evaluation.result import Result, load
from relsmith.storage import files


@dataclass(frozen=True)
class FrequencySplit:
    """Frequencies of the pairs of a relation, by right and wrong answers."""

    relation: str
    right: list[float]
    wrong: list[float]
    right_pairs: list[float]
    """Return each pair once: right if most of its answers are."""
    wrong_pairs: list[float]


def pair_frequency(pair: WordPair) -> float:
    """Return log10 of the harmonic mean of the words' frequencies, per thousand million words."""
    head, tail = map(_frequency, pair)
    return log10(max(1e-9, 2 * head * tail / (head + tail) if head and tail else 0.0)) + 9


@cache
def _frequency(word: str) -> float:
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
        raise SystemExit(f"{result.setup.label} has no supervised {probe} results")
    return [_split(relation, judged[relation]) for relation in sorted(judged)]


def _test(result: Result, folder: Path) -> int:
    """Return the index of the test set of a result that is this dataset."""
    digest = files.digest(Dataset(folder).folder / "manifest.json")
    for number, data in enumerate(result.setup.tests):
        if data.digest == digest:
            return number
    raise SystemExit(f"{folder} is not the dataset of {result.setup.label}")


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


def compare(right: Sequence[float], wrong: Sequence[float]) -> tuple[float, float] | None:
    """Return the Kolmogorov-Smirnov statistic and its asymptotic p value."""
    if not (right and wrong):
        return None
    distance = float(ks_2samp(right, wrong).statistic)
    size = len(right) * len(wrong) / (len(right) + len(wrong))
    return distance, float(kolmogorov(sqrt(size) * distance))


def draw_frequency(splits: Sequence[FrequencySplit], title: str, path: Path) -> None:
    """Draw, for each relation, the cumulative frequencies of right and of wrong rows."""
    wide = min(5, len(splits))
    high = -(-len(splits) // wide)
    layout = {"nrows": high, "ncols": wide, "figsize": (3 * wide, 2.2 * high + 0.8)}
    with drawing(path, sharex=True, sharey=True, **layout) as (figure, panels):
        for axes in panels.flat[len(splits) :]:
            axes.set_visible(False)
        for axes, split in zip(panels.flat, splits, strict=False):
            right, wrong = split.right, split.wrong
            sides = ((right, "tab:blue", "right"), (wrong, "tab:red", "wrong"))
            for values, colour, label in sides:
                if values:
                    axes.ecdf(values, color=colour, label=f"{label} ({len(values)})")
            tested = compare(right, wrong)
            below = f"\nD = {tested[0]:.2f}, p = {tested[1]:.2g}" if tested else ""
            axes.set_title(split.relation + below, fontsize=8)
            axes.legend(fontsize=6, frameon=False, loc="upper left")
            axes.grid(alpha=0.3)
        figure.suptitle(title, fontsize=10)
        figure.supxlabel("frequency of the offered pair (log10, per thousand million)", fontsize=9)
        figure.supylabel("share of rows", fontsize=9)


def main() -> None:
    """Print a line per relation, and draw the figure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    for name in ("result", "data", "figure"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--probe", default="random")
    asked = parser.parse_args()
    (result,) = load([asked.result], "analogies")
    found = splits(result, asked.data, asked.probe)
    print("relation", "D, rows", "p, rows", "D, pairs", "p, pairs", "right", "wrong", sep="\t")
    alike = [0, 0]
    for split in found:
        cells = [split.relation]
        both = ((split.right, split.wrong), (split.right_pairs, split.wrong_pairs))
        for number, sides in enumerate(both):
            tested = compare(*sides)
            alike[number] += tested is not None and tested[1] > 0.05
            cells += [f"{value:.3f}" for value in tested] if tested else ["", ""]
        cells += [f"{median(side):.3f}" if side else "" for side in both[0]]
        print("\t".join(cells))
    print(
        f"p is above 0.05 for {alike[0]} of {len(found)} relations over rows, and for {alike[1]} "
        f"over pairs; paper: over two thirds of 40, RoBERTa-large"
    )
    title = f"{asked.data.name}, {result.setup.label}, supervised {asked.probe}"
    draw_frequency(found, title, asked.figure)


if __name__ == "__main__":
    main()
