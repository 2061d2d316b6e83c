"""A store of triples: one SQLite file, sorted by the keys of arguments.

Every triple is under the key of its first argument and under that of its second.
"""

import hashlib
import heapq
import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache, cached_property
from itertools import groupby
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, model_validator

from ...errors import NotAStore, NotFound, reason
from ...storage.text import parse_json
from .argument import argument_key
from .facts import facts, nonsense
from .triple import Triple

FORMAT = 2
_APPLICATION_ID = 0x72656C73
_HEADER_BYTES = 72
"""Length of the start of an SQLite file that ends with its application id."""
_FIRST, _SECOND = b"\x01", b"\x02"


def encoded_key(argument: str) -> bytes:
    """Return the key of an argument as bytes."""
    return argument_key(argument).encode()


def encode_triple(
    arg1: str, relation: str, arg2: str, count: int, key: Callable[[str], bytes] = encoded_key
) -> list[bytes]:
    """Return the lines of a triple; the separator after the key tells whose key it is."""
    data = f"{arg1}\t{relation}\t{arg2}\t{count}\n".encode()
    first, second = key(arg1), key(arg2)
    if first == second:
        return [first + _FIRST + data]
    return [first + _FIRST + data, second + _SECOND + data]


def write_store(
    connection: sqlite3.Connection, sorted_lines: Iterable[bytes], about: dict[str, Any]
) -> None:
    """Write a whole store; equal lines are merged, and their counts added."""
    connection.executescript(
        f"""
        PRAGMA journal_mode = OFF;
        PRAGMA synchronous = OFF;
        PRAGMA application_id = {_APPLICATION_ID};
        CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
        CREATE TABLE triple (id INTEGER PRIMARY KEY, key TEXT, second INTEGER, said TEXT);
        """
    )
    totals = {"size": 0, "arguments": 0}
    digest = hashlib.sha256()
    insert = "INSERT INTO triple (key, second, said) VALUES (?, ?, ?)"
    connection.executemany(insert, _rows(sorted_lines, digest, totals))
    connection.execute("CREATE INDEX by_key ON triple (key)")
    meta = {"format": FORMAT, "digest": digest.hexdigest(), **totals, **about}
    rows = [(name, json.dumps(value)) for name, value in meta.items()]
    connection.executemany("INSERT INTO meta VALUES (?, ?)", rows)
    connection.commit()


def _rows(
    sorted_lines: Iterable[bytes], digest: Any, totals: dict[str, int]
) -> Iterator[tuple[str, bool, str]]:
    """Yield keys, whether they are those of second arguments, and triples as text."""
    before = b""
    for head, equal in groupby(sorted_lines, lambda line: line[: line.rindex(b"\t") + 1]):
        triple = head + str(sum(int(line[len(head) :]) for line in equal)).encode()
        digest.update(triple + b"\n")
        first = _FIRST in head
        key, _, said = triple.partition(_FIRST if first else _SECOND)
        totals["size"] += first
        totals["arguments"] += key != before
        before = key
        yield key.decode(), not first, said.decode()


