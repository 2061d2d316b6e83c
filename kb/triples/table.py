"""Readers of triples in tables: TSV, CSV, JSON lines and Parquet."""

import csv
import gzip
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from typing import Any

from ...engines.engine import Tick
from ...errors import InvalidOption, MissingExtra, NotFound, hint, install_command
from ...storage.text import bytes_read, explain_read_errors, is_gzip, open_plain, parse_json
from .triple import Triple, clean

FIELDS = ("arg1", "relation", "arg2", "count")
_NEEDED = FIELDS[:3]

MAX_LINE_BYTES = 1 << 20
"""Longer lines are skipped, and never held in memory."""
MAX_EXAMPLES = 3
_BY_SUFFIX = {
    ".tsv": "tsv",
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}


@dataclass(frozen=True)
class TripleSource:
    """A file, its format, and the columns to read."""

    path: Path
    format: str
    columns: tuple[tuple[str, str], ...] = ()


@dataclass
class ReadReport:
    """Report on reading a source: number of lines, and problems with examples."""

    lines: int = 0
    problems: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[tuple[int, str]]] = field(default_factory=dict)

    def add_problem(self, kind: str, what: object = "") -> None:
        """Count a problem of the current line, and keep the first examples."""
        self.problems[kind] += 1
        examples = self.examples.setdefault(kind, [])
        if len(examples) < MAX_EXAMPLES:
            text = str(what)
            examples.append((self.lines, text if len(text) <= 60 else f"{text[:57]}..."))


def make_source(
    path: Path, format: str | None = None, columns: Iterable[tuple[str, str]] = ()
) -> TripleSource:
    """Return a source for a file, with a given format or that of its suffix."""
    if not path.is_file():
        raise NotFound(f"there is no file {str(path)!r}; name files of triples")
    if format is None:
        name = path.with_suffix("") if path.suffix == ".gz" else path
        format = _BY_SUFFIX.get(name.suffix)
    if format not in _READERS:
        unnamed = f"{path.name!r} does not tell its format"
        why = unnamed if format is None else f"nothing is called {format!r}"
        raise InvalidOption(f"--format: {why}; {hint(str(format), _READERS)}")
    return TripleSource(path, format, tuple(columns))


def read_triples(source: TripleSource, report: ReadReport, tick: Tick) -> Iterator[Triple]:
    """Yield the triples of a source; lines without one are counted in the report."""
    return _READERS[source.format](source, report, tick)


TripleReader = Callable[[TripleSource, ReadReport, Tick], Iterator[Triple]]


class MalformedRow(Exception):
    """A row has no valid triple; the message says why."""


def make_triple(arg1: Any, relation: Any, arg2: Any, count: object = None) -> Triple:
    """Make a triple of cleaned fields; MalformedRow says what is wrong with them."""
    try:
        text = arg1 + " " + relation + " " + arg2
    except TypeError:
        raise MalformedRow("a field is no text") from None
    if not text.isprintable() or "  " in text or text[0] == " " or text[-1] == " ":
        blank = not all(text.strip() for text in (arg1, relation, arg2))
        arg1, relation, arg2 = clean(arg1), clean(relation), clean(arg2)
        if not (arg1 and relation and arg2):
            raise MalformedRow("an empty field" if blank else "control characters")
    return Triple(arg1, relation, arg2, 1 if count is None else _parse_count(count))


def _parse_count(count: object) -> int:
    try:
        number = float(count)  # type: ignore[arg-type]  # errors are caught
    except (TypeError, ValueError, OverflowError):
        number = 0.5
    if isinstance(count, bool) or not (number.is_integer() and 1 <= number < 2**53):
        raise MalformedRow("a count that is no whole number from 1 up")
    return int(number)


def _lines(source: TripleSource, report: ReadReport, tick: Tick) -> Iterator[str]:
    """Yield the decompressed lines of a source."""
    path = source.path
    with explain_read_errors(path, "fix that"), open_plain(path, packed=is_gzip(path)) as file:
        try:
            while line := file.readline(MAX_LINE_BYTES):
                size, rest = len(line), line
                while not rest.endswith(b"\n") and (rest := file.readline(MAX_LINE_BYTES)):
                    size += len(rest)
                report.lines += 1
                if not report.lines & 0x3FF:
                    tick(bytes_read(file))
                if size > MAX_LINE_BYTES:
                    report.add_problem("line too long", f"{size:,} bytes")
                    continue
                try:
                    yield line.rstrip(b"\r\n").decode()
                except UnicodeDecodeError:
                    report.add_problem("not UTF-8", line)
        except gzip.BadGzipFile as error:
            report.add_problem("broken gzip, the rest is lost", error)


