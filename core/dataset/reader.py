"""Reading a dataset."""

import html
from array import array
from bisect import bisect
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import accumulate, groupby
from typing import TypeVar, overload

from ..errors import NotADataset, NotFound, RelsmithError, hint
from ..example import Example
from ..generator import Generator
from ..judge import undocumented
from ..registry import GENERATORS
from ..storage.store import Place, place_of
from ..storage.text import next_line
from .encoding import open_lines
from .manifest import File, Manifest

T = TypeVar("T")

_ROWS_TO_SHOW = 3


class Dataset:
    """A finished dataset, or one split of it: a sequence of rows with a `manifest`.

    `dataset["test"]` is a split, `dataset[3]` a row, `dataset[:5]` a list of rows. Nothing is
    read before it is needed, and nothing is judged: that is for `verify`.
    """

    def __init__(self, folder: str | Place, split: str | None = None) -> None:
        self.folder = place_of(folder)
        self.split = split
        self.manifest = Manifest.load(self.folder)
        self._keep(self._files_of(split))

    def _keep(self, files: list[File]) -> None:
        self._files = files
        self._ends = list(accumulate(file.rows for file in files))
        self._places: dict[str, array[int]] = {}
        self._at_hand: tuple[str, Example] | None = None

    def rows(self, split: str | None = None) -> Iterator[Example]:
        """Stream the rows of a split, or of all, in order."""
        for file in self._files if split is None else self._files_of(split):
            yield from self._file_rows(file)

    def mapped(self, function: Callable[[Example], T | None], split: str) -> Iterator[T]:
        """What a function makes of each row of a split, in order; None is left out.

        Where the function can be pickled, workers may share it (`gen export --engine`).
        """
        return (made for row in self.rows(split) if (made := function(row)) is not None)

    def only(self, file: File) -> "Dataset":
        """The same with nothing but one file, for a worker to take along."""
        alone = Dataset.__new__(Dataset)
        alone.folder, alone.split = self.folder, file.split
        alone.manifest = self.manifest.model_copy(update={"files": [file]})
        alone._keep([file])
        return alone

    def __len__(self) -> int:
        return sum(file.rows for file in self._files)

    def __iter__(self) -> Iterator[Example]:
        return self.rows()

    @overload
    def __getitem__(self, key: str) -> "Dataset": ...
    @overload
    def __getitem__(self, key: int) -> Example: ...
    @overload
    def __getitem__(self, key: slice) -> list[Example]: ...
    def __getitem__(self, key: str | int | slice) -> "Dataset | Example | list[Example]":
        if isinstance(key, str):
            return Dataset(self.folder, key)
        try:
            numbers = range(len(self))[key]
        except IndexError:
            raise IndexError(f"{self.folder} has {len(self)} rows, no row {key}") from None
        if isinstance(numbers, int):
            return next(self._numbered([numbers]))
        return list(self._numbered(numbers))

    def __repr__(self) -> str:
        manifest = self.manifest
        splits = {self.split: len(self)} if self.split else manifest.splits
        rows = ", ".join(f"{split} {count}" for split, count in splits.items())
        made_by = f"{manifest.generator} v{manifest.version}, seed {manifest.seed}"
        return f"<Dataset {self.folder}: {made_by}; {rows} rows>"

    def _repr_html_(self) -> str:
        """What a notebook shows: the summary, and the first rows."""
        cells = "".join(
            f"<tr><td>{html.escape(row.input)}</td><td>{html.escape(row.target)}</td></tr>"
            for row in self[:_ROWS_TO_SHOW]
        )
        head = "<tr><th>input</th><th>target</th></tr>"
        return f"<p>{html.escape(repr(self))}</p><table>{head}{cells}</table>"

    def documented_rows(self, kind: type[Generator], split: str | None = None) -> Iterator[Example]:
        """Stream rows, or complain of the first that is not as that kind describes its rows."""
        for example in self.rows(split):
            for finding in undocumented(kind, example):
                assert self._at_hand
                raise self._unfit(self._at_hand[0], example, finding)
            yield example

    @contextmanager
    def damage_explained(self) -> Iterator[None]:
        """Where something breaks down over the rows, name the one it had last, and what is amiss.

        Rows are read without being judged: what uses their metadata does so in here.
        """
        try:
            yield
        except (RelsmithError, OSError):
            raise
        except Exception as error:
            if self._at_hand is None:
                raise
            place, example = self._at_hand
            findings = [" ".join(f"{type(error).__name__}: {error}".split())]
            with suppress(RelsmithError):
                kind = GENERATORS.get(self.manifest.generator)
                findings = undocumented(kind, example) or findings
            raise self._unfit(place, example, findings[0]) from error

    def _files_of(self, split: str | None) -> list[File]:
        if split is not None and split not in self.manifest.splits:
            raise NotFound(
                f"{self.folder} has no split {split!r}; {hint(split, self.manifest.splits)}"
            )
        return [file for file in self.manifest.files if split in (None, file.split)]

    def _file_rows(self, file: File) -> Iterator[Example]:
        number = 0
        try:
            with open_lines(self.folder / file.name) as lines:
                while line := next_line(lines):
                    example = Example.parse(line)
                    number += 1
                    self._at_hand = f"{file.name}:{number}", example
                    yield example
            _check_rows(file, number)
        except _DAMAGE as error:
            raise self._damaged(file, number, error) from None

    def _numbered(self, numbers: Iterable[int]) -> Iterator[Example]:
        """The rows of these numbers; a file is opened once for all that follow in it."""
        for index, group in groupby(numbers, lambda number: bisect(self._ends, number)):
            file, number = self._files[index], 0
            try:
                places = self._index(file)
                with open_lines(self.folder / file.name) as lines:
                    for n in group:
                        number = n - self._ends[index] + file.rows
                        lines.seek(places[number])
                        yield Example.parse(next_line(lines))
            except _DAMAGE as error:
                raise self._damaged(file, number, error) from None

    def _index(self, file: File) -> "array[int]":
        """Where each row of a file begins, read off it once."""
        if file.name not in self._places:
            with open_lines(self.folder / file.name) as lines:
                sizes = map(len, iter(lambda: next_line(lines), b""))
                places = array("Q", accumulate(sizes, initial=0))
            _check_rows(file, len(places) - 1)
            self._places[file.name] = places
        return self._places[file.name]

    def _unfit(self, place: str, example: Example, finding: str) -> NotADataset:
        return NotADataset(
            f"{self.folder}/{place}: {example.id:.100} is damaged, or not what is expected here "
            f"({finding}); gen verify {self.folder} says which"
        )

    def _damaged(self, file: File, number: int, error: Exception) -> NotADataset:
        return NotADataset(
            f"{self.folder}/{file.name}, after line {number}: {' '.join(str(error).split())}; "
            f"gen verify {self.folder} says what is damaged"
        )


_DAMAGE = (OSError, ValueError)


def _check_rows(file: File, rows: int) -> None:
    if rows != file.rows:
        raise ValueError(f"there are {rows} rows, but the manifest says {file.rows}")
