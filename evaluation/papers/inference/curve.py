"""Precision-recall curves, and figure 2 of Levy and Dagan, 2016."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy import ndarray

from ...plots import drawing, look
from ...report import tests_of
from ...result import Result
from ...statistics import Estimate, Sample


@dataclass(frozen=True, eq=False)
class Curve:
    """A point for each distinct score, highest first; pairs with equal scores enter together."""

    predicted: ndarray
    """Number of pairs predicted as implied."""
    right: ndarray
    """Number of these that are implied."""
    implied: float

    @classmethod
    def of(cls, scores: ndarray, implied: ndarray) -> "Curve":
        """Rank pairs by score; pairs without a finite score are never predicted as implied."""
        sure = np.flatnonzero(np.isfinite(scores))
        order = sure[np.argsort(-scores[sure], kind="stable")]
        last = np.append(np.diff(scores[order]) != 0, True)[: len(order)]
        predicted, right = np.arange(1, len(order) + 1)[last], implied[order].cumsum()[last]
        return cls(predicted, right, float(implied.sum()))

    @property
    def precisions(self) -> ndarray:
        """Precision at each point; 0 if nothing is predicted."""
        return self.right / self.predicted.clip(1)

    @property
    def recalls(self) -> ndarray:
        """Recall at each point; 0 if no pair is implied."""
        return self.right / max(self.implied, 1)

    def area(self, above: float = 0.5) -> float:
        """Return the area under the part with at least this precision.

        Every gain in recall counts with its precision, as in average precision.
        """
        gains = np.diff(self.recalls, prepend=0) * self.precisions
        return float(gains[self.precisions >= above].sum())

    def recall_at(self, precision: float) -> float:
        """Return the highest recall with at least this precision; 0 if there is none."""
        return float(self.recalls[self.precisions >= precision].max(initial=0))


class PairCounts(NamedTuple):
    """Numbers of pairs: all, implied, predicted as implied, and rightly so."""

    pairs: int
    implied: int
    taken: int
    right: int


def counts(result: Result, test: int = 0, run: int = 0) -> PairCounts:
    """Count the pairs of a test, with the predictions of one seed."""
    numbers = [result.of_rows(name, test)[run] for name in PairCounts._fields[1:]]
    return PairCounts(
        result.setup.tests[test].rows, *(int(np.nansum(column)) for column in numbers)
    )


def curve(result: Result, test: int = 0, run: int = 0) -> Curve:
    """Return the precision-recall curve of a seed."""
    return Curve.of(*_ranks(result, test)[run].T)


def ranking(result: Result, test: int = 0) -> list[Estimate]:
    """Estimate the area above precision 0.5 and the highest recall at precision 0.8."""

    def figures(pairs: Any) -> tuple[float, float]:
        drawn = Curve.of(*pairs.T)
        return drawn.area(0.5), drawn.recall_at(0.8)

    data = result.setup.tests[test]
    keys = data.sampling.keys(np.ones(data.rows, bool))
    samples = Sample.bootstrap(_ranks(result, test), keys, figures)
    return [sample.estimate() for sample in samples]


def _ranks(result: Result, test: int) -> Any:
    """Return score (-inf if there is none) and label of each pair: seeds x pairs x 2."""
    ranks = np.stack([result.of_rows(name, test) for name in ("score", "implied")], -1)
    return np.where(np.isnan(ranks), -np.inf, ranks)


def by_component_count(results: Sequence[Result]) -> list[Result]:
    """Sort results by the number of components, then by name."""
    return sorted(results, key=lambda result: (result.setup.label.count(" + "), result.setup.label))


def draw(results: Sequence[Result], path: Path) -> None:
    """Draw a panel per set of pairs and a curve per seed; methods with few scores are points."""
    sets = tests_of(by_component_count(results))
    with drawing(path, ncols=len(sets), figsize=(8 * len(sets), 5.5)) as (_, (panels,)):
        for axes, ((_, name), tests) in zip(panels, sets.items(), strict=True):
            pairs, implied, *_ = counts(*tests[0])
            for number, (result, test) in enumerate(tests):
                for run in range(len(result.runs)):
                    _draw_method(axes, result, test, run, number)
            every = implied / pairs
            axes.axhline(every, color="0.6", linewidth=0.9, linestyle=":")
            axes.annotate("every pair", (0.01, every), va="bottom", fontsize=7, color="0.4")
            axes.set(xlabel="recall", ylabel="precision", xlim=(0, 1.01), ylim=(0, 1.02))
            axes.set_title(f"{name}: {implied} of {pairs} pairs are implied", fontsize=10)
            axes.grid(alpha=0.3)
            axes.legend(frameon=False, fontsize=8, loc="upper right")


def _draw_method(axes: Any, result: Result, test: int, run: int, number: int) -> None:
    """Draw the curve of a seed, and the point of the method's own threshold."""
    drawn = curve(result, test, run)
    few = len(drawn.predicted) < 10
    style = look(number) | {"linewidth": 1.4}
    marker = style["marker"] if few else None
    label = result.setup.label if not run else None
    axes.plot(drawn.recalls, drawn.precisions, label=label, **style | {"marker": marker})
    _, implied, predicted, right = counts(result, test, run)
    if not few and predicted and implied:
        axes.plot(right / implied, right / predicted, "o", color=style["color"], markersize=5)
