"""Consistency of models on sibling rows, which differ in one controlled way."""

from collections.abc import Sequence

import numpy as np
from numpy import ndarray

from ..errors import NotFound
from .report import Table, line, ordered, tests_of, with_notes
from .result import DataInfo, Result
from .statistics import Estimate, estimate

_ALL = "all changes"


def consistency(results: Sequence[Result]) -> list[Table]:
    """Make three tables per test, by perturbation: accuracy, same answer as the first, both right.

    In the last column all rows of a group count as one. Intervals resample groups.
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
                line(result, cells(result, test, changes))
                for result, test in pairs
                if cells is not _alike or "alike" in result.columns
            ]
            if lines:
                tables.append(Table(f"{what}, {title}", heads, lines))
    return with_notes(tables)


def _changes(data: DataInfo) -> list[str]:
    """Return the perturbations of a test set."""
    told = {"change", "group"} <= data.columns.keys()
    changes = [str(value) for value in data.columns["change"].values if value] if told else []
    if not changes:
        raise NotFound(
            f"the rows of {data.label} have no siblings; make some with gen clutrr --siblings"
        )
    return changes


def _by_change(result: Result, test: int, column: str) -> dict[str, ndarray]:
    """Return a column as seeds x groups for each perturbation; that of a first row is empty."""
    data, numbers = result.setup.tests[test], result.of_rows(column, test)
    groups, changes = data.columns["group"].places, data.columns["change"]
    order = np.argsort(groups, kind="stable")
    return {str(value): numbers[:, order[changes.where(value)[order]]] for value in changes.values}


def _shares(values: ndarray) -> Estimate | None:
    return estimate([np.stack([values, 1 + 0 * values], -1)])


def _accuracy(result: Result, test: int, changes: list[str]) -> list[Estimate | None]:
    right = _by_change(result, test, "right")
    return [_shares(right[change]) for change in ("", *changes)]


def _alike(result: Result, test: int, changes: list[str]) -> list[Estimate | None]:
    return _each_and_all([_by_change(result, test, "alike")[change] for change in changes])


def _both_right(result: Result, test: int, changes: list[str]) -> list[Estimate | None]:
    right = _by_change(result, test, "right")
    return _each_and_all([right[""] * right[change] for change in changes])


def _each_and_all(some: Sequence[ndarray]) -> list[Estimate | None]:
    """Estimate each share, and the share of groups in which all hold."""
    return [*map(_shares, some), _shares(np.prod(np.stack(some), 0))]
