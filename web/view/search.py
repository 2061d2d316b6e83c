"""Rows that fit a filter, and what all rows add up to: looked for in the background."""

import threading
from array import array
from bisect import bisect_left
from collections import Counter, OrderedDict
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
from .rows import Rows

NOTHING = "(none)"
WRONG, RIGHT, UNANSWERED = "wrong", "right", "not answered"
_NOTICE = 200
_PATIENCE = 1.5
_SEARCHES = 8
_MOST_VALUES = 5_000


def word(value: Scalar) -> str:
    """A label as it is shown and filtered by."""
    if value is None or value == "":
        return NOTHING
    return str(value).lower() if isinstance(value, bool) else str(value)


@dataclass(frozen=True)
class Filter:
    """Which rows: of a split, with these labels, with a text in them, answered like that."""

    split: str = ""
    labels: tuple[tuple[str, str], ...] = ()
    text: str = ""
    verdict: str = ""

    @property
    def reads(self) -> bool:
        """Whether rows must be read to tell which fit."""
        return bool(self.labels or self.text or self.verdict)

    @cached_property
    def _needle(self) -> bytes | None:
        """What the line of a row must have if the row has the text, in small letters of ASCII."""
        plain = self.text.isascii() and self.text.isprintable() and not {'"', "\\"} & {*self.text}
        return self.text.lower().encode() if plain else None

    def fits(self, line: bytes, judge: Callable[[Example], Score | None]) -> bool:
        """Whether the row of a line does, apart from its split."""
        if self.text and self._needle is not None and self._needle not in line.lower():
            return False
        row = read(line)
        if self.text:
            wanted = self.text.lower()
            texts = (row.id, row.input, row.target, *row.choices)
            if not any(wanted in text.lower() for text in texts):
                return False
        known = flatten_metadata(row.metadata) | {"target": row.target} if self.labels else {}
        if any(name not in known or word(known[name]) != value for name, value in self.labels):
            return False
        return not self.verdict or verdict(judge(row)) == self.verdict


def read(line: bytes) -> Example:
    """The row of a line, without the checks that take most of the time."""
    try:
        row = Example(**parse_json(line))
        if isinstance(row.metadata, dict) and isinstance(row.input, str):
            return row
    except TypeError:
        pass
    return Example.parse(line)  # which says what is wrong


def verdict(judged: Score | None) -> str:
    """How a row is answered, in a word."""
    if judged is None:
        return UNANSWERED
    return RIGHT if judged.value == 1 else WRONG


@dataclass
class Progress:
    """How far something in the background is."""

    total: int
    seen: int = 0
    failed: RelsmithError | None = None
    stopped: bool = False
    changed: threading.Condition = field(default_factory=threading.Condition)

    @property
    def done(self) -> bool:
        """Whether all rows have been seen."""
        return self.seen >= self.total

    def wait(self, ready: Callable[[], bool]) -> None:
        """Wait until something is ready, or all is done, but never long."""
        with self.changed:
            self.changed.wait_for(lambda: ready() or self.done or bool(self.failed), _PATIENCE)
        if self.failed:
            raise self.failed


def _started(rows: Rows, numbers: range, take: Callable[[int, bytes], None]) -> Progress:
    """Hand all lines of these rows to a function, in a thread of its own."""
    progress = Progress(len(numbers))

    def run() -> None:
        try:
            for number, line in rows.lines(numbers):
                take(number, line)
                progress.seen += 1
                if progress.seen % _NOTICE == 0:
                    if progress.stopped:
                        return
                    with progress.changed:
                        progress.changed.notify_all()
        except RelsmithError as error:
            progress.failed = error
        except Exception as error:
            what = " ".join(f"{type(error).__name__}: {error}".split())
            progress.failed = NotADataset(
                f"{rows.folder}, row {numbers.start + progress.seen}: {what}; "
                f"gen verify {rows.folder} says what is damaged"
            )
        with progress.changed:
            progress.changed.notify_all()

    threading.Thread(target=run, daemon=True).start()
    return progress


