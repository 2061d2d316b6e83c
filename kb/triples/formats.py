"""The formats that triples are read from, and how a file is cut into parts."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from ...errors import InvalidOption, NotFound, hint
from ...storage.text import is_packed
from . import table
from .ngrams import read_ngrams
from .source import Part, Source
from .table import Reader
from .text import read_text

READERS: dict[str, Reader] = {
    "text": read_text,
    "ngrams": read_ngrams,
    "reverb": table.read_reverb,
    "conceptnet": table.read_conceptnet,
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
_BYTES = 1 << 24
_BYTES_OF_TEXT = 1 << 19
_WHOLE = 1 << 62


def source_of(
    path: Path,
    format: str | None = None,
    columns: Iterable[tuple[str, str]] = (),
    pipeline: str = "",
) -> Source:
    """A file to read, of a format that is given or told by its name."""
    if not path.is_file():
        raise NotFound(f"there is no file {str(path)!r}; name files of triples or of text")
    if format is None:
        name = path.with_suffix("") if path.suffix == ".gz" else path
        format = _BY_SUFFIX.get(name.suffix)
    if format not in READERS:
        unnamed = f"{path.name!r} does not tell its format"
        why = unnamed if format is None else f"nothing is called {format!r}"
        raise InvalidOption(f"--format: {why}; {hint(str(format), READERS)}")
    return Source(path, format, tuple(columns), pipeline)


def parts_of(source: Source) -> Iterator[Part]:
    """Cut a source for reading it in parallel; where, depends on nothing but the file."""
    size = source.size()
    if source.format == "parquet":
        groups = table.parquet(source).num_row_groups
        for group in range(groups):
            yield Part(source, group, group + 1, size // groups)
        return
    if source.format in ("tsv", "csv"):
        table.check_columns(source)
    if is_packed(source.path):
        yield Part(source, 0, _WHOLE, size)
        return
    step = _BYTES_OF_TEXT if source.format == "text" else _BYTES
    for start in range(0, size, step):
        stop = min(size, start + step)
        yield Part(source, start, stop, stop - start)
