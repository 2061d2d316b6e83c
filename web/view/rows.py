"""The rows of a dataset by number, however many: by an index of offsets, never by a load."""

import shutil
import threading
import weakref
from array import array
from bisect import bisect
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from itertools import accumulate, groupby
from pathlib import Path
from tempfile import mkdtemp
from typing import NamedTuple

from ...block import row_id
from ...dataset.encoding import open_lines
from ...dataset.manifest import DataFile, Manifest
from ...errors import NotADataset
from ...example import Example
from ...storage.text import next_line

_EVERY = 32
"""So many rows lie between two offsets that are kept."""
_AT_ONCE = 4_000
"""So many rows are indexed before others get their turn."""
_UNPACKED = 8
"""So many files are kept unpacked at once."""


class Place(NamedTuple):
    """Where a row stands: its split, and its number there."""

    split: str
    number: int


class Rows:
    """A dataset's rows, numbered through all splits in the order of its files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest = Manifest.load(folder)
        self._files = self.manifest.files
        self._ends = list(accumulate(file.rows for file in self._files))
        self._marks = [_Marks(file.rows) for file in self._files]
        self._unpacked: dict[str, Path] = {}
        self._unpacking = threading.Lock()
        self.spans = self._spans()

    def __len__(self) -> int:
        return self._ends[-1]

    @property
    def _packed(self) -> bool:
        return self.manifest.encoding != "jsonl"

    def _spans(self) -> dict[str, range]:
        """The numbers of each split's rows; its files must stand together and have all of them."""
        spans: dict[str, range] = {}
        start = 0
        for split, files in groupby(self._files, lambda file: file.split):
            end = start + sum(file.rows for file in files)
            if split in spans or self.manifest.splits.get(split) != end - start:
                break
            spans[split] = range(start, end)
            start = end
        if list(spans) != list(self.manifest.splits):
            raise NotADataset(
                f"{self.folder}: its manifest's splits do not fit its files; gen verify "
                f"{self.folder} says what is damaged"
            )
        return spans

    def place(self, number: int) -> Place:
        """Where the row of this number stands."""
        for split, span in self.spans.items():
            if number in span:
                return Place(split, number - span.start)
        raise IndexError(number)

    def number(self, split: str, number: int) -> int | None:
        """The number, through all splits, of a split's row; None where there is none."""
        span = self.spans.get(split, range(0))
        return span[number] if 0 <= number < len(span) else None

    def find(self, name: str) -> int | None:
        """The number of the row that has this id; None where there is none."""
        manifest = self.manifest
        stem, _, digits = name.rpartition("-")
        number = int(digits) if digits.isdecimal() and len(digits) < 20 else -1
        split = stem.rpartition("-")[2]
        made_by = manifest.generator, manifest.version, manifest.seed
        return self.number(split, number) if row_id(*made_by, split, number) == name else None

    def row(self, number: int) -> Example:
        """The row of this number."""
        return self.rows([number])[0]

    def rows(self, numbers: Iterable[int]) -> list[Example]:
        """The rows of these numbers; a file is opened once for all that follow in it."""
        rows = []
        for index, group in groupby(numbers, lambda number: bisect(self._ends, number)):
            with self._reading(index) as (file, path):
                first = self._ends[index] - file.rows
                for number, line in self._marks[index].lines(path, (n - first for n in group)):
                    rows.append(self._parsed(line, file, number))
        return rows

    def lines(self, numbers: range) -> Iterator[tuple[int, bytes]]:
        """The lines of a run of rows, one after the other, with their numbers."""
        for index, file in enumerate(self._files):
            first = self._ends[index] - file.rows
            wanted = range(max(numbers.start, first), min(numbers.stop, first + file.rows))
            if wanted:
                with self._reading(index, unpack=False) as (_, path):
                    inside = range(wanted.start - first, wanted.stop - first)
                    for number, line in self._marks[index].lines(path, inside):
                        yield first + number, line

    def sample(self, most: int) -> list[Example]:
        """Up to so many rows from all over the dataset, found without an index."""
        lines = self._few(most) if len(self) <= most or self._packed else self._scattered(most)
        sample = []
        for line in lines:
            with suppress(ValueError):  # whoever asks for that row is told
                sample.append(Example.parse(line))
        return sample

    def _few(self, most: int) -> Iterator[bytes]:
        return (line for _, line in self.lines(range(min(most, len(self)))))

    def _scattered(self, most: int) -> Iterator[bytes]:
        """Lines that begin after evenly spaced bytes, one of each file at least."""
        per_byte = most / sum(file.bytes for file in self._files)
        for index, file in enumerate(self._files):
            with self._reading(index) as (_, path), open_lines(path) as lines:
                count, last = max(1, round(file.bytes * per_byte)), -1
                for n in range(count):
                    if (place := file.bytes * n // count) > last:
                        lines.seek(place)
                        if place:
                            next_line(lines)  # what is left of the row that is there
                        if line := next_line(lines):
                            yield line
                        last = lines.tell()

    def index(self) -> None:
        """Find all offsets ahead of time; packed files are left for when they are needed."""
        for index, file in enumerate(self._files):
            if not self._packed:
                with self._reading(index) as (_, path):
                    for number in range(0, file.rows, _AT_ONCE):
                        self._marks[index].reach(path, number)

    def _parsed(self, line: bytes, file: DataFile, number: int) -> Example:
        try:
            return Example.parse(line)
        except ValueError as error:
            raise self._damaged(file, f"row {number}: {error}") from None

    @contextmanager
    def _reading(self, index: int, unpack: bool = True) -> Iterator[tuple[DataFile, Path]]:
        file = self._files[index]
        try:
            path = self.folder / file.name
            yield file, self._plain(path) if unpack and self._packed else path
        except (OSError, ValueError) as error:
            raise self._damaged(file, str(error)) from None

    @cached_property
    def _desk(self) -> Path:
        """A folder for copies, which goes when these rows or the program do."""
        folder = mkdtemp(prefix="relsmith-view-")
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        return Path(folder)

    def _plain(self, path: Path) -> Path:
        """A copy of a packed file in which rows can be looked up; packed ones are read in order."""
        with self._unpacking:
            if path.name not in self._unpacked:
                copy = self._desk / path.stem
                with open_lines(path) as packed, copy.open("wb") as plain:
                    shutil.copyfileobj(packed, plain, 1 << 20)
                self._unpacked[path.name] = copy
                if len(self._unpacked) > _UNPACKED:
                    self._unpacked.pop(next(iter(self._unpacked))).unlink()
            return self._unpacked[path.name]

    def _damaged(self, file: DataFile, why: str) -> NotADataset:
        return NotADataset(
            f"{self.folder / file.name}: {' '.join(why.split())}; "
            f"gen verify {self.folder} says what is damaged"
        )


class _Marks:
    """Where rows of a file begin: one of every few, as far as anybody has asked."""

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self._places = array("Q", [0])
        self._lock = threading.Lock()

    def reach(self, path: Path, number: int) -> int:
        """The offset of the last mark before a row, having looked for it if need be."""
        wanted = number // _EVERY
        if wanted >= len(self._places):
            with self._lock, open_lines(path) as lines:
                lines.seek(self._places[-1])
                while wanted >= len(self._places):
                    sizes = [len(next_line(lines)) for _ in range(_EVERY)]
                    if not sizes[-1]:
                        raise self._short()
                    self._places.append(self._places[-1] + sum(sizes))
        return self._places[wanted]

    def lines(self, path: Path, numbers: Iterable[int]) -> Iterator[tuple[int, bytes]]:
        """The lines of these rows, with their numbers."""
        with open_lines(path) as lines:
            here = -1
            for number in numbers:
                if not here <= number < here + _EVERY or here < 0:
                    lines.seek(self.reach(path, number))
                    here = number // _EVERY * _EVERY
                while here < number:
                    next_line(lines)
                    here += 1
                line = next_line(lines)
                if not line:
                    raise self._short()
                here += 1
                yield number, line

    def _short(self) -> ValueError:
        return ValueError(f"there are fewer than the {self.rows} rows that the manifest says")
