"""Filtering and sorting of rows in background threads."""

import threading
from array import array
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ...errors import NotADataset, RelsmithError
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
_ROWS_PER_NOTICE = 200
_MAX_WAIT_SECONDS = 1.5
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


@dataclass
class ScanProgress:
    """Progress of a background scan."""

    total: int
    seen: int = 0
    failed: RelsmithError | None = None
    stopped: bool = False
    changed: threading.Condition = field(default_factory=threading.Condition)

    @property
    def done(self) -> bool:
        """True if all rows were scanned."""
        return self.seen >= self.total

    def wait(self, ready: Callable[[], bool]) -> None:
        """Wait until a condition holds or the scan is done, for a short time at most."""
        with self.changed:
            self.changed.wait_for(
                lambda: ready() or self.done or bool(self.failed), _MAX_WAIT_SECONDS
            )
        if self.failed:
            raise self.failed


def _start_scan(
    rows: DatasetRows, numbers: Sequence[int], handle: Callable[[int, bytes], None]
) -> ScanProgress:
    """Call a function with each line of these rows, in a background thread."""
    progress = ScanProgress(len(numbers))

    def run() -> None:
        try:
            for number, line in rows.lines(numbers):
                handle(number, line)
                progress.seen += 1
                if progress.seen % _ROWS_PER_NOTICE == 0:
                    if progress.stopped:
                        return
                    with progress.changed:
                        progress.changed.notify_all()
        except RelsmithError as error:
            progress.failed = error
        except Exception as error:
            what = " ".join(f"{type(error).__name__}: {error}".split())
            progress.failed = NotADataset(
                f"{rows.folder}, row {numbers[progress.seen]}: {what}; "
                f"gen verify {rows.folder} says what is damaged"
            )
        with progress.changed:
            progress.changed.notify_all()

    threading.Thread(target=run, daemon=True).start()
    return progress


class SearchResult:
    """The numbers of matching rows found so far, by the value that they are sorted by."""

    def __init__(
        self, found: Mapping[Scalar, Sequence[int]], progress: ScanProgress, sort: str = ""
    ) -> None:
        self._found, self.progress, self._sort = found, progress, sort

    @property
    def numbers(self) -> Sequence[int]:
        """The numbers of the rows, in order."""
        if not self._sort:
            return self._found[None]
        numbers = array("Q")
        values = sort_values(list(self._found))
        for value in reversed(values) if self._sort.startswith("-") else values:
            numbers.extend(self._found[value])
        return numbers

    def __len__(self) -> int:
        return sum(map(len, list(self._found.values())))

    def wait(self, count: int) -> None:
        """Wait until `count` rows or all are found, for a short time at most."""
        self.progress.wait(lambda: len(self) >= count and not self._sort)

    def neighbours(self, number: int) -> tuple[int | None, int | None, int | None]:
        """Return the place of a row among the matches (None if absent), and those beside it."""
        self.progress.wait(lambda: not self._sort and len(self) > 0 and self.numbers[-1] > number)
        numbers = self.numbers
        if self._sort and number not in numbers:
            return None, None, None
        place = numbers.index(number) if self._sort else bisect_left(numbers, number)
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
        self._searches: OrderedDict[Filter, SearchResult] = OrderedDict()
        self._lock = threading.Lock()

    def judge(self, row: Example) -> Score | None:
        """Return the score of the answer to a row; None if there is none."""
        answer = (self.answers or {}).get(row.id)
        return None if answer is None else score(row, answer)

    @cached_property
    def answered(self) -> Sequence[int]:
        """The numbers of the rows with a prediction."""
        numbers = (self.rows.find(name) for name in self.answers or {})
        return sorted(number for number in numbers if number is not None)

    def find(self, wanted: Filter) -> SearchResult:
        """Return the matching rows; recent searches are cached."""
        span = self.rows.spans[wanted.split] if wanted.split else range(len(self.rows))
        numbers: Sequence[int] = span
        if wanted.verdict not in ("", UNANSWERED):
            numbers = self.answered[
                bisect_left(self.answered, span.start) : bisect_left(self.answered, span.stop)
            ]
        if not wanted.needs_reading:
            return SearchResult({None: numbers}, ScanProgress(len(numbers), len(numbers)))
        with self._lock:
            if wanted not in self._searches:
                self._searches[wanted] = self._search(wanted, numbers)
                if len(self._searches) > _MAX_SEARCHES:
                    self._searches.popitem(last=False)[1].progress.stopped = True
            self._searches.move_to_end(wanted)
            return self._searches[wanted]

    def _search(self, wanted: Filter, numbers: Sequence[int]) -> SearchResult:
        """Start to search these rows."""
        found: dict[Scalar, array[int]] = {} if wanted.sort else {None: array("Q")}

        def handle(number: int, line: bytes) -> None:
            if wanted.matches(line, self.judge):
                value = self._value(parse_row(line), wanted.sort_column) if wanted.sort else None
                found.setdefault(value, array("Q")).append(number)

        return SearchResult(found, _start_scan(self.rows, numbers, handle), wanted.sort)

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
