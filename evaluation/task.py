"""Tasks: reading rows, splitting them into folds, and scoring answers as numbers."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from ..clusters import clusters
from ..dataset import Dataset
from ..errors import NotADataset, RelsmithError
from ..example import Example
from ..flat_metadata import Scalar
from .report import Table, by
from .result import DataInfo, Ratio, Result, RowLabels
from .training import Training

Row = TypeVar("Row")
Answer = TypeVar("Answer")


@dataclass(frozen=True, eq=False)
class TaskRows(Generic[Row]):
    """The parsed rows of a split."""

    data: DataInfo
    ids: list[str]
    rows: list[Row]
    source: "TaskRows[Row] | None" = None

    @property
    def whole(self) -> "TaskRows[Row]":
        """The rows from which these were taken; itself if nothing was left out."""
        return self.source or self

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, places: Sequence[int]) -> "TaskRows[Row]":
        """Return the rows at these positions, in this order."""
        if len(places) == len(self.rows):
            return self
        ids, rows = [self.ids[n] for n in places], [self.rows[n] for n in places]
        return TaskRows(self.data, ids, rows, self.whole)


@dataclass(frozen=True)
class Fold(Generic[Row]):
    """Training rows, and the test rows that the model trained on them answers."""

    key: str
    train: TaskRows[Row] | None
    tests: list[TaskRows[Row]]
    places: list[Sequence[int]]
    """For each test set, the positions of the fold's rows in it."""


class Task(ABC, Generic[Row, Answer]):
    """A type of row and the scoring of its answers."""

    name: ClassVar[str]
    made_by: ClassVar[str]
    """The command that writes such rows, for error messages."""
    row_name: ClassVar[str] = "a row of the task"
    """The name of such a row in error messages."""
    training: ClassVar[Training] = Training()
    """Default training options of networks."""
    columns: ClassVar[tuple[str, ...]] = ("right",)
    """Names of the numbers stored for each answered row."""
    figures: ClassVar[Mapping[str, Ratio]] = {"accuracy": Ratio(top="right")}

    def parse(self, example: Example, number: int) -> Row:
        """Parse a row of a dataset. Error messages continue the text "row ID"."""
        raise NotImplementedError(f"{type(self).__name__} must implement parse")

    def labels(self, example: Example, row: Row) -> Mapping[str, Scalar]:
        """Return the labels by which figures can be broken down; every row has the same names."""
        return {}

    def parse_row(
        self, example: Example, number: int, path: Path
    ) -> tuple[Row, Mapping[str, Scalar]]:
        """Parse a row and its labels; raise NotADataset with the reason if it does not fit."""
        try:
            row = self.parse(example, number)
            return row, self.labels(example, row)
        except RelsmithError as error:
            raise NotADataset(f"{path}: row {example.id!r} {error}") from error
        except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
            raise NotADataset(
                f"{path}: row {example.id!r} is not {self.row_name} ({type(error).__name__}: "
                f"{error}); evaluate rows such as those of {self.made_by}"
            ) from error

    def fits(self, path: Path) -> bool:
        """Return whether the first row of the dataset belongs to this task."""
        example = first_row(path)
        if example is None:
            return False
        try:
            self.parse_row(example, 0, path)
        except NotADataset:
            return False
        return True

    def read(self, path: Path, split: str) -> TaskRows[Row]:
        """Read the rows of a split; raise NotADataset if a row does not fit."""
        ids, rows, labels, told = [], [], [], []
        for number, example in enumerate(Dataset(path).rows(split)):
            row, its_labels = self.parse_row(example, number, path)
            ids.append(example.id)
            rows.append(row)
            labels.append(its_labels)
            told.append((example.id, example.metadata))
        row_labels = RowLabels.of(label_columns(labels), clusters(told))
        return TaskRows(DataInfo.of(path, split, row_labels, len(rows)), ids, rows)

    def folds(
        self, train: TaskRows[Row] | None, tests: Sequence[TaskRows[Row]]
    ) -> Iterable[Fold[Row]]:
        """Yield the folds that are trained and tested separately; by default one with all rows."""
        yield Fold("", train, list(tests), [range(len(test)) for test in tests])

    @abstractmethod
    def numbers(self, row: Row, answer: Answer) -> Sequence[float]:
        """Return one number for each of `columns`."""

    def prediction_record(self, row: Row, answer: Answer) -> dict[str, Any]:
        """Return the answer as a record of the predictions file."""
        return {"answer": answer}

    def tables(self, results: Sequence[Result]) -> list[Table]:
        """Return the tables that show results of this task."""
        return by(results, [])


def first_row(path: Path) -> Example | None:
    """Return the first row of a dataset, or None if there is none."""
    try:
        dataset = Dataset(path)
        return next((row for split in dataset.manifest.splits for row in dataset.rows(split)), None)
    except RelsmithError:
        return None


def label_columns(columns: Iterable[Mapping[str, Scalar]]) -> dict[str, list[Scalar]]:
    """Turn the labels of each row into columns."""
    rows = list(columns)
    return {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}