def _rows(
    lines: Iterable[str], report: ReadReport, triple: Callable[[str], Triple]
) -> Iterator[Triple]:
    for line in lines:
        if line:
            try:
                row = triple(line)
            except MalformedRow as error:
                report.add_problem(str(error), line)
            else:
                yield row


def _columns(source: TripleSource) -> tuple[dict[str, str], bool]:
    """Return the columns by field, and whether they are numbers instead of names."""
    columns = dict(zip(_NEEDED, _NEEDED, strict=True)) | {"count": "count"} | dict(source.columns)
    if unknown := set(columns) - set(FIELDS):
        raise InvalidOption(
            f"--columns: no field is called {sorted(unknown)[0]!r}; there are {', '.join(FIELDS)}"
        )
    names = [columns[name] for name in _NEEDED]
    return columns, all(name.isdecimal() for name in names)


def _split_tsv(line: str) -> list[str]:
    return line.split("\t")


def _split_csv(line: str) -> list[str]:
    try:
        (row,) = csv.reader([line], strict=True)
    except (csv.Error, ValueError):
        raise MalformedRow("quotes that do not match") from None
    return row


def _check(source: TripleSource, columns: Mapping[str, str], names: list[str]) -> None:
    wanted = [*_NEEDED, *(name for name, _ in source.columns)]
    for needed in wanted:
        if columns[needed] not in names:
            shown = ", ".join(names)[:200]
            raise InvalidOption(
                f"{source.path} has no column {columns[needed]!r} but {shown!r}; say which are "
                f"which with --columns arg1=...,relation=...,arg2=... (numbers if it has no header)"
            )


def _separated(split: Callable[[str], list[str]]) -> TripleReader:
    def read(source: TripleSource, report: ReadReport, tick: Tick) -> Iterator[Triple]:
        columns, numbered = _columns(source)
        lines = _lines(source, report, tick)
        if numbered:
            places = {
                name: int(column) - 1
                for name, column in columns.items()
                if column.isdecimal() and len(column) < 9 and int(column) > 0
            }
        else:
            try:
                header = [name.strip() for name in split(next(lines, "").removeprefix("\ufeff"))]
            except MalformedRow as error:
                raise InvalidOption(f"{source.path}: the header has {error}; fix it") from None
            _check(source, columns, header)
            places = {name: header.index(at) for name, at in columns.items() if at in header}
        order = [places[name] for name in FIELDS if name in places]
        fields = itemgetter(*order)
        least, most = (max(order) + 1, sys.maxsize) if numbered else (len(header), len(header))

        def triple(line: str) -> Triple:
            row = split(line)
            if not least <= len(row) <= most:
                raise MalformedRow("another number of columns")
            return make_triple(*fields(row))

        yield from _rows(lines, report, triple)

    return read


def _read_jsonl(source: TripleSource, report: ReadReport, tick: Tick) -> Iterator[Triple]:
    columns, _ = _columns(source)

    def triple(line: str) -> Triple:
        try:
            row = parse_json(line)
        except ValueError:
            raise MalformedRow("no JSON") from None
        if not isinstance(row, dict) or not all(columns[name] in row for name in _NEEDED):
            raise MalformedRow(f"no object with {', '.join(columns[name] for name in _NEEDED)}")
        arg1, relation, arg2 = (row[columns[name]] for name in _NEEDED)
        return make_triple(arg1, relation, arg2, row.get(columns["count"]))

    return _rows(_lines(source, report, tick), report, triple)


def _read_parquet(source: TripleSource, report: ReadReport, tick: Tick) -> Iterator[Triple]:
    """Yield the triples of a Parquet file; rows are counted as lines."""
    try:
        from pyarrow import ArrowInvalid
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise MissingExtra(f"Parquet needs pyarrow: {install_command('relinf')}") from None
    try:
        file = ParquetFile(source.path)
    except (ArrowInvalid, OSError) as error:
        what = str(error).splitlines()[0]
        raise InvalidOption(f"{source.path} is no Parquet file ({what}); see --format") from None
    columns, _ = _columns(source)
    _check(source, columns, file.schema_arrow.names)
    names = [columns[name] for name in FIELDS if columns[name] in file.schema_arrow.names]
    for batch in file.iter_batches(columns=names):
        for row in zip(*(batch.column(name).to_pylist() for name in names), strict=True):
            report.lines += 1
            try:
                yield make_triple(*row)
            except MalformedRow as error:
                report.add_problem(str(error), row)


_READERS: dict[str, TripleReader] = {
    "tsv": _separated(_split_tsv),
    "csv": _separated(_split_csv),
    "jsonl": _read_jsonl,
    "parquet": _read_parquet,
}