class Found:
    """The numbers of rows that fit, in order, as far as they are known."""

    def __init__(self, numbers: Sequence[int], progress: Progress) -> None:
        self.numbers, self.progress = numbers, progress

    def __len__(self) -> int:
        return len(self.numbers)

    def wait(self, count: int) -> None:
        """Wait until so many are found, or all, but never long."""
        self.progress.wait(lambda: len(self.numbers) >= count)

    def around(self, number: int) -> tuple[int | None, int | None, int | None]:
        """The place of a number among these if it is, and the numbers before and after it."""
        self.progress.wait(lambda: bool(self.numbers) and self.numbers[-1] > number)
        numbers = self.numbers
        place = bisect_left(numbers, number)
        here = place < len(numbers) and numbers[place] == number
        after = place + here
        return (
            place if here else None,
            numbers[place - 1] if place else None,
            numbers[after] if after < len(numbers) else None,
        )


class Desk:
    """A dataset to look at: its rows, the answers to them if there are any, what was looked for."""

    def __init__(self, rows: Rows, answers: Mapping[str, str] | None = None) -> None:
        self.rows, self.answers = rows, answers
        self._searches: OrderedDict[Filter, Found] = OrderedDict()
        self._lock = threading.Lock()

    def judge(self, row: Example) -> Score | None:
        """What the answer to a row is worth, where there is one."""
        answer = (self.answers or {}).get(row.id)
        return None if answer is None else score(row, answer)

    def find(self, wanted: Filter) -> Found:
        """The rows that fit; looked for but once."""
        span = self.rows.spans[wanted.split] if wanted.split else range(len(self.rows))
        if not wanted.reads:
            return Found(span, Progress(len(span), len(span)))
        with self._lock:
            if wanted not in self._searches:
                numbers = array("Q")

                def take(number: int, line: bytes) -> None:
                    if wanted.fits(line, self.judge):
                        numbers.append(number)

                self._searches[wanted] = Found(numbers, _started(self.rows, span, take))
                if len(self._searches) > _SEARCHES:
                    self._searches.popitem(last=False)[1].progress.stopped = True
            self._searches.move_to_end(wanted)
            return self._searches[wanted]

    @cached_property
    def facets(self) -> dict[str, list[str]]:
        """What rows can be filtered by, and the values of each, by the looks of a sample."""
        sample = self.rows.sample(_SAMPLE)
        columns: dict[str, list[Scalar]] = {"target": [row.target for row in sample]}
        for known in (flatten_metadata(row.metadata) for row in sample):
            for name, value in known.items():
                columns.setdefault(name, []).append(value)
        most = min(_MOST_CHOICES, max(2, len(sample) // 2))
        return {
            name: [word(value) for value in ordered(set(values))]
            for name, values in columns.items()
            if len(values) == len(sample) and 2 <= len(set(values)) <= most
        }

    @cached_property
    def census(self) -> "Census":
        """What all rows add up to, counted once, when first asked for."""
        return Census(self)


_SAMPLE = 1_000
_MOST_CHOICES = 60


def ordered(values: Any) -> list[Scalar]:
    """Numbers by size, words by the alphabet, nothing last."""
    return sorted(
        values,
        key=lambda value: (
            value is None or value == "",
            isinstance(value, str),
            0 if isinstance(value, str) or value is None else value,
            str(value),
        ),
    )


class Census:
    """Counts over all rows: answers and other labels, lengths, and what was answered right."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._names = [name for name in desk.facets if name != "target"]
        self.counts: dict[str, Counter[Scalar]] = {name: Counter() for name in self._names}
        self.counts["target"] = Counter()
        self.right: dict[str, Counter[Scalar]] = {name: Counter() for name in self.counts}
        self.answered: dict[str, Counter[Scalar]] = {name: Counter() for name in self.counts}
        self.lengths: Counter[int] = Counter()
        self.verdicts: Counter[str] = Counter()
        self.rarer = 0
        """Rows whose answer is not counted, there being too many answers."""
        self.progress = _started(desk.rows, range(len(desk.rows)), self._take)

    def _take(self, number: int, line: bytes) -> None:
        row = read(line)
        known: dict[str, Scalar] = flatten_metadata(row.metadata)
        values = {name: known.get(name) for name in self._names}
        targets = self.counts["target"]
        if row.target in targets or len(targets) < _MOST_VALUES:
            values["target"] = row.target
        else:
            self.rarer += 1
        for name, value in values.items():
            self.counts[name][value] += 1
        self.lengths[len(row.input.split())] += 1
        if self._desk.answers is not None:
            judged = self._desk.judge(row)
            self.verdicts[verdict(judged)] += 1
            if judged is not None:
                for name, value in values.items():
                    self.answered[name][value] += 1
                    self.right[name][value] += judged.value == 1
