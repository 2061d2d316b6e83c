"""What a model answered, row by row, wherever it was logged."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from math import isfinite
from pathlib import Path
from typing import Any

from ...dataset import Dataset
from ...errors import RelsmithError
from ...example import Example
from ...generator import Generator
from ...registry import GENERATORS
from ...storage import files


@dataclass(frozen=True)
class Answer:
    """One row and what was made of it; `said` and `read` are None where the log does not tell."""

    id: str
    target: str
    value: float
    """1 where it is right, 0 where it is wrong; between them, the share of several tries.

    Not a number as long as it is not scored.
    """
    said: str | None = None
    read: str | None = None
    """What counts as the answer in what was said, empty where nothing does."""
    why: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    input: str = ""
    choices: Sequence[str] = ()
    row: Example | None = None
    """The whole row, where the log has it and not what was read."""

    @property
    def right(self) -> bool:
        """Whether it counts among the right ones to read."""
        return self.value > 0.5

    @property
    def cluster(self) -> str:
        """Rows about one story may be answered alike, and are not drawn one by one."""
        return cluster(self)

    def label(self, column: str) -> Any:
        """What the row is like in one respect; None where that is not known."""
        value = self.target if column == "target" else self.metadata.get(column)
        if isinstance(value, dict) or (isinstance(value, float) and not isfinite(value)):
            return None
        if isinstance(value, list | tuple):
            return "+".join(sorted(set(map(str, value)))) or "clean"
        if column == "noise" and value == "":
            return "clean"
        return value


def cluster(row: Answer | Example) -> str:
    """The group or the story that a row belongs to, or itself."""
    return str(row.metadata.get("group") or row.metadata.get("story") or row.id)


class Answered:
    """A dataset, as far as logs answer it."""

    def __init__(self, folder: Path, ids: AbstractSet[str], split: str | None = None) -> None:
        self.dataset = Dataset(folder)
        self.digest = files.digest(folder / "manifest.json")
        self.found: dict[str, Example] = {}
        """Rows by their ids, and by their numbers as `numbered` writes them."""
        self.splits: list[str] = []
        for name in [split] if split else self.dataset.manifest.splits:
            for number, row in enumerate(self.dataset.rows(name)):
                keys = {row.id, numbered(self.digest, name, number)} & ids
                self.found |= dict.fromkeys(keys, row)
                if keys and name not in self.splits:
                    self.splits.append(name)
        self._by_id = {row.id: row for row in self.found.values()}

    def rows(self) -> Iterator[Example]:
        """All rows of the splits that logs answer."""
        return chain.from_iterable(map(self.dataset.rows, self.splits))

    @cached_property
    def kind(self) -> type[Generator]:
        """The generator, if it is installed in the dataset's version."""
        manifest = self.dataset.manifest
        with suppress(RelsmithError):
            generator = GENERATORS.get(manifest.generator)
            if generator.version == manifest.version:
                return generator
        return Generator

    def measures(self, rows: Iterable[Example]) -> dict[str, float]:
        """What the generator measures of such rows."""
        return self.kind.measures(rows)

    def agreeing(self, first: str, sibling: str, answer: str) -> str:
        """The answer to a sibling that agrees with an answer to the first of its group."""
        rows = self._by_id
        options = self.dataset.manifest.options
        return self.kind.equivalent_answer(options, rows[first], rows[sibling], answer)


def numbered(digest: str, split: str | None, number: int) -> str:
    """What stands for the id of a row where only its number is known."""
    return f"{digest} {split} {number}"


@dataclass(frozen=True)
class Answers:
    """All that one model answered, or one baseline."""

    model: str
    generator: str
    answers: Sequence[Answer]
    scorer: str
    """Who said what is right."""
    baseline: bool = False
    notes: Sequence[str] = ()
    """What a reader of the figures should know of the log."""
    dataset: "Answered | None" = None
    """Where the rows are from, if that was given."""

    @cached_property
    def by_id(self) -> dict[str, Answer]:
        """To look one up."""
        return {answer.id: answer for answer in self.answers}

    def labels(self, column: str) -> list[Any]:
        """What rows are like in one respect, in order; empty unless it is known of all."""
        values = [answer.label(column) for answer in self.answers]
        if any(value is None for value in values):
            return []
        if all(isinstance(value, int | float) for value in values):
            return sorted(set(values))
        return sorted(set(values), key=lambda value: (value != "clean", str(value)))
