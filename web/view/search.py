"""Filtering and sorting of rows."""

from array import array
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from ...errors import NotADataset
from ...example import Example
from ...flat_metadata import Scalar, flatten_metadata
from ...scoring.answers import Score
from ...scoring.scorer import score
from ...storage.text import parse_json
from ..page import MAX_FIELD
from .rows import DatasetRows

NO_VALUE = "(none)"
ANSWERED, WRONG, RIGHT, UNANSWERED = "answered", "wrong", "right", "not answered"
PREDICTION = "prediction"
"""The column of verdicts, beside `target` and the labels of rows."""
_MAX_SEARCHES = 8


def word(value: Scalar) -> str:
    """Return a label as text for display and filters, which take its first characters only."""
    if value is None or value == "":
        return NO_VALUE
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return text if len(text) <= MAX_FIELD else text[: MAX_FIELD - 1] + "…"


@dataclass(frozen=True)
class Filter:
    """A filter of rows by split, labels, contained text and verdict on the answer.

    `sort` is the column to sort by, in descending order after a minus sign.
    """

    split: str = ""
    labels: tuple[tuple[str, str], ...] = ()
    text: str = ""
    verdict: str = ""
    sort: str = ""

    @property
    def selects(self) -> bool:
        """True if the filter leaves out rows of its split."""
        return bool(self.labels or self.text or self.verdict)

    @property
    def needs_reading(self) -> bool:
        """True if rows must be read to apply the filter."""
        return bool(self.labels or self.text or self.sort or self.verdict not in ("", ANSWERED))

    @property
    def sort_column(self) -> str:
        """The column to sort by; empty for the order of the files."""
        return self.sort.removeprefix("-")

    @cached_property
    def _needle(self) -> bytes | None:
        """Lower-case bytes that the line of a matching row must contain; None if there are none."""
        plain = self.text.isascii() and self.text.isprintable() and not {'"', "\\"} & {*self.text}
        return self.text.lower().encode() if plain else None

    def matches(self, line: bytes, judge: Callable[[Example], Score | None]) -> bool:
        """Return whether the row of a line matches, apart from its split."""
        if self.text and self._needle is not None and self._needle not in line.lower():
            return False
        row = parse_row(line)
        if self.text:
            wanted = self.text.lower()
            texts = (row.id, row.input, row.target, *row.choices)
            if not any(wanted in text.lower() for text in texts):
                return False
        known = flatten_metadata(row.metadata) | {"target": row.target} if self.labels else {}
        if any(name not in known or word(known[name]) != value for name, value in self.labels):
            return False
        return self.verdict in ("", ANSWERED) or verdict(judge(row)) == self.verdict


def parse_row(line: bytes) -> Example:
    """Return the row of a line, without the slow validation."""
    try:
        row = Example(**parse_json(line))
        if isinstance(row.metadata, dict) and isinstance(row.input, str):
            return row
    except TypeError:
        pass
    return Example.parse(line)  # raises an error that explains the problem


def verdict(judged: Score | None) -> str:
    """Return the verdict on an answer."""
    if judged is None:
        return UNANSWERED
    return RIGHT if judged.value == 1 else WRONG


class SearchResult:
    """The numbers of the matching rows: ascending, or `sorted` by a column."""

    def __init__(self, numbers: Sequence[int], *, sorted: bool = False) -> None:
        self.numbers, self._sorted = numbers, sorted

    def __len__(self) -> int:
        return len(self.numbers)

    def neighbours(self, number: int) -> tuple[int | None, int | None, int | None]:
        """Return the place of a row among the matches (None if absent), and those beside it."""
        numbers = self.numbers
        if self._sorted and number not in numbers:
            return None, None, None
        place = numbers.index(number) if self._sorted else bisect_left(numbers, number)
        here = place < len(numbers) and numbers[place] == number
        after = place + here
        return (
            place if here else None,
            numbers[place - 1] if place else None,
            numbers[after] if after < len(numbers) else None,
        )


class DatasetView:
    """A dataset with its rows, predictions if any, and recent searches."""

    def __init__(self, rows: DatasetRows, answers: Mapping[str, str] | None = None) -> None:
        self.rows, self.answers = rows, answers
        self.find: Callable[[Filter], SearchResult] = lru_cache(_MAX_SEARCHES)(self._find)
        """Returns the matching rows."""

    def judge(self, row: Example) -> Score | None:
        """Return the score of the answer to a row; None if there is none."""
        answer = (self.answers or {}).get(row.id)
        return None if answer is None else score(row, answer)

    @cached_property
    def answered(self) -> Sequence[int]:
        """The numbers of the rows with a prediction."""
        numbers = (self.rows.find(name) for name in self.answers or {})
        return sorted(number for number in numbers if number is not None)

    def _find(self, wanted: Filter) -> SearchResult:
        span = self.rows.spans[wanted.split] if wanted.split else range(len(self.rows))
        numbers: Sequence[int] = span
        if wanted.verdict not in ("", UNANSWERED):
            numbers = self.answered[
                bisect_left(self.answered, span.start) : bisect_left(self.answered, span.stop)
            ]
        if not wanted.needs_reading:
            return SearchResult(numbers)
        found: dict[Scalar, array[int]] = {} if wanted.sort else {None: array("Q")}
        for number, line in self.rows.lines(numbers):
            try:
                if wanted.matches(line, self.judge):
                    row = parse_row(line)
                    value = self._value(row, wanted.sort_column) if wanted.sort else None
                    found.setdefault(value, array("Q")).append(number)
            except Exception as error:
                what = " ".join(f"{type(error).__name__}: {error}".split())
                raise NotADataset(
                    f"{self.rows.folder}, row {number}: {what}; gen verify {self.rows.folder} says "
                    f"what is damaged"
                ) from None
        values = sort_values(found)
        if wanted.sort.startswith("-"):
            values.reverse()
        return SearchResult(
            array("Q", (number for value in values for number in found[value])),
            sorted=bool(wanted.sort),
        )

    def _value(self, row: Example, column: str) -> Scalar:
        """Return the value of a row in a column."""
        if column == PREDICTION:
            return verdict(self.judge(row))
        return row.target if column == "target" else flatten_metadata(row.metadata).get(column)

    @cached_property
    def facets(self) -> dict[str, list[str]]:
        """The labels to filter by, each with its values in a sample."""
        sample = self.rows.sample(_SAMPLE_SIZE)
        columns: dict[str, list[Scalar]] = {"target": [row.target for row in sample]}
        for known in (flatten_metadata(row.metadata) for row in sample):
            for name, value in known.items():
                columns.setdefault(name, []).append(value)
        most = min(_MAX_FACET_VALUES, max(2, len(sample) // 2))
        return {
            name: [word(value) for value in sort_values(set(values))]
            for name, values in columns.items()
            if len(values) == len(sample) and 2 <= len(set(values)) <= most
        }


_SAMPLE_SIZE = 1_000
_MAX_FACET_VALUES = 60


def sort_values(values: Any) -> list[Scalar]:
    """Sort numbers by value, then words alphabetically, then missing values."""
    return sorted(
        values,
        key=lambda value: (
            value is None or value == "",
            isinstance(value, str),
            0 if isinstance(value, str) or value is None else value,
            str(value),
        ),
    )
