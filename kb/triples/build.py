"""Builder of stores: SQLite sorts the lines of triples on disk, so memory stays small."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import lru_cache
from pathlib import Path
from typing import Any

from ...engines.engine import Tick
from ...errors import AlreadyExists, InvalidOption
from ...storage import files
from .store import TripleStore, encode_triple, encoded_key, is_store, open_store, write_store
from .table import MAX_EXAMPLES, ReadReport, TripleSource, read_triples

_SORTED = "SELECT line FROM lines ORDER BY line"


def build(
    sources: Sequence[TripleSource],
    out: Path,
    *,
    tick: Tick = lambda done: None,
    force: bool = False,
) -> TripleStore:
    """Read all sources into one store."""
    if force and out.exists() and not is_store(out):
        raise AlreadyExists(
            f"{out} is no triple store, so --force does not replace it; choose another --out"
        )
    read = [source.path for source in sources]
    with (
        files.replacing(out, force=force, inputs=read) as successor,
        closing(sqlite3.connect("")) as sorter,  # a temporary file
        closing(sqlite3.connect(successor)) as store,
    ):
        sorter.executescript("PRAGMA journal_mode = OFF; CREATE TABLE lines (line BLOB)")
        reports, before = list[ReadReport](), 0
        for source in sources:
            reports.append(ReadReport())
            lines = _lines(source, reports[-1], tick, before)
            sorter.executemany("INSERT INTO lines VALUES (?)", lines)
            before += source.path.stat().st_size
        about = _summary(sources, reports)
        if not sorter.execute("SELECT 1 FROM lines LIMIT 1").fetchone():
            raise InvalidOption(
                f"there is no triple in {', '.join(path.name for path in read)}"
                f"{'; ' + '; '.join(about['problems']) if about['problems'] else ''}; see --format"
            )
        write_store(store, (line for (line,) in sorter.execute(_SORTED)), about)
    return open_store(out)


def _lines(
    source: TripleSource, report: ReadReport, tick: Tick, before: int
) -> Iterator[tuple[bytes]]:
    key = lru_cache(1 << 18)(encoded_key)
    for triple in read_triples(source, report, lambda done: tick(before + done)):
        for line in encode_triple(*triple, key):
            yield (line,)


def _summary(sources: Sequence[TripleSource], reports: Sequence[ReadReport]) -> dict[str, Any]:
    """Return the metadata of a store: its sources, and examples of their problems."""
    about = [
        {
            "name": source.path.name,
            "format": source.format,
            "lines": report.lines,
            "problems": dict(report.problems),
        }
        for source, report in zip(sources, reports, strict=True)
    ]
    places: dict[str, list[str]] = {}
    for source, report in zip(sources, reports, strict=True):
        for kind, examples in report.examples.items():
            places.setdefault(kind, []).extend(
                f"{source.path.name}:{line}: {kind}: {what!r}" for line, what in examples
            )
    problems = [place for of_kind in places.values() for place in of_kind[:MAX_EXAMPLES]]
    return {"sources": about, "problems": problems}
