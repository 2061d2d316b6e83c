"""Consistency of models on sibling rows, which differ in one controlled way."""

from collections.abc import Sequence

import numpy as np
from numpy import ndarray

from ..errors import NotFound
from .report import Table, line, ordered, tests_of, with_notes
from .result import DataInfo, Result
from .statistics import Estimate, Sample

_ALL = "all changes"


def consistency(results: Sequence[Result]) -> list[Table]:
    """Make three tables per test, by perturbation: accuracy, same answer as the first, both right.

    In the last column all rows of a group count as one.
    """
    tables = []
    for (trained, tested), pairs in tests_of(ordered(results)).items():
        data = pairs[0][0].setup.tests[pairs[0][1]]
        changes = _changes(data)
        title = f"on {tested}" + (f", trained on {trained}" if trained else "")
        for what, heads, cells in (
            ("accuracy", ["first", *changes], _accuracy),
            ("answered as the first is", [*changes, _ALL], _alike),
            ("first and sibling right", [*changes, _ALL], _both_right),
        ):
            lines = [
                line(result, cells(_Siblings(result, test), changes))
                for result, test in pairs
                if cells is not _alike or "alike" in result.columns
            ]
            if lines:
                tables.append(Table(f"{what}, {title}", heads, lines))
    return with_notes(tables, results)


def _changes(data: DataInfo) -> list[str]:
    """Return the perturbations of a test set."""
    told = {"perturbation", "group"} <= data.columns.keys()
    changes = [str(value) for value in data.columns["perturbation"].values if value] if told else []
    if not changes:
        raise NotFound(
            f"the rows of {data.label} have no siblings; make some with gen clutrr --siblings"
        )
    return changes


class _Siblings:
    """A test set by perturbation: seeds x groups; that of a first row is empty."""

    def __init__(self, result: Result, test: int) -> None:
        data = result.setup.tests[test]
        order = np.argsort(data.columns["group"].places, kind="stable")
        changes = data.columns["perturbation"]
        self.rows = {str(value): order[changes.where(value)[order]] for value in changes.values}
        self.clusters = data.sampling.clusters[self.rows[""]]
        self.result, self.test = result, test

    def column(self, name: str) -> dict[str, ndarray]:
        """Return a column by perturbation."""
        numbers = self.result.of_rows(name, self.test)
        return {change: numbers[:, rows] for change, rows in self.rows.items()}

    def share(self, values: ndarray) -> Estimate | None:
        """Estimate a mean over groups."""
        sample = Sample.of_means(values, self.clusters)
        return sample.estimate() if sample else None

    def each_and_all(self, some: Sequence[ndarray]) -> list[Estimate | None]:
        """Estimate each share, and the share of groups in which all hold."""
        return [*map(self.share, some), self.share(np.prod(np.stack(some), 0))]


def _accuracy(siblings: _Siblings, changes: list[str]) -> list[Estimate | None]:
    right = siblings.column("right")
    return [siblings.share(right[change]) for change in ("", *changes)]


def _alike(siblings: _Siblings, changes: list[str]) -> list[Estimate | None]:
    alike = siblings.column("alike")
    return siblings.each_and_all([alike[change] for change in changes])


def _both_right(siblings: _Siblings, changes: list[str]) -> list[Estimate | None]:
    right = siblings.column("right")
    return siblings.each_and_all([right[""] * right[change] for change in changes])
