"""Reading a dataset."""

import zlib
from collections.abc import Iterator
from pathlib import Path

from ..errors import NotADataset, NotFound, hint
from ..example import Example
from .manifest import File, Manifest
from .shard import open_lines


class Dataset:
    """A finished dataset: `manifest`, and `rows()` of one split or of all."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.manifest = Manifest.load(self.folder)

    def rows(self, split: str | None = None) -> Iterator[Example]:
        """Stream the rows in order, without judging them."""
        if split is not None and split not in self.manifest.splits:
            raise NotFound(
                f"{self.folder} has no split {split!r}; {hint(split, self.manifest.splits)}"
            )
        for file in self.manifest.files:
            if split in (None, file.split):
                yield from self._file_rows(file)

    def _file_rows(self, file: File) -> Iterator[Example]:
        name, number = file.name, 0
        try:
            with open_lines(self.folder / name) as lines:
                for line in lines:
                    yield Example.parse(line)
                    number += 1
            if number != file.rows:
                raise ValueError(f"it ends there, but the manifest says {file.rows} rows")
        except (OSError, EOFError, ValueError, zlib.error) as error:
            raise NotADataset(
                f"{self.folder / name}, after line {number}: {' '.join(str(error).split())}; "
                f"gen verify {self.folder} says what is damaged"
            ) from None
