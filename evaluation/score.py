"""Score the answers of any program, from a file of predictions or a log."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import orjson

from ..clusters import clusters
from ..dataset import Dataset
from ..dataset.manifest import MANIFEST
from ..errors import InvalidInput, InvalidOption
from ..example import Example
from ..flat_metadata import Scalar, flatten_metadata
from ..scoring.answers import Score
from ..scoring.predictions import read_predictions
from ..scoring.scorer import score as scored
from ..scoring.scorer import steps
from ..scoring.steps import CLASSES, JudgedSteps
from ..storage import files
from .picture import logs
from .report import Table, by
from .result import DataInfo, Ratio, Result, RowLabels, Run, Setup, pack_columns, versions
from .task import label_columns
from .training import Training

STEP_CLASSES = (*CLASSES, "unanswered")
VERDICTS = ("right", "wrong", "unreadable", "unanswered")


@dataclass(frozen=True)
class ScoredRow:
    """A row, the reply to it (None if there is none) and its score."""

    row: Example
    reply: str | None
    score: Score
    steps: JudgedSteps | None = None
    """With `judge_steps`: the claims of the reply with their verdicts."""

    @property
    def verdict(self) -> str:
        """One of VERDICTS."""
        return self.score.verdict if self.reply and self.reply.strip() else "unanswered"

    def encoded(self) -> bytes:
        """Return a line of JSON: the verdict, its reason, and the extracted answer."""
        is_answered = self.verdict != "unanswered"
        record = {
            "id": self.row.id,
            "verdict": self.verdict,
            "why": self.score.why if is_answered else "there is no reply",
            "target": self.row.target,
            "answer": self.score.answer,
            "reply": self.reply,
            **({"steps": self.steps.record()} if self.steps else {}),
        }
        return orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE)


def score(
    predictions: Path, folder: Path, split: str, *, english: bool = False
) -> tuple[Result, list[ScoredRow]]:
    """Score predictions or a log; rows without a reply count as wrong.

    With `english`, answers to rows in other languages may also be in English.
    """
    dataset = Dataset(folder)
    with dataset.explain_damage():
        return _score(predictions, folder, split, dataset, english)


def _score(
    predictions: Path, folder: Path, split: str, dataset: Dataset, english: bool
) -> tuple[Result, list[ScoredRow]]:
    rows = list(dataset.rows(split))
    if not rows:
        raise InvalidOption(f"{folder}: its split {split!r} has no rows")
    replies = _replies(predictions, {row.id: row for row in rows}, folder)
    scored_rows = [
        ScoredRow(row, reply, scored(row, reply or "", english=english))
        for row in rows
        for reply in [replies.get(row.id)]
    ]
    columns = {name: [float(each.verdict == name) for each in scored_rows] for name in VERDICTS}
    drawn = clusters((row.id, row.metadata) for row in rows)
    labels = RowLabels.of(label_columns(_labels(rows)), drawn)
    data = DataInfo.of(folder, split, labels, len(rows))
    name = predictions.resolve().name.partition(".")[0]
    numbers = pack_columns(np.array([*columns.values()]).T, data.labels)
    result = Result(
        setup=Setup(
            task="answers",
            model=name,
            label=name,
            baseline=False,
            hyperparameters={},
            training=Training(),
            train=None,
            tests=[data],
            files={predictions.name: files.digest(predictions)} if predictions.is_file() else {},
            device="elsewhere",
            versions=versions(),
        ),
        columns=list(columns),
        figures={"accuracy": Ratio(top="right")} | {name: Ratio(top=name) for name in VERDICTS[1:]},
        runs=[Run(seed=0, folds=[], tests=[numbers])],
    )
    return result, scored_rows


def judge_steps(result: Result, scored_rows: Sequence[ScoredRow]) -> tuple[Result, list[ScoredRow]]:
    """Judge the steps of all replies; return their classes as a result, and the rows with them."""
    judged = [replace(each, steps=steps(each.row, each.reply or "")) for each in scored_rows]
    kinds = [
        each.steps.kind if each.steps and each.verdict != "unanswered" else "unanswered"
        for each in judged
    ]
    columns = {name: [float(kind == name) for kind in kinds] for name in STEP_CLASSES}
    numbers = pack_columns(np.array([*columns.values()]).T, result.setup.tests[0].labels)
    changed = {
        "columns": [*columns],
        "figures": {name: Ratio(top=name) for name in STEP_CLASSES},
        "runs": [Run(seed=0, folds=[], tests=[numbers])],
    }
    return result.model_copy(update=changed), judged


def step_tables(result: Result, columns: Sequence[str]) -> list[Table]:
    """Make a table of the shares of the classes of reasoning, by default by world and k."""
    known = result.setup.tests[0].columns
    chosen = columns or [name for name in ("world", "k") if name in known]
    return _share_tables(result, chosen, {name: name for name in STEP_CLASSES}, "reasoning")


def verdict_tables(result: Result, columns: Sequence[str]) -> list[Table]:
    """Make a table of the shares of right, wrong, unreadable and unanswered rows."""
    figures = {name: "accuracy" if name == "right" else name for name in VERDICTS}
    return _share_tables(result, columns, figures, "answers")


def _share_tables(
    result: Result, columns: Sequence[str], figures: Mapping[str, str], head: str
) -> list[Table]:
    """Make a table with a line for each of the figures, given by their titles."""
    tables = [by([result], columns, figure) for figure in figures.values()]
    first = tables[0][0]
    lines = [
        replace(table.lines[0], model=name) for name, (table,) in zip(figures, tables, strict=True)
    ]
    heads = [head if columns else "all rows" for head in first.columns]
    title = f"{result.setup.label} on {result.setup.tests[0].label}"
    return [replace(first, title=title, columns=heads, lines=lines, head=head)]


def _replies(path: Path, rows: Mapping[str, Example], folder: Path) -> dict[str, str | None]:
    """Return the replies in a file by row id; InvalidInput if they are to other rows."""
    digest = files.digest(folder / MANIFEST)
    log = logs.program_log(path)
    if log is None:
        predictions = read_predictions(path, rows.__contains__, folder)
        for name, prediction in predictions.items():
            prediction.check(digest, rows[name].input)
        return {name: prediction.reply for name, prediction in predictions.items()}
    if log.digest and log.digest != digest:
        raise InvalidInput(
            f"{path} answers the dataset {log.digest[:12]}..., not {folder} ({digest[:12]}...); "
            f"give the dataset of the log"
        )
    replies: dict[str, str | None] = {}
    for entry in log.entries:
        if entry.id not in rows:
            raise InvalidInput(
                f"{path}: {folder} has no row {entry.id!r}; give the dataset of the log"
            )
        if entry.id in replies:
            raise InvalidInput(
                f"{path}: {entry.id!r} is answered more than once; gen report model takes the mean"
            )
        logs.check_same(log, entry, rows[entry.id])
        replies[entry.id] = entry.extracted if entry.reply is None else entry.reply
    return replies


def _labels(rows: list[Example]) -> list[Mapping[str, Scalar]]:
    """Return the metadata fields that all rows have and that do not differ in most rows."""
    every = [flatten_metadata(row.metadata) for row in rows]
    shared = [name for name in every[0] if all(name in known for known in every)]
    kept = [name for name in shared if len({known[name] for known in every}) <= len(rows) / 2]
    return [
        {name: known[name] for name in kept} | {"target": row.target}
        for known, row in zip(every, rows, strict=True)
    ]
