"""What a task is: rows to read, folds to train and test on, and numbers for each answer."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from ..dataset import Dataset
from ..errors import NotADataset, RelsmithError
from ..example import Example
from ..labels import Value
from .report import Table, by
from .result import Data, Ratio, Result
from .training import Training

Row = TypeVar("Row")
Answer = TypeVar("Answer")


@dataclass(frozen=True, eq=False)
class Rows(Generic[Row]):
    """A split as a task reads it."""

    data: Data
    ids: list[str]
    rows: list[Row]
    source: "Rows[Row] | None" = None

    @property
    def whole(self) -> "Rows[Row]":
        """All the rows that these were taken from; themselves where they are all."""
        return self.source or self

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, places: Sequence[int]) -> "Rows[Row]":
        """Some of them, in this order; all of them are themselves."""
        if len(places) == len(self.rows):
            return self
        ids, rows = [self.ids[n] for n in places], [self.rows[n] for n in places]
        return Rows(self.data, ids, rows, self.whole)


@dataclass(frozen=True)
class Fold(Generic[Row]):
    """Rows to train on, and rows of each test that are answered by what was learnt from them."""

    key: str
    train: Rows[Row] | None
    tests: list[Rows[Row]]
    places: list[Sequence[int]]
    """For each test, where its rows stand among all of it."""


class Task(ABC, Generic[Row, Answer]):
    """A kind of rows, and how answers to them are scored."""

    name: ClassVar[str]
    made_by: ClassVar[str]
    """What makes such rows, for complaints."""
    called: ClassVar[str] = "row of the task"
    """What such a row is, likewise."""
    training: ClassVar[Training] = Training()
    """How networks are trained where the user says nothing."""
    columns: ClassVar[tuple[str, ...]] = ("right",)
    """The numbers that each answered row has."""
    figures: ClassVar[Mapping[str, Ratio]] = {"accuracy": Ratio(top="right")}

    def parse(self, example: Example, number: int) -> Row:
        """A row of a dataset, and its number; complaints go on after "row ID" of that dataset."""
        raise NotImplementedError(f"{type(self).__name__} has to say how a row is read")

    def labels(self, example: Example, row: Row) -> Mapping[str, Value]:
        """What figures can be divided by: the same names for every row."""
        return {}

    def parsed(self, example: Example, number: int, path: Path) -> tuple[Row, Mapping[str, Value]]:
        """A row of the dataset there and its labels, or in one line what does not fit."""
        try:
            row = self.parse(example, number)
            return row, self.labels(example, row)
        except RelsmithError as error:
            raise NotADataset(f"{path}: row {example.id!r} {error}") from error
        except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
            raise NotADataset(
                f"{path}: row {example.id!r} is no {self.called} ({type(error).__name__}: "
                f"{error}); evaluate rows such as those of {self.made_by}"
            ) from error

    def fits(self, path: Path) -> bool:
        """Whether there seem to be such rows, by the first of them."""
        example = first_row(path)
        if example is None:
            return False
        try:
            self.parsed(example, 0, path)
        except NotADataset:
            return False
        return True

    def read(self, path: Path, split: str) -> Rows[Row]:
        """Read a split, or a file that has none; say in one line what does not fit."""
        ids, rows, labels = [], [], []
        for number, example in enumerate(Dataset(path).rows(split)):
            row, its_labels = self.parsed(example, number, path)
            ids.append(example.id)
            rows.append(row)
            labels.append(its_labels)
        return Rows(Data.of(path, split, label_columns(labels), len(rows)), ids, rows)

    def folds(self, train: Rows[Row] | None, tests: Sequence[Rows[Row]]) -> Iterable[Fold[Row]]:
        """What is trained and tested apart; all rows together unless a task says otherwise."""
        yield Fold("", train, list(tests), [range(len(test)) for test in tests])

    @abstractmethod
    def numbers(self, row: Row, answer: Answer) -> Sequence[float]:
        """A number for each of the columns."""

    def said(self, row: Row, answer: Answer) -> dict[str, Any]:
        """The answer as it is kept in a file of predictions."""
        return {"answer": answer}

    def tables(self, results: Sequence[Result]) -> list[Table]:
        """What results are shown by."""
        return by(results, [])


def first_row(path: Path) -> Example | None:
    """The first row of a dataset, None where there is none."""
    try:
        dataset = Dataset(path)
        return next((row for split in dataset.manifest.splits for row in dataset.rows(split)), None)
    except RelsmithError:
        return None


def label_columns(columns: Iterable[Mapping[str, Value]]) -> dict[str, list[Value]]:
    """What rows are like, row by row, as columns."""
    rows = list(columns)
    return {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}
