"""Reader of annotations: JSON lines with a vote each."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from ...errors import InvalidOption
from ...storage.text import parse_json, read
from .label import LABELS, Label, parse_label

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
    """Return the votes on these tasks in files of JSON lines."""
    left_out: dict[str, list[str]] = {}
    votes: dict[tuple[str, str], Vote] = {}
    for path in paths:
        for where, task, worker, written in _read(path):
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


def _read(path: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield the place of each line, and task, worker and label as written."""
    name = Path(path).name
    text = read(Path(path), "give a file of annotations", "annotations")
    for number, line in enumerate(text.split("\n"), 1):
        where = f"{name}:{number}"
        if line.strip():
            try:
                entry = parse_json(line)
            except ValueError as error:
                raise InvalidOption(f"annotations: {where}: {error}") from None
            if not isinstance(entry, dict):
                raise InvalidOption(f"annotations: {where}: expected an object")
            task, worker, label = (
                str(entry.get(name) or "").strip() for name in ("task", "worker", "label")
            )
            yield where, task, worker, label


def count_labels(votes: Iterable[Vote]) -> dict[Label, int]:
    """Return the number of votes for each label."""
    counts = Counter(vote.label for vote in votes)
    return {label: counts[label] for label in LABELS}
