"""Accuracy by k with the dataset as the unit: each dataset holds out other clauses.

    python bench/clauses.py docs/results/evidence/clauses.json.gz [--against gat]

Prints the mean over datasets with its 95 % interval (Student's t), then the mean difference of each
model from one of them on the same datasets. Every dataset has one seed of each model, so an
interval covers held-out clauses, test rows and trainings.
"""

import argparse
from collections.abc import Iterator, Sequence
from math import sqrt
from pathlib import Path

import numpy as np
from scipy.stats import t

from relsmith.evaluation.result import Result, load


def accuracies(results: Sequence[Result]) -> dict[str, dict[int, np.ndarray]]:
    """Return for each model and k the accuracy on each dataset, ordered by dataset."""
    found: dict[str, dict[str, Result]] = {}
    for result in results:
        found.setdefault(result.setup.model, {})[result.setup.tests[0].name] = result
    datasets = sorted({name for by_name in found.values() for name in by_name})
    ks = results[0].setup.tests[0].column("k").values
    return {
        model: {
            k: np.array([mean(by_name[name], k) for name in datasets if name in by_name])
            for k in ks
        }
        for model, by_name in sorted(found.items())
    }


def mean(result: Result, k: int) -> float:
    """Return the accuracy of a result on the test rows of one k."""
    return float(result.sums("accuracy", 0, {"k": k})[0, :, 0].mean())


def cell(values: np.ndarray, sign: str = "") -> str:
    """Return the mean of the values and the half-width of its interval."""
    half = t.ppf(0.975, len(values) - 1) * values.std(ddof=1) / sqrt(len(values))
    return f"{values.mean():{sign}.2f} ±{half:.2f}"


def tables(found: dict[str, dict[int, np.ndarray]], against: str) -> Iterator[str]:
    """Yield the lines of both tables."""
    ks = list(next(iter(found.values())))
    head = [f"| model | {' | '.join(f'k={k}' for k in ks)} |", f"|{' --- |' * (len(ks) + 1)}"]
    yield f"**mean accuracy over {len(next(iter(found.values()))[ks[0]])} datasets**\n"
    yield from head
    for model, by_k in found.items():
        yield f"| {model} | {' | '.join(map(cell, by_k.values()))} |"
    yield f"\n**difference from {against} on the same datasets**\n"
    yield from head
    for model, by_k in found.items():
        if model != against:
            cells = [cell(by_k[k] - found[against][k], "+") for k in ks]
            yield f"| {model} | {' | '.join(cells)} |"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("results", type=Path, nargs="+")
    parser.add_argument("--against", default="gat")
    arguments = parser.parse_args()
    print("\n".join(tables(accuracies(load(arguments.results)), arguments.against)))


if __name__ == "__main__":
    main()
