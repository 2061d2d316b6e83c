"""Readers of triples in tables: TSV, CSV, JSON lines and Parquet."""

import csv
import sys
from collections.abc import Callable, Iterator, Mapping
from operator import itemgetter
from typing import Any

from ...engines.engine import Tick
from ...errors import InvalidOption, MissingExtra, install_command
from ...storage.text import parse_json
from .source import ReadReport, SourcePart, TripleSource, read_lines
from .triple import Triple, clean

FIELDS = ("arg1", "relation", "arg2", "count")
_NEEDED = FIELDS[:3]

TripleReader = Callable[[SourcePart, ReadReport, Tick], Iterator[Triple]]


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


def _rows(
    part: SourcePart, report: ReadReport, tick: Tick, triple: Callable[[str], Triple | None]
) -> Iterator[Triple]:
    for line in read_lines(part, report, tick):
        if not line:
            continue
        try:
            row = triple(line)
        except MalformedRow as error:
            report.add_problem(str(error), line)
        else:
            if row is not None:
                yield row


def columns_of(source: TripleSource) -> tuple[dict[str, str], bool]:
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


def _places(source: TripleSource, split: Callable[[str], list[str]]) -> dict[str, int]:
    """Return the positions of fields in a row, by the header or by number."""
    columns, numbered = columns_of(source)
    if numbered:
        return {
            field: int(name) - 1
            for field, name in columns.items()
            if name.isdecimal() and len(name) < 9 and int(name) > 0
        }
    header = header_of(source, split)
    _check(source, columns, header)
    return {field: header.index(name) for field, name in columns.items() if name in header}


def check_columns(source: TripleSource) -> None:
    """Raise InvalidOption if a table lacks a column."""
    _places(source, _SPLITS[source.format])


def header_of(source: TripleSource, split: Callable[[str], list[str]]) -> list[str]:
    """Return the column names in the first line of a file."""
    first = next(read_lines(SourcePart(source, 0, 1), ReadReport(), lambda done: None), "")
    try:
        return [name.strip() for name in split(first.removeprefix("\ufeff"))]
    except MalformedRow as error:
        raise InvalidOption(f"{source.path}: the header has {error}; fix it") from None


def _check(source: TripleSource, columns: Mapping[str, str], names: list[str]) -> None:
    wanted = [*_NEEDED, *(name for name, _ in source.columns)]
    for field in wanted:
        if columns[field] not in names:
            shown = ", ".join(names)[:200]
            raise InvalidOption(
                f"{source.path} has no column {columns[field]!r} but {shown!r}; say which are "
                f"which with --columns arg1=...,relation=...,arg2=... (numbers if it has no header)"
            )


def _separated(split: Callable[[str], list[str]]) -> TripleReader:
    def read(part: SourcePart, report: ReadReport, tick: Tick) -> Iterator[Triple]:
        places = _places(part.source, split)
        order = [places[field] for field in FIELDS if field in places]
        fields = itemgetter(*order)
        _, numbered = columns_of(part.source)
        width = len(header_of(part.source, split))
        least, most = (max(order) + 1, sys.maxsize) if numbered else (width, width)
        first = not numbered and part.start == 0

        def triple(line: str) -> Triple | None:
            nonlocal first
            if first:
                first = False
                return None
            row = split(line)
            if not least <= len(row) <= most:
                raise MalformedRow("another number of columns")
            return make_triple(*fields(row))

        return _rows(part, report, tick, triple)

    return read


_SPLITS = {"tsv": _split_tsv, "csv": _split_csv}
read_tsv = _separated(_split_tsv)
read_csv = _separated(_split_csv)


def read_jsonl(part: SourcePart, report: ReadReport, tick: Tick) -> Iterator[Triple]:
    """Yield triples of JSON lines, one object per line with the columns as keys."""
    columns, _ = columns_of(part.source)

    def triple(line: str) -> Triple:
        try:
            row = parse_json(line)
        except ValueError:
            raise MalformedRow("no JSON") from None
        if not isinstance(row, dict) or not all(columns[field] in row for field in _NEEDED):
            raise MalformedRow(f"no object with {', '.join(columns[field] for field in _NEEDED)}")
        arg1, relation, arg2 = (row[columns[field]] for field in _NEEDED)
        return make_triple(arg1, relation, arg2, row.get(columns["count"]))

    return _rows(part, report, tick, triple)


def parquet(source: TripleSource) -> Any:
    """Open a Parquet file and check its columns."""
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
    _check(source, columns_of(source)[0], file.schema_arrow.names)
    return file


def read_parquet(part: SourcePart, report: ReadReport, tick: Tick) -> Iterator[Triple]:
    """Yield triples of the row groups of a Parquet file; rows are counted as lines."""
    file = parquet(part.source)
    columns, _ = columns_of(part.source)
    names = [columns[field] for field in FIELDS if columns[field] in file.schema_arrow.names]
    for batch in file.iter_batches(row_groups=range(part.start, part.stop), columns=names):
        for row in zip(*(batch.column(name).to_pylist() for name in names), strict=True):
            report.lines += 1
            try:
                yield make_triple(*row)
            except MalformedRow as error:
                report.add_problem(str(error), row)
