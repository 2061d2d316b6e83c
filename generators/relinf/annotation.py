"""Readers of annotations: long tables, Label Studio exports and MTurk results."""

import html
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import InvalidOption
from ...storage.text import parse_json, read, table_rows
from .label import LABELS, Label, parse_label

_COLUMN_NAMES = {
    "task": ("task", "meta_task", "task_id"),
    "worker": ("worker", "workerid", "worker_id", "annotator", "participant_id", "participant id"),
    "label": ("label", "answer", "response", "value"),
}
_MTURK_TASK = re.compile(r"Input\.task_([0-9]{1,4})")
_MAX_EXAMPLES = 3


class Vote(NamedTuple):
    """The label of one annotator for one task."""

    task: str
    worker: str
    label: Label


@dataclass(frozen=True)
class Annotations:
    """Votes by task, and ignored ones by reason."""

    votes: dict[str, list[Vote]]
    left_out: dict[str, list[str]] = field(default_factory=dict)

    @property
    def notes(self) -> list[str]:
        """One line for each reason why votes were left out."""
        return [
            f"{len(examples)} left out: {reason}: {', '.join(examples[:_MAX_EXAMPLES])}"
            + (", ..." if len(examples) > _MAX_EXAMPLES else "")
            for reason, examples in self.left_out.items()
        ]


def read_annotations(paths: Iterable[str], tasks: Collection[str]) -> Annotations:
    """Return the votes on these tasks in files of any format, which is detected by content."""
    left_out: dict[str, list[str]] = {}
    votes: dict[tuple[str, str], Vote] = {}
    for path in paths:
        for where, task, worker, written in _read(path, left_out):
            label = parse_label(written)
            if not worker:
                _leave_out(left_out, "no worker is named", where)
            elif task not in tasks:
                _leave_out(left_out, "no such task among the candidates", f"{task!r} ({where})")
            elif label is None:
                _leave_out(
                    left_out, "not a label (yes, no, nonsense)", f"{written[:30]!r} ({where})"
                )
            elif (task, worker) in votes:
                same = "the same" if votes[task, worker].label == label else "another"
                _leave_out(
                    left_out,
                    "a worker labelled a task twice; the first counts",
                    f"{worker} on {task}, {same} label ({where})",
                )
            else:
                votes[task, worker] = Vote(task, worker, label)
    by_task: dict[str, list[Vote]] = {}
    for vote in votes.values():
        by_task.setdefault(vote.task, []).append(vote)
    return Annotations(by_task, left_out)


def _leave_out(left_out: dict[str, list[str]], reason: str, example: str) -> None:
    left_out.setdefault(reason, []).append(example)


RawVote = tuple[str, str, str, str]
"""Location, task, worker and label as written."""


def _read(path: str, left_out: dict[str, list[str]]) -> Iterator[RawVote]:
    name = Path(path).name
    text = read(Path(path), "give a file of annotations", "annotations")
    if "\0" in text:
        raise InvalidOption(f"annotations: {path!r} holds NUL bytes; give a text file")
    start = text.lstrip()[:1]
    if start == "[":
        yield from _label_studio(_json(text, name), name, left_out)
    elif start == "{":
        yield from _json_lines(text, name)
    else:
        yield from _table(Path(path), left_out)


def _json(text: str, where: str) -> Any:
    try:
        return parse_json(text)
    except ValueError as error:
        raise InvalidOption(f"annotations: {where}: {error}") from None


def _json_lines(text: str, name: str) -> Iterator[RawVote]:
    for number, line in enumerate(text.split("\n"), 1):
        where = f"{name}:{number}"
        if line.strip():
            entry = _json(line, where)
            if not isinstance(entry, dict):
                raise InvalidOption(f"annotations: {where}: expected an object")
            yield (where, *(str(entry.get(column) or "").strip() for column in _COLUMN_NAMES))  # type: ignore[misc]


