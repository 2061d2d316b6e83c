"""Answers that anything else gave, scored: an id and a text in each line."""

from collections.abc import Iterator, Mapping
from math import isfinite, nan
from pathlib import Path
from typing import Any

from .. import files, text
from ..answers import Score
from ..dataset import Dataset, Manifest
from ..errors import InvalidInput, InvalidOption
from ..example import Example
from ..scoring import kind
from ..scoring import score as scored
from .result import Data, Ratio, Result, Run, Setup, Value, pack, versions
from .task import label_columns
from .training import Training

_WANTED = 'expected a line such as {"id": "clutrr-v3-s0-test-0", "answer": "aunt"}'
KEYS = ("answer", "prediction", "output", "text")


def score(predictions: Path, folder: Path, split: str) -> tuple[Result, int]:
    """The result of these predictions, and how many rows have none; those count as wrong."""
    import numpy as np

    rows = list(Dataset(folder).rows(split))
    if not rows:
        raise InvalidOption(f"{folder}: its split {split!r} has no rows; make some")
    answers = _read(predictions, {row.id for row in rows}, folder)
    said = {row.id: scored(row, answers.get(row.id, "")) for row in rows}
    right = [said[row.id].value for row in rows]
    alike = list(_alike(rows, said, Dataset(folder).manifest))
    numbers = np.array([right, alike] if any(map(isfinite, alike)) else [right]).T
    data = Data.of(folder, split, label_columns(_labels(rows)), len(rows))
    result = Result(
        setup=Setup(
            task="answers",
            model=predictions.stem,
            label=predictions.stem,
            yardstick=False,
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
        runs=[Run(seed=0, folds=[], tests=[pack(numbers)])],
    )
    return result, len(rows) - len(answers)


def _alike(rows: list[Example], said: Mapping[str, Score], manifest: Manifest) -> Iterator[float]:
    """For each row 1 where it is answered as the first of its group is; NaN for a first."""
    by_id = {row.id: row for row in rows}
    for row in rows:
        first = by_id.get(row.metadata.get("group") or row.id, row)
        if first is row:
            yield nan
            continue
        answer = said[first.id].answer
        agrees = answer and kind(row).agreeing(manifest.options, first, row, answer)
        yield float(agrees is not None and said[row.id].answer == agrees)


def _read(path: Path, ids: set[str], folder: Path) -> dict[str, str]:
    answers: dict[str, str] = {}
    for number, line in text.numbered_lines(path, _WANTED):
        if line.strip():
            name, answer = _answer(line, f"{path}:{number}")
            if answer is None:
                continue
            if name not in ids:
                raise InvalidInput(f"{path}:{number}: {folder} has no row {name!r}")
            if name in answers:
                raise InvalidInput(f"{path}:{number}: {name!r} is answered twice")
            answers[name] = answer
    return answers


def _answer(line: str, where: str) -> tuple[str, str | None]:
    """The id and the answer of a line; None where a batch has failed to give one."""
    try:
        record = text.parse_json(line)
    except ValueError as error:
        raise InvalidInput(f"{where}: it {error}; {_WANTED}") from None
    record = record if isinstance(record, dict) else {}
    if "custom_id" in record:
        record = {"id": record["custom_id"]} | _reply(record)
    texts = [record[key] for key in KEYS if isinstance(record.get(key), str)]
    if not (isinstance(record.get("id"), str) and texts):
        raise InvalidInput(f"{where}: there is no id and answer in it; {_WANTED}")
    return record["id"], texts[0] if "failed" not in record else None


def _reply(record: Mapping[str, Any]) -> dict[str, Any]:
    """The reply in a line of OpenAI's batches."""
    try:
        content = record["response"]["body"]["choices"][0]["message"]["content"]
    except (KeyError, TypeError, IndexError):
        return {"answer": "", "failed": True}
    return {"answer": content}


def _labels(rows: list[Example]) -> list[Mapping[str, Value]]:
    """Whatever the metadata of all rows has that rows can be told apart by."""
    every = [_flat(row.metadata) for row in rows]
    shared = [name for name in every[0] if all(name in labels for labels in every)]
    kept = [name for name in shared if len({labels[name] for labels in every}) <= len(rows) / 2]
    return [
        {name: labels[name] for name in kept} | {"target": row.target}
        for labels, row in zip(every, rows, strict=True)
    ]


def _flat(metadata: Mapping[str, Any]) -> dict[str, Value]:
    """Words and numbers, and lists of them joined; parts of parts under a name with a point."""
    flat: dict[str, Value] = {}
    for name, value in metadata.items():
        if value is None or isinstance(value, str | int | float | bool):
            flat[name] = value
        elif isinstance(value, list) and all(isinstance(part, str | int) for part in value):
            flat[name] = "+".join(map(str, value)) or "none"
        elif isinstance(value, dict):
            inner = {
                key: part for key, part in value.items() if isinstance(part, int | str | float)
            }
            flat |= {f"{name}.{key}": part for key, part in inner.items()}
    return flat
