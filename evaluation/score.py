"""Score the answers of any program: one id and text per line."""

from collections.abc import Iterator, Mapping
from math import isfinite, nan
from pathlib import Path

import numpy as np

from ..capabilities import Groups
from ..dataset import Dataset, Manifest
from ..errors import InvalidOption
from ..example import Example
from ..flat_metadata import Scalar, flatten_metadata
from ..scoring.answers import Score
from ..scoring.predictions import read_predictions
from ..scoring.scorer import generator_class
from ..scoring.scorer import score as scored
from ..storage import files
from .clusters import clusters
from .result import DataInfo, Ratio, Result, RowLabels, Run, Setup, pack_columns, versions
from .task import label_columns
from .training import Training


def score(predictions: Path, folder: Path, split: str) -> tuple[Result, int]:
    """Return the result of predictions, and the number of rows without one (scored as wrong)."""
    rows = list(Dataset(folder).rows(split))
    if not rows:
        raise InvalidOption(f"{folder}: its split {split!r} has no rows")
    answers = read_predictions(predictions, {row.id for row in rows}.__contains__, folder)
    said = {row.id: scored(row, answers.get(row.id, "")) for row in rows}
    right = [said[row.id].value for row in rows]
    alike = list(_alike(rows, said, Dataset(folder).manifest))
    numbers = np.array([right, alike] if any(map(isfinite, alike)) else [right]).T
    drawn = clusters((row.id, row.metadata) for row in rows)
    labels = RowLabels.of(label_columns(_labels(rows)), drawn)
    data = DataInfo.of(folder, split, labels, len(rows))
    result = Result(
        setup=Setup(
            task="answers",
            model=predictions.stem,
            label=predictions.stem,
            baseline=False,
            hyperparameters={},
            training=Training(),
            train=None,
            tests=[data],
            files={predictions.name: files.digest(predictions)},
            device="elsewhere",
            versions=versions(),
        ),
        columns=["right", "alike"][: numbers.shape[1]],
        figures={"accuracy": Ratio(top="right")},
        runs=[Run(seed=0, folds=[], tests=[pack_columns(numbers, data.labels)])],
    )
    return result, len(rows) - len(answers)


def _alike(rows: list[Example], said: Mapping[str, Score], manifest: Manifest) -> Iterator[float]:
    """Yield 1 if a row has the same answer as the first of its group, else 0; NaN for a first."""
    by_id = {row.id: row for row in rows}
    for row in rows:
        first = by_id.get(row.metadata.get("group") or row.id, row)
        if first is row:
            yield nan
            continue
        answer = said[first.id].answer
        agrees = answer and Groups.of_class(generator_class(row)).equivalent_answer(
            manifest.options, first, row, answer
        )
        yield float(agrees is not None and said[row.id].answer == agrees)


def _labels(rows: list[Example]) -> list[Mapping[str, Scalar]]:
    """Return the metadata fields that all rows have and that do not differ in most rows."""
    every = [flatten_metadata(row.metadata) for row in rows]
    shared = [name for name in every[0] if all(name in known for known in every)]
    kept = [name for name in shared if len({known[name] for known in every}) <= len(rows) / 2]
    return [
        {name: known[name] for name in kept} | {"target": row.target}
        for known, row in zip(every, rows, strict=True)
    ]
