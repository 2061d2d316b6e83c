"""The rows of a dataset by number across its splits, and by id."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from ...dataset import Dataset
from ...errors import NotADataset
from ...example import Example


class RowLocation(NamedTuple):
    """The split of a row, and its number there."""

    split: str
    number: int


class DatasetRows:
    """The rows of a dataset, numbered across all splits in the order of its files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._dataset = Dataset(folder)
        self.manifest = self._dataset.manifest
        self.spans = self._spans()

    def __len__(self) -> int:
        return len(self._dataset)

    def _spans(self) -> dict[str, range]:
        """Return the numbers of each split's rows; raise NotADataset if files are missing."""
        spans: dict[str, range] = {}
        start = 0
        for split, files in groupby(self.manifest.files, lambda file: file.split):
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
        stem, _, digits = name.rpartition("-")
        number = int(digits) if digits.isdecimal() and len(digits) < 20 else -1
        split = stem.rpartition("-")[2]
        return self.number(split, number) if self.manifest.row_id(split, number) == name else None

    def rows(self, numbers: Iterable[int]) -> list[Example]:
        """Return the rows with these numbers."""
        return self._dataset.rows_at(numbers)

    def lines(self, numbers: Sequence[int]) -> Iterator[tuple[int, bytes]]:
        """Yield the numbers and lines of rows."""
        return zip(numbers, self._dataset.lines_at(numbers), strict=True)

    def sample(self, most: int) -> list[Example]:
        """Return up to `most` evenly spaced rows."""
        count, sample = min(most, len(self)), []
        for line in self._dataset.lines_at(len(self) * n // count for n in range(count)):
            with suppress(ValueError):  # reported when that row is requested
                sample.append(Example.parse(line))
        return sample
