"""Annotations in: our long table, Label Studio's export, MTurk's results; no loss unsaid."""

import html
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import InvalidOption
from ...storage.text import parse_json, read, table_rows
from .label import Label, read_label

_NAMES = {
    "task": ("task", "meta_task", "task_id"),
    "worker": ("worker", "workerid", "worker_id", "annotator", "participant_id", "participant id"),
    "label": ("label", "answer", "response", "value"),
}
_MTURK_TASK = re.compile(r"Input\.task_([0-9]{1,4})")
_SHOWN = 3


class Vote(NamedTuple):
    """What one annotator said of one task."""

    task: str
    worker: str
    label: Label


@dataclass(frozen=True)
class Annotations:
    """Votes by task, and what could not be used: how often, and for example which."""

    votes: dict[str, list[Vote]]
    left_out: dict[str, list[str]] = field(default_factory=dict)

    @property
    def complaints(self) -> list[str]:
        """A line for each reason why votes were left out."""
        return [
            f"{len(examples)} left out: {reason}: {', '.join(examples[:_SHOWN])}"
            + (", ..." if len(examples) > _SHOWN else "")
            for reason, examples in self.left_out.items()
        ]


def read_annotations(paths: Iterable[str], tasks: Collection[str]) -> Annotations:
    """Read votes on these tasks from files of any of the three kinds, told by their contents."""
    left_out: dict[str, list[str]] = {}
    votes: dict[tuple[str, str], Vote] = {}
    for path in paths:
        for where, task, worker, written in _read(path, left_out):
            label = read_label(written)
            if not worker:
                _say(left_out, "no worker is named", where)
            elif task not in tasks:
                _say(left_out, "no such task among the candidates", f"{task!r} ({where})")
            elif label is None:
                _say(left_out, "not a label (yes, no, nonsense)", f"{written[:30]!r} ({where})")
            elif (task, worker) in votes:
                same = "the same" if votes[task, worker].label == label else "another"
                _say(
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


def _say(left_out: dict[str, list[str]], reason: str, example: str) -> None:
    left_out.setdefault(reason, []).append(example)


Raw = tuple[str, str, str, str]
"""Where it stands, the task, the worker, the label as written."""


def _read(path: str, left_out: dict[str, list[str]]) -> Iterator[Raw]:
    name = Path(path).name
    text = read(Path(path), "give a file of annotations", "annotations")
    if "\0" in text:
        raise InvalidOption(f"annotations: {path!r} holds NUL bytes; it is no table of text")
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


def _json_lines(text: str, name: str) -> Iterator[Raw]:
    for number, line in enumerate(text.split("\n"), 1):
        where = f"{name}:{number}"
        if line.strip():
            entry = _json(line, where)
            if not isinstance(entry, dict):
                raise InvalidOption(f"annotations: {where}: expected an object")
            yield (where, *(str(entry.get(column) or "").strip() for column in _NAMES))  # type: ignore[misc]


def _label_studio(tasks: Any, name: str, left_out: dict[str, list[str]]) -> Iterator[Raw]:
    """An export of tasks with all their annotations (`JSON` in Label Studio, not `JSON-MIN`)."""
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
                _say(left_out, "skipped in Label Studio", f"{worker} on {task}")
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


def _table(path: Path, left_out: dict[str, list[str]]) -> Iterator[Raw]:
    numbered = table_rows(path, option="annotations")
    _, columns = next(numbered, (0, []))
    placed = ((f"{path.name}:{number}", cells) for number, cells in numbered)
    if "WorkerId" in columns and any(map(_MTURK_TASK.fullmatch, columns)):
        return _mturk(columns, placed, left_out)
    return _long(columns, placed, path.name, left_out)


Rows = Iterator[tuple[str, list[str]]]


def _long(
    columns: list[str], placed: Rows, name: str, left_out: dict[str, list[str]]
) -> Iterator[Raw]:
    lower = [column.strip().lower() for column in columns]
    places = [
        next((lower.index(column) for column in names if column in lower), None)
        for names in _NAMES.values()
    ]
    if None in places:
        raise InvalidOption(
            f"annotations: {name}: expected columns task, worker and label, but got "
            f"{', '.join(columns)[:120]!r}"
        )
    for where, cells in placed:
        if len(cells) != len(columns):
            _say(left_out, f"a line without its {len(columns)} columns", where)
        else:
            yield (where, *(cells[place].strip() for place in places if place is not None))  # type: ignore[misc]


def _mturk(columns: list[str], placed: Rows, left_out: dict[str, list[str]]) -> Iterator[Raw]:
    numbers = [int(match[1]) for column in columns if (match := _MTURK_TASK.fullmatch(column))]
    for where, cells in placed:
        row = dict(zip(columns, cells, strict=False))
        worker = row.get("WorkerId", "").strip()
        rejected = row.get("AssignmentStatus", "").lower() == "rejected"
        answers = _mturk_answers(row)
        for number in numbers:
            task = html.unescape(row.get(f"Input.task_{number}", "")).strip()
            if task and rejected:
                _say(left_out, "the assignment was rejected", f"{worker} on {task} ({where})")
            elif task:
                yield where, task, worker, answers.get(f"label_{number}", "")


def _mturk_answers(row: dict[str, str]) -> dict[str, str]:
    """Answers by field: plain, as a box for each label, or as the JSON that crowd forms send."""
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


def tally(votes: Iterable[Vote]) -> dict[Label, int]:
    """How many said what."""
    counted = Counter(vote.label for vote in votes)
    labels: tuple[Label, ...] = ("yes", "no", "nonsense")
    return {label: counted[label] for label in labels}
