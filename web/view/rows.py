"""Random access to the rows of a dataset by an index of file offsets."""

import shutil
import threading
import weakref
from array import array
from bisect import bisect, bisect_left
from collections.abc import Iterable, Iterator, Sequence
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

_ROWS_PER_OFFSET = 32
"""Rows between two indexed offsets."""
_ROWS_PER_BATCH = 4_000
"""Rows indexed before the lock is released."""
_MAX_UNPACKED_FILES = 8
"""Maximum number of unpacked copies of files."""


class RowLocation(NamedTuple):
    """The split of a row, and its number there."""

    split: str
    number: int


class DatasetRows:
    """The rows of a dataset, numbered across all splits in the order of its files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest = Manifest.load(folder)
        self._files = self.manifest.files
        self._ends = list(accumulate(file.rows for file in self._files))
        self._indexes = [_OffsetIndex(file.rows) for file in self._files]
        self._unpacked: dict[str, Path] = {}
        self._unpacking = threading.Lock()
        self.spans = self._spans()

    def __len__(self) -> int:
        return self._ends[-1]

    @property
    def _packed(self) -> bool:
        return self.manifest.encoding != "jsonl"

    def _spans(self) -> dict[str, range]:
        """Return the numbers of each split's rows; raise NotADataset if files are missing."""
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
                f"{self.folder}: the splits of its manifest do not match its files; gen verify "
                f"{self.folder} says what is damaged"
            )
        return spans

    def place(self, number: int) -> RowLocation:
        """Return the split of a row and its number there."""
        for split, span in self.spans.items():
            if number in span:
                return RowLocation(split, number - span.start)
        raise IndexError(number)

    def number(self, split: str, number: int) -> int | None:
        """Return the number across all splits of a split's row; None if there is none."""
        span = self.spans.get(split, range(0))
        return span[number] if 0 <= number < len(span) else None

    def find(self, name: str) -> int | None:
        """Return the number of the row with this id; None if there is none."""
        manifest = self.manifest
        stem, _, digits = name.rpartition("-")
        number = int(digits) if digits.isdecimal() and len(digits) < 20 else -1
        split = stem.rpartition("-")[2]
        made_by = manifest.generator, manifest.version, manifest.seed
        return self.number(split, number) if row_id(*made_by, split, number) == name else None

    def row(self, number: int) -> Example:
        """Return one row."""
        return self.rows([number])[0]

    def rows(self, numbers: Iterable[int]) -> list[Example]:
        """Return the rows with these numbers; consecutive rows of a file share one open file."""
        rows = []
        for index, group in groupby(numbers, lambda number: bisect(self._ends, number)):
            with self._reading(index) as (file, path):
                first = self._ends[index] - file.rows
                for number, line in self._indexes[index].lines(path, (n - first for n in group)):
                    rows.append(self._parse(line, file, number))
        return rows

    def lines(self, numbers: Sequence[int]) -> Iterator[tuple[int, bytes]]:
        """Yield the numbers and lines of rows, in ascending order."""
        for index, file in enumerate(self._files):
            first = self._ends[index] - file.rows
            wanted = numbers[bisect_left(numbers, first) : bisect_left(numbers, self._ends[index])]
            if wanted:
                with self._reading(index, unpack=False) as (_, path):
                    inside = (number - first for number in wanted)
                    for number, line in self._indexes[index].lines(path, inside):
                        yield first + number, line

    def sample(self, most: int) -> list[Example]:
        """Return up to `most` rows from all parts of the dataset, without the index."""
        lines = (
            self._first_lines(most)
            if len(self) <= most or self._packed
            else self._spread_lines(most)
        )
        sample = []
        for line in lines:
            with suppress(ValueError):  # reported when that row is requested
                sample.append(Example.parse(line))
        return sample

    def _first_lines(self, most: int) -> Iterator[bytes]:
        return (line for _, line in self.lines(range(min(most, len(self)))))

    def _spread_lines(self, most: int) -> Iterator[bytes]:
        """Yield lines after evenly spaced byte offsets, at least one of each file."""
        per_byte = most / sum(file.bytes for file in self._files)
        for index, file in enumerate(self._files):
            with self._reading(index) as (_, path), open_lines(path) as lines:
                count, last = max(1, round(file.bytes * per_byte)), -1
                for n in range(count):
                    if (place := file.bytes * n // count) > last:
                        lines.seek(place)
                        if place:
                            next_line(lines)  # the rest of a row
                        if line := next_line(lines):
                            yield line
                        last = lines.tell()

    def index(self) -> None:
        """Index all offsets in advance, except for packed files."""
        for index, file in enumerate(self._files):
            if not self._packed:
                with self._reading(index) as (_, path):
                    for number in range(0, file.rows, _ROWS_PER_BATCH):
                        self._indexes[index].offset(path, number)

    def _parse(self, line: bytes, file: DataFile, number: int) -> Example:
        try:
            return Example.parse(line)
        except ValueError as error:
            raise self._damaged(file, f"row {number}: {error}") from None

    @contextmanager
    def _reading(self, index: int, unpack: bool = True) -> Iterator[tuple[DataFile, Path]]:
        file = self._files[index]
        try:
            path = self.folder / file.name
            yield file, self._unpack(path) if unpack and self._packed else path
        except (OSError, ValueError) as error:
            raise self._damaged(file, str(error)) from None

    @cached_property
    def _temporary_folder(self) -> Path:
        """A temporary folder for copies, deleted with this object."""
        folder = mkdtemp(prefix="relsmith-view-")
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        return Path(folder)

    def _unpack(self, path: Path) -> Path:
        """Return an unpacked copy of a file, for random access."""
        with self._unpacking:
            if path.name not in self._unpacked:
                copy = self._temporary_folder / path.stem
                with open_lines(path) as packed, copy.open("wb") as plain:
                    shutil.copyfileobj(packed, plain, 1 << 20)
                self._unpacked[path.name] = copy
                if len(self._unpacked) > _MAX_UNPACKED_FILES:
                    self._unpacked.pop(next(iter(self._unpacked))).unlink()
            return self._unpacked[path.name]

    def _damaged(self, file: DataFile, why: str) -> NotADataset:
        return NotADataset(
            f"{self.folder / file.name}: {' '.join(why.split())}; "
            f"gen verify {self.folder} says what is damaged"
        )


class _OffsetIndex:
    """Offsets of every 32nd row of a file, computed as needed."""

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self._offsets = array("Q", [0])
        self._lock = threading.Lock()

    def offset(self, path: Path, number: int) -> int:
        """Return the last indexed offset before a row; extend the index if needed."""
        wanted = number // _ROWS_PER_OFFSET
        if wanted >= len(self._offsets):
            with self._lock, open_lines(path) as lines:
                lines.seek(self._offsets[-1])
                while wanted >= len(self._offsets):
                    sizes = [len(next_line(lines)) for _ in range(_ROWS_PER_OFFSET)]
                    if not sizes[-1]:
                        raise self._too_few_rows()
                    self._offsets.append(self._offsets[-1] + sum(sizes))
        return self._offsets[wanted]

    def lines(self, path: Path, numbers: Iterable[int]) -> Iterator[tuple[int, bytes]]:
        """Yield the numbers and lines of these rows."""
        with open_lines(path) as lines:
            current = -1
            for number in numbers:
                if not current <= number < current + _ROWS_PER_OFFSET or current < 0:
                    lines.seek(self.offset(path, number))
                    current = number // _ROWS_PER_OFFSET * _ROWS_PER_OFFSET
                while current < number:
                    next_line(lines)
                    current += 1
                line = next_line(lines)
                if not line:
                    raise self._too_few_rows()
                current += 1
                yield number, line

    def _too_few_rows(self) -> ValueError:
        return ValueError(f"expected {self.rows} rows as in the manifest, but got fewer")
