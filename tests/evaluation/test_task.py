"""Reading of rows in every task, with errors that name the row."""

from pathlib import Path
from typing import ClassVar

import pytest
from typing_extensions import override

from relsmith import Example
from relsmith.errors import InvalidInput, NotADataset
from relsmith.evaluation.task import Task


class Lengths(Task[int, int]):
    """Task whose answer is the number of spaces of an input."""

    name: ClassVar = "lengths"
    made_by: ClassVar = "gen lengths"
    row_name: ClassVar = "a text with a length"

    @override
    def parse(self, example: Example, number: int) -> int:
        return example.input.count(" ")

    @override
    def labels(self, example: Example, row: int) -> dict[str, int]:
        return {"k": example.metadata["k"]}

    @override
    def numbers(self, row: int, answer: int) -> tuple[float]:
        return (float(row == answer),)


class Nothing(Lengths):
    """Task that parses every row as 0."""

    @override
    def parse(self, example: Example, number: int) -> int:
        return 0


class Complaining(Lengths):
    """Task that refuses every row."""

    @override
    def parse(self, example: Example, number: int) -> int:
        raise InvalidInput("is too long to be counted")


class Unlabelled(Lengths):
    """Task with a label that no row has."""

    @override
    def labels(self, example: Example, row: int) -> dict[str, int]:
        return {"colour": example.metadata["colour"]}


@pytest.mark.parametrize("task", [Lengths(), Nothing()])
def test_rows_are_read_with_their_labels(task: Lengths, clean_stories: Path) -> None:
    assert task.fits(clean_stories)
    rows = task.read(clean_stories, "test")
    assert len(rows.rows) == len(rows.ids) == 120
    assert set(rows.data.columns["k"].values) == {2, 3, 4, 5}


@pytest.mark.parametrize(
    ("task", "said"),
    [
        (Complaining(), r"clean: row 'clutrr-.*-test-0' is too long to be counted"),
        (
            Unlabelled(),
            r"clean: row 'clutrr-.*-test-0' is not a text with a length \(KeyError: 'col",
        ),
    ],
)
def test_errors_name_the_row(task: Lengths, said: str, clean_stories: Path) -> None:
    assert not task.fits(clean_stories)
    with pytest.raises(NotADataset, match=said):
        task.read(clean_stories, "test")


def test_no_task_fits_a_missing_dataset(tmp_path: Path) -> None:
    assert not Nothing().fits(tmp_path)