class TripleStore:
    """Triples by argument, read from a file on demand."""

    def __init__(self, connection: sqlite3.Connection, name: str = "the triple store") -> None:
        self._connection, self.name = connection, name

    def __del__(self) -> None:
        self._connection.close()

    @cached_property
    def meta(self) -> dict[str, Any]:
        """Metadata that was written when the store was built."""
        rows = self._select("SELECT name, value FROM meta")
        with self._explain_damage():
            meta = _Meta.model_validate({name: parse_json(value) for name, value in rows})
        return meta.model_dump(exclude_unset=True)

    @property
    def digest(self) -> str:
        """SHA-256 of all triples, independent of how the store was built."""
        return str(self.meta["digest"])

    @property
    def size(self) -> int:
        """Number of distinct triples."""
        return int(self.meta["size"])

    def about(self, argument: str, cap: int | None = None) -> Iterator[Triple]:
        """Yield the triples with an argument in a fixed order, those where it is first, first.

        With a cap only the most frequent ones. Only these are held in memory.
        """
        triples = self._triples("WHERE key = ?", argument_key(argument))
        if cap is None:
            return triples
        most = heapq.nsmallest(
            cap, enumerate(triples), key=lambda numbered: (-numbered[1].count, numbered[0])
        )
        return (triple for _, triple in sorted(most))

    def _triples(self, where: str, *values: str) -> Iterator[Triple]:
        query = f"SELECT said FROM triple {where} ORDER BY id"  # noqa: S608 (where is ours)
        for (said,) in self._select(query, *values):
            with self._explain_damage():
                arg1, relation, arg2, count = said.split("\t")
                triple = Triple(arg1, relation, arg2, int(count))
            yield triple

    def arguments(self) -> Iterator[str]:
        """Yield the sorted keys of all arguments."""
        for (key,) in self._select("SELECT DISTINCT key FROM triple ORDER BY key"):
            yield str(key)

    def triples(self) -> Iterator[Triple]:
        """Yield every triple once, sorted by the key of its first argument."""
        return self._triples("WHERE second = 0")

    def check_tables(self) -> None:
        """Raise NotAStore if there are other tables, such as views that would run code."""
        kinds = dict(self._select("SELECT name, type FROM sqlite_master WHERE sql IS NOT NULL"))
        with self._explain_damage():
            if kinds != {"meta": "table", "triple": "table", "by_key": "index"}:
                raise ValueError("it has other tables")

    def _select(self, query: str, *values: str) -> Iterator[Any]:
        with self._explain_damage():
            cursor = self._connection.execute(query, values)
            row = cursor.fetchone()
        while row is not None:
            yield row
            with self._explain_damage():
                row = cursor.fetchone()

    @contextmanager
    def _explain_damage(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, ValueError, TypeError, AttributeError) as error:
            raise NotAStore(
                f"{self.name} is damaged ({type(error).__name__}: {reason(error)}); build it again "
                f"with gen triples build"
            ) from None


class _SourceRecord(BaseModel):
    name: str
    format: str | None = None
    lines: int = 0
    problems: dict[str, int] = {}
    triples: int = 0

    @model_validator(mode="after")
    def _check_counts(self) -> Self:
        if self.format and not {"lines", "problems"} <= self.model_fields_set:
            raise ValueError(f"source {self.name!r} has no lines or problems")
        return self


class _Meta(BaseModel):
    format: int
    digest: str
    size: int
    arguments: int
    sources: list[_SourceRecord]
    problems: list[str] = []


@cache
def _own_facts(noisy: bool) -> TripleStore:
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    read = {"relsmith's own facts": dict.fromkeys(facts())}
    if noisy:
        read["relsmith's own nonsense"] = dict.fromkeys(nonsense())
    every = (triple for triples in read.values() for triple in triples)
    ordered = sorted(line for triple in every for line in encode_triple(*triple))
    sources = [{"name": name, "triples": len(triples)} for name, triples in read.items()]
    write_store(connection, ordered, {"sources": sources})
    return TripleStore(connection)


def is_store(path: Path) -> bool:
    """Return whether a file has the header of a store; its content may be damaged."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        header = file.read(_HEADER_BYTES)
    return header.startswith(b"SQLite format 3\0") and header.endswith(
        _APPLICATION_ID.to_bytes(4, "big")
    )


def open_store(path: Path | None = None, *, noisy: bool = False) -> TripleStore:
    """Open a store that `gen triples build` wrote, or the one that comes with relsmith.

    If `noisy`, the latter also has triples that make no sense.
    """
    if path is None:
        return _own_facts(noisy)
    if not path.is_file():
        raise NotFound(f"there is no triple store {str(path)!r}; make one with gen triples build")
    remedy = "build it (again) with gen triples build"
    if not is_store(path):
        raise NotAStore(f"{path} is no triple store; {remedy}")
    place = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
    store = TripleStore(sqlite3.connect(place, uri=True, check_same_thread=False), str(path))
    store.check_tables()
    if store.meta["format"] != FORMAT:
        raise NotAStore(f"{path} is a triple store of format {store.meta['format']}; {remedy}")
    return store
