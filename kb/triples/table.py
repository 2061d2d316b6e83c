"""Readers of triples in tables, TSV or CSV."""

import csv
import gzip
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path

from ...engines.engine import Tick
from ...errors import InvalidOption, NotFound, hint
from ...storage.text import bytes_read, explain_read_errors, is_gzip, open_plain
from .triple import Triple, clean

FIELDS = ("arg1", "relation", "arg2", "count")
_NEEDED = FIELDS[:3]

MAX_LINE_BYTES = 1 << 20
"""Longer lines are skipped, and never held in memory."""
MAX_EXAMPLES = 3


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
    name = path.with_suffix("") if path.suffix == ".gz" else path
    chosen = format or name.suffix.removeprefix(".")
    if chosen not in _SPLITTERS:
        unnamed = f"{path.name!r} does not tell its format"
        why = unnamed if format is None else f"nothing is called {format!r}"
        raise InvalidOption(f"--format: {why}; {hint(str(format), _SPLITTERS)}")
    return TripleSource(path, chosen, tuple(columns))


def read_triples(source: TripleSource, report: ReadReport, tick: Tick) -> Iterator[Triple]:
    """Yield the triples of a source; lines without one are counted in the report."""
    split, lines = _SPLITTERS[source.format], _lines(source, report, tick)
    places, columns = _places(source, split, lines)
    order = [places[name] for name in FIELDS if name in places]
    fields, least = itemgetter(*order), columns or max(order) + 1
    for line in filter(None, lines):
        try:
            row = split(line)
            if len(row) < least or len(row) > columns > 0:
                raise MalformedRow("another number of columns")
            triple = make_triple(*fields(row))
        except MalformedRow as error:
            report.add_problem(str(error), line)
        else:
            yield triple


def _places(
    source: TripleSource, split: Callable[[str], list[str]], lines: Iterator[str]
) -> tuple[dict[str, int], int]:
    """Return the place of each field, and the number of columns; 0 without a header."""
    columns = dict(zip(FIELDS, FIELDS, strict=True)) | dict(source.columns)
    if unknown := set(columns) - set(FIELDS):
        raise InvalidOption(
            f"--columns: no field is called {sorted(unknown)[0]!r}; there are {', '.join(FIELDS)}"
        )
    if all(columns[name].isdecimal() for name in _NEEDED):
        given = {name: column for name, column in columns.items() if column.isdecimal()}
        return {name: int(at) - 1 for name, at in given.items() if len(at) < 9 and int(at)}, 0
    try:
        header = [name.strip() for name in split(next(lines, "").removeprefix("\ufeff"))]
    except MalformedRow as error:
        raise InvalidOption(f"{source.path}: the header has {error}; fix it") from None
    for needed in (*_NEEDED, *(name for name, _ in source.columns)):
        if columns[needed] not in header:
            shown = ", ".join(header)[:200]
            raise InvalidOption(
                f"{source.path} has no column {columns[needed]!r} but {shown!r}; say which are "
                f"which with --columns arg1=...,relation=...,arg2=... (numbers if it has no header)"
            )
    return {name: header.index(at) for name, at in columns.items() if at in header}, len(header)


class MalformedRow(Exception):
    """A row has no valid triple; the message says why."""


def make_triple(arg1: str, relation: str, arg2: str, count: str = "1") -> Triple:
    """Make a triple of cleaned fields; MalformedRow says what is wrong with them."""
    text = f"{arg1} {relation} {arg2}"
    if not text.isprintable() or "  " in text or text[0] == " " or text[-1] == " ":
        blank = not all(text.strip() for text in (arg1, relation, arg2))
        arg1, relation, arg2 = clean(arg1), clean(relation), clean(arg2)
        if not (arg1 and relation and arg2):
            raise MalformedRow("an empty field" if blank else "control characters")
    return Triple(arg1, relation, arg2, _parse_count(count))


def _parse_count(count: str) -> int:
    try:
        number = float(count)
    except ValueError:
        number = 0.5
    if not (number.is_integer() and 1 <= number < 2**53):
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


def _split_csv(line: str) -> list[str]:
    try:
        (row,) = csv.reader([line], strict=True)
    except (csv.Error, ValueError):
        raise MalformedRow("quotes that do not match") from None
    return row


_SPLITTERS: dict[str, Callable[[str], list[str]]] = {
    "tsv": lambda line: line.split("\t"),
    "csv": _split_csv,
}
