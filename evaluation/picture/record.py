"""Answers of a model, row by row, from any log."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from math import isfinite
from pathlib import Path
from typing import Any

from ...capabilities import Groups
from ...dataset import Dataset
from ...example import Example
from ...generator import Generator


@dataclass(frozen=True)
class Answer:
    """A row and a model's answer to it; `reply` and `extracted` are None if the log lacks them."""

    id: str
    target: str
    value: float
    """1 if right, 0 if wrong, the mean of several attempts, or NaN if not scored."""
    reply: str | None = None
    extracted: str | None = None
    """The answer found in the reply; empty if there is none."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    choices: Sequence[str] = ()
    cluster: str = ""
    """The key of rows that were drawn together; set when all rows are known."""

    @property
    def right(self) -> bool:
        """Whether more than half of the attempts are right."""
        return self.value > 0.5

    def label(self, column: str) -> Any:
        """Return the label of the row in a column; None if it is unknown."""
        value = self.target if column == "target" else self.metadata.get(column)
        if isinstance(value, dict) or (isinstance(value, float) and not isfinite(value)):
            return None
        if isinstance(value, list | tuple):
            return "+".join(sorted(set(map(str, value)))) or "clean"
        if column == "noise" and value == "":
            return "clean"
        return value


class AnsweredDataset:
    """The rows of a dataset that logs answer."""

    def __init__(self, folder: Path, ids: AbstractSet[str], split: str | None = None) -> None:
        self.dataset = Dataset(folder)
        self.found: dict[str, Example] = {}
        """Rows by id."""
        self.splits: list[str] = []
        for name in [split] if split else self.dataset.manifest.splits:
            rows = self.dataset.validated_rows(self.dataset.generator, name)
            if answered := {row.id: row for row in rows if row.id in ids}:
                self.found |= answered
                self.splits.append(name)

    def rows(self) -> Iterator[Example]:
        """Iterate over all rows of the answered splits."""
        return chain.from_iterable(map(self.dataset.rows, self.splits))

    def equivalent_answer(self, first: str, sibling: str, answer: str) -> str:
        """Return a sibling's answer that is equivalent to an answer to the first of its group."""
        options = self.dataset.manifest.options
        return Groups.of_class(self.dataset.generator or Generator).equivalent_answer(
            options, self.found[first], self.found[sibling], answer
        )


@dataclass(frozen=True)
class ModelAnswers:
    """All answers of a model."""

    model: str
    generator: str
    answers: Sequence[Answer]
    scorer: str
    """The program that scored the answers."""
    notes: Sequence[str] = ()
    """Remarks on the log for readers."""
    dataset: "AnsweredDataset | None" = None
    """The dataset of the rows, from which baselines are measured."""
    unit: str = "rows"
    """Name of the clusters."""

    @cached_property
    def by_id(self) -> dict[str, Answer]:
        """The answers by row id."""
        return {answer.id: answer for answer in self.answers}

    def labels(self, column: str) -> list[Any]:
        """Return the sorted labels of a column; empty unless all rows have one."""
        values = [answer.label(column) for answer in self.answers]
        if any(value is None for value in values):
            return []
        if all(isinstance(value, int | float) for value in values):
            return sorted(set(values))
        return sorted(set(values), key=lambda value: (value != "clean", str(value)))
