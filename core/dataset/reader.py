"""Read a dataset."""

from array import array
from bisect import bisect
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import accumulate, groupby
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, overload

from ..errors import (
    MissingExtra,
    NotADataset,
    NotFound,
    RelsmithError,
    hint,
    install_command,
    reason,
)
from ..example import Example
from ..generator import Generator
from ..registry import GENERATORS
from ..storage.files import local_path
from ..storage.text import next_line
from ..validation import schema_findings
from .encoding import open_lines
from .manifest import DataFile, Manifest

if TYPE_CHECKING:
    import pandas

T = TypeVar("T")


class Dataset:
    """A finished dataset, or one split of it: a sequence of rows with a `manifest`.

    `dataset["test"]` is a split, `dataset[3]` a row, `dataset[:5]` a list of rows. Rows are read
    lazily and not judged; use `verify` for that.
    """

    def __init__(self, folder: str | Path, split: str | None = None) -> None:
        self.folder = local_path(folder)
        self.split = split
        self.manifest = Manifest.load(self.folder)
        self._set_files(self._files_of(split))

    def _set_files(self, files: list[DataFile]) -> None:
        self._files = files
        self._ends = list(accumulate(file.rows for file in files))
        self._offsets: dict[str, array[int]] = {}
        self._last_read: tuple[str, Example] | None = None

    def rows(self, split: str | None = None) -> Iterator[Example]:
        """Yield the rows of a split, or of all splits, in order."""
        for file in self._files if split is None else self._files_of(split):
            yield from self._file_rows(file)

    def map_rows(self, function: Callable[[Example], T | None], split: str) -> Iterator[T]:
        """Yield `function(row)` for each row of a split, in order, without None.

        A function that can be pickled may run in workers (`gen export --engine`).
        """
        return (result for row in self.rows(split) if (result := function(row)) is not None)

    def with_file(self, file: DataFile) -> "Dataset":
        """Return the dataset restricted to one file, to be sent to a worker."""
        single = Dataset.__new__(Dataset)
        single.folder, single.split = self.folder, file.split
        single.manifest = self.manifest.model_copy(update={"files": [file]})
        single._set_files([file])
        return single

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
            return self.rows_at([numbers])[0]
        return self.rows_at(numbers)

    def __repr__(self) -> str:
        manifest = self.manifest
        splits = {self.split: len(self)} if self.split else manifest.splits
        rows = ", ".join(f"{split} {count}" for split, count in splits.items())
        made_by = f"{manifest.generator} v{manifest.version}, seed {manifest.seed}"
        return f"<Dataset {self.folder}: {made_by}; {rows} rows>"

    def to_pandas(self) -> "pandas.DataFrame":
        """Return the rows as a table, with their split and a column for each metadata field.

        The columns are id, split, input, choices, target, and `metadata.NAME`.
        """
        try:
            import pandas
        except ImportError:
            raise MissingExtra(f"a table needs pandas: {install_command('stats')}") from None
        return pandas.DataFrame(
            {
                "id": row.id,
                "split": file.split,
                "input": row.input,
                "choices": row.choices,
                "target": row.target,
                **{f"metadata.{name}": value for name, value in row.metadata.items()},
            }
            for file in self._files
            for row in self._file_rows(file)
        )

    @property
    def generator(self) -> type[Generator] | None:
        """The generator class, if it is installed in the version that made the rows."""
        with suppress(RelsmithError):
            cls = GENERATORS.get(self.manifest.generator)
            return cls if cls.version == self.manifest.version else None
        return None

    def validated_rows(
        self, cls: type[Generator] | None, split: str | None = None
    ) -> Iterator[Example]:
        """Yield rows; raise NotADataset at the first that violates the schema of a generator."""
        for example in self.rows(split):
            for finding in schema_findings(cls, example) if cls else ():
                assert self._last_read
                raise self._invalid_row(self._last_read[0], example, finding)
            yield example

    @contextmanager
    def explain_damage(self) -> Iterator[None]:
        """Context manager: turn a failure into NotADataset that names a row and a field.

        Rows are not validated when read, so code that uses their metadata runs inside it. The row
        is the first that violates the generator's schema, or else the last that was read.
        """
        try:
            yield
        except (RelsmithError, OSError):
            raise
        except Exception as error:
            if self._last_read is None:
                raise
            place, example = self._last_read
            for _ in self.validated_rows(self.generator):
                pass
            finding = " ".join(f"{type(error).__name__}: {error}".split())
            raise self._invalid_row(place, example, finding) from error

    def _files_of(self, split: str | None) -> list[DataFile]:
        if split is not None and split not in self.manifest.splits:
            raise NotFound(
                f"{self.folder} has no split {split!r}; {hint(split, self.manifest.splits)}"
            )
        return [file for file in self.manifest.files if split in (None, file.split)]

    def _file_rows(self, file: DataFile) -> Iterator[Example]:
        number = 0
        try:
            with open_lines(self.folder / file.name) as lines:
                while line := next_line(lines):
                    example = Example.parse(line)
                    number += 1
                    self._last_read = f"{file.name}:{number}", example
                    yield example
            _check_rows(file, number)
        except _DAMAGE as error:
            raise self._damaged_file(file, number, error) from None

    def rows_at(self, numbers: Iterable[int]) -> list[Example]:
        """Return the rows of these numbers."""
        rows = []
        for file, number, line in self._lines_at(numbers):
            try:
                rows.append(Example.parse(line))
            except ValueError as error:
                raise self._damaged_file(file, number, error) from None
        return rows

    def lines_at(self, numbers: Iterable[int]) -> Iterator[bytes]:
        """Yield the rows of these numbers as they stand in the files."""
        return (line for _, _, line in self._lines_at(numbers))

    def _lines_at(self, numbers: Iterable[int]) -> Iterator[tuple[DataFile, int, bytes]]:
        """Yield rows with file and number; consecutive rows of a file open it once."""
        for index, group in groupby(numbers, lambda number: bisect(self._ends, number)):
            file, number = self._files[index], 0
            try:
                offsets = self._line_offsets(file)
                with open_lines(self.folder / file.name) as lines:
                    for n in group:
                        number = n - self._ends[index] + file.rows
                        lines.seek(offsets[number])
                        yield file, number, next_line(lines)
            except _DAMAGE as error:
                raise self._damaged_file(file, number, error) from None

    def _line_offsets(self, file: DataFile) -> "array[int]":
        """Return where each row of a file begins; the file is scanned once."""
        if file.name not in self._offsets:
            with open_lines(self.folder / file.name) as lines:
                sizes = map(len, iter(lambda: next_line(lines), b""))
                offsets = array("Q", accumulate(sizes, initial=0))
            _check_rows(file, len(offsets) - 1)
            self._offsets[file.name] = offsets
        return self._offsets[file.name]

    def _invalid_row(self, place: str, example: Example, finding: str) -> NotADataset:
        return NotADataset(
            f"{self.folder}/{place}: {example.id:.100} is damaged, or not what is expected here "
            f"({finding}); run gen verify {self.folder}"
        )

    def _damaged_file(self, file: DataFile, number: int, error: Exception) -> NotADataset:
        place = "" if getattr(error, "errno", None) else f", after line {number}"
        return NotADataset(
            f"{self.folder}/{file.name}{place}: {reason(error)}; run gen verify {self.folder}"
        )


_DAMAGE = (OSError, ValueError)


def _check_rows(file: DataFile, rows: int) -> None:
    if rows != file.rows:
        raise ValueError(f"there are {rows} rows, but the manifest says {file.rows}")
