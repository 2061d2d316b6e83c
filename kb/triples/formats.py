"""Formats of triples, and how a file is split into parts."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from ...errors import InvalidOption, NotFound, hint
from ...storage.text import is_gzip
from . import table
from .source import SourcePart, TripleSource
from .table import TripleReader
from .text import read_text

READERS: dict[str, TripleReader] = {
    "text": read_text,
    "tsv": table.read_tsv,
    "csv": table.read_csv,
    "jsonl": table.read_jsonl,
    "parquet": table.read_parquet,
}

_BY_SUFFIX = {
    ".txt": "text",
    ".tsv": "tsv",
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}
_PART_BYTES = 1 << 24
_TEXT_PART_BYTES = 1 << 19
_WHOLE_FILE = 1 << 62


def make_source(
    path: Path,
    format: str | None = None,
    columns: Iterable[tuple[str, str]] = (),
    pipeline: str = "",
) -> TripleSource:
    """Return a source for a file, with a given format or that of its suffix."""
    if not path.is_file():
        raise NotFound(f"there is no file {str(path)!r}; name files of triples or of text")
    if format is None:
        name = path.with_suffix("") if path.suffix == ".gz" else path
        format = _BY_SUFFIX.get(name.suffix)
    if format not in READERS:
        unnamed = f"{path.name!r} does not tell its format"
        why = unnamed if format is None else f"nothing is called {format!r}"
        raise InvalidOption(f"--format: {why}; {hint(str(format), READERS)}")
    return TripleSource(path, format, tuple(columns), pipeline)


def split_source(source: TripleSource) -> Iterator[SourcePart]:
    """Split a source for parallel reading; the parts depend on the file only."""
    size = source.size()
    if source.format == "parquet":
        groups = table.parquet(source).num_row_groups
        for group in range(groups):
            yield SourcePart(source, group, group + 1, size // groups)
        return
    if source.format in ("tsv", "csv"):
        table.check_columns(source)
    if is_gzip(source.path):
        yield SourcePart(source, 0, _WHOLE_FILE, size)
        return
    step = _TEXT_PART_BYTES if source.format == "text" else _PART_BYTES
    for start in range(0, size, step):
        stop = min(size, start + step)
        yield SourcePart(source, start, stop, stop - start)