def _label_studio(tasks: Any, name: str, left_out: dict[str, list[str]]) -> Iterator[RawVote]:
    """Yield the votes of a full export (`JSON` in Label Studio, not `JSON-MIN`)."""
    for number, entry in enumerate(tasks, 1):
        where = f"{name}, task {number}"
        try:
            task = str(entry["data"]["task"])
            annotations = list(entry["annotations"])
        except (KeyError, TypeError):
            raise InvalidOption(
                f"annotations: {where}: expected data.task and annotations; export as JSON"
            ) from None
        for annotation in annotations:
            worker, chosen = _label_studio_annotation(annotation)
            if isinstance(annotation, dict) and annotation.get("was_cancelled"):
                _leave_out(left_out, "skipped in Label Studio", f"{worker} on {task}")
            else:
                yield where, task, worker, chosen


def _label_studio_annotation(annotation: Any) -> tuple[str, str]:
    try:
        by = annotation["completed_by"]
        worker = str(by.get("email") or by.get("id") or "") if isinstance(by, dict) else str(by)
        chosen = [
            str(choice)
            for result in annotation["result"]
            if result.get("type") == "choices"
            for choice in result["value"]["choices"]
        ]
    except (KeyError, TypeError, AttributeError):
        return "", ""
    return worker, chosen[0] if len(chosen) == 1 else " and ".join(chosen)


def _table(path: Path, left_out: dict[str, list[str]]) -> Iterator[RawVote]:
    numbered = table_rows(path, option="annotations")
    _, columns = next(numbered, (0, []))
    rows = ((f"{path.name}:{number}", cells) for number, cells in numbered)
    if "WorkerId" in columns and any(map(_MTURK_TASK.fullmatch, columns)):
        return _mturk(columns, rows, left_out)
    return _long_table(columns, rows, path.name, left_out)


_NumberedRows = Iterator[tuple[str, list[str]]]


def _long_table(
    columns: list[str], rows: _NumberedRows, name: str, left_out: dict[str, list[str]]
) -> Iterator[RawVote]:
    lower = [column.strip().lower() for column in columns]
    places = [
        next((lower.index(column) for column in names if column in lower), None)
        for names in _COLUMN_NAMES.values()
    ]
    if None in places:
        raise InvalidOption(
            f"annotations: {name}: expected columns task, worker and label, but got "
            f"{', '.join(columns)[:120]!r}"
        )
    for where, cells in rows:
        if len(cells) != len(columns):
            _leave_out(left_out, f"a line without its {len(columns)} columns", where)
        else:
            yield (where, *(cells[place].strip() for place in places if place is not None))  # type: ignore[misc]


def _mturk(
    columns: list[str], rows: _NumberedRows, left_out: dict[str, list[str]]
) -> Iterator[RawVote]:
    numbers = [int(match[1]) for column in columns if (match := _MTURK_TASK.fullmatch(column))]
    for where, cells in rows:
        row = dict(zip(columns, cells, strict=False))
        worker = row.get("WorkerId", "").strip()
        rejected = row.get("AssignmentStatus", "").lower() == "rejected"
        answers = _mturk_answers(row)
        for number in numbers:
            task = html.unescape(row.get(f"Input.task_{number}", "")).strip()
            if task and rejected:
                _leave_out(left_out, "the assignment was rejected", f"{worker} on {task} ({where})")
            elif task:
                yield where, task, worker, answers.get(f"label_{number}", "")


def _mturk_answers(row: dict[str, str]) -> dict[str, str]:
    """Return the answers by field: plain, one check box per label, or the JSON of crowd forms."""
    answers: dict[str, str] = {}
    for column, value in row.items():
        if column.startswith("Answer."):
            name, _, option = column.removeprefix("Answer.").partition(".")
            if not option:
                answers[name] = value.strip()
            elif value.strip().lower() in ("true", "on", option.lower()):
                answers[name] = " and ".join(filter(None, [answers.get(name), option]))
    if "taskAnswers" in answers:
        answers |= _crowd_form(answers.pop("taskAnswers"))
    return answers


def _crowd_form(text: str) -> dict[str, str]:
    try:
        (sent,) = parse_json(text)
        return {
            name: value
            if isinstance(value, str)
            else " and ".join(option for option, said in value.items() if said)
            for name, value in sent.items()
        }
    except (ValueError, TypeError, AttributeError):
        return {}


def count_labels(votes: Iterable[Vote]) -> dict[Label, int]:
    """Return the number of votes for each label."""
    counts = Counter(vote.label for vote in votes)
    return {label: counts[label] for label in LABELS}
