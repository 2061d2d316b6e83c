"""Effect of repeated words on unsupervised analogies.

    python bench/shared_words.py DATA/bats docs/results/analogy/bats.json.gz

Counts the test rows of `random` and `mismatch` by whether the false pair shares a word with the
query or the right pair, and the right pair one with the query, in the same position; prints the
accuracy of each result on them, and that of a reader of supervised `random` who answers false if a
word of the query is repeated. Models without unsupervised answers are left out.
"""

import argparse
from collections import defaultdict
from pathlib import Path
from statistics import mean

import numpy as np

from relsmith.evaluation.papers.analogy.task import AnalogyTask, WordPair
from relsmith.evaluation.result import load

PROBES = ("random", "mismatch")


def alike(one: WordPair, other: WordPair) -> bool:
    """Return whether two pairs share a word in the same position."""
    return one[0] == other[0] or one[1] == other[1]


def main() -> None:
    """Print a line per kind of row."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("results", type=Path, nargs="+")
    arguments = parser.parse_args()
    rows = AnalogyTask().read(arguments.data, "test").rows
    kinds: dict[tuple[str, bool, bool, bool], list[int]] = defaultdict(list)
    told: dict[str, list[bool]] = defaultdict(list)
    for number, row in enumerate(rows):
        if row.supervised and row.labels.probe == "random":
            told[row.labels.relation].append(alike(row.judged_pair, row.query) != bool(row.target))
        elif not row.supervised and row.labels.probe in PROBES:
            (wrong,) = (pair for pair in row.candidates if pair != row.judged_pair)
            shared = (
                alike(wrong, row.query),
                alike(wrong, row.judged_pair),
                alike(row.judged_pair, row.query),
            )
            kinds[row.labels.probe, *shared].append(number)
    print("probe: false - query, false - right, right - query: rows, per cent right")
    results = {result.setup.label: result.numbers[0][0, :, 0] for result in load(arguments.results)}
    for (probe, *shared), numbers in sorted(kinds.items(), reverse=True):
        words = ", ".join("yes" if each else "no" for each in shared)
        right = {label: 100 * np.mean(answers[numbers]) for label, answers in results.items()}
        said = ", ".join(f"{label} {value:.1f}" for label, value in right.items() if value >= 0)
        print(f"{probe}: {words}: {len(numbers)}, {said}")
    print(f"by a repeated word: {100 * mean(mean(each) for each in told.values()):.1f}")


if __name__ == "__main__":
    main()
