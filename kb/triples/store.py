"""A store of triples: one SQLite file, clustered by the keys of arguments.

Every triple has a line under the key of its first argument and one under that of its second. The
lines are sorted and compressed in blocks; an index finds the block of a key.
"""

import hashlib
import heapq
import json
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, model_validator

from ...errors import NotAStore, NotFound, reason
from ...storage.text import parse_json
from .argument import argument_key
from .facts import facts, nonsense
from .triple import Triple

FORMAT = 1
_APPLICATION_ID = 0x72656C73
_HEADER_BYTES = 72
"""Length of the start of an SQLite file that ends with its application id."""
_MAX_BLOCK_BYTES = 1 << 13
_MAX_UNPACKED_BYTES = 1 << 24
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
        PRAGMA page_size = 1024;
        PRAGMA journal_mode = OFF;
        PRAGMA synchronous = OFF;
        PRAGMA application_id = {_APPLICATION_ID};
        CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
        CREATE TABLE block (id INTEGER PRIMARY KEY, last TEXT, data BLOB);
        """
    )
    totals = {"size": 0, "arguments": 0}
    digest = hashlib.sha256()
    insert = "INSERT INTO block (last, data) VALUES (?, ?)"
    connection.executemany(insert, _blocks(sorted_lines, digest, totals))
    connection.execute("CREATE INDEX by_last ON block (last)")
    meta = {"format": FORMAT, "digest": digest.hexdigest(), **totals, **about}
    rows = [(name, json.dumps(value)) for name, value in meta.items()]
    connection.executemany("INSERT INTO meta VALUES (?, ?)", rows)
    connection.commit()


def _blocks(
    sorted_lines: Iterable[bytes], digest: Any, totals: dict[str, int]
) -> Iterator[tuple[str, bytes]]:
    block: list[bytes] = []
    size, key, previous = 0, b"\n", b""
    for line in sorted_lines:
        end = line.rindex(b"\t") + 1
        if line[:end] == previous:
            both = previous + b"%d\n" % (int(block[-1][end:]) + int(line[end:]))
            size += len(both) - len(block[-1])
            block[-1] = both
            continue
        previous = line[:end]
        if size > _MAX_BLOCK_BYTES:
            yield _packed(block, digest, totals)
            block, size = [], 0
        if not (line.startswith(key) and line[len(key)] <= 2):
            key = _key(line)
            totals["arguments"] += 1
        block.append(line)
        size += len(line)
    if block:
        yield _packed(block, digest, totals)


def _packed(block: list[bytes], digest: Any, totals: dict[str, int]) -> tuple[str, bytes]:
    data = b"".join(block)
    digest.update(data)
    totals["size"] += data.count(_FIRST)
    return _key(block[-1]).decode(), zlib.compress(data, 1)


def _key(line: bytes) -> bytes:
    first = line.find(_FIRST)
    return line[: line.index(_SECOND) if first < 0 else first]


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
        triples = self._about(argument_key(argument))
        if cap is None:
            return triples
        most = heapq.nsmallest(
            cap, enumerate(triples), key=lambda numbered: (-numbered[1].count, numbered[0])
        )
        return (triple for _, triple in sorted(most))

    def _about(self, key: str) -> Iterator[Triple]:
        wanted = "SELECT last, data FROM block WHERE last >= ? ORDER BY last, id"
        name = key.encode()
        for last, data in self._select(wanted, key):
            with self._explain_damage():
                triples = list(_under(name, b"\n" + _unpacked(data)))
            yield from triples
            if last != key:
                return

    def arguments(self) -> Iterator[str]:
        """Yield the sorted keys of all arguments."""
        before = ""
        for (data,) in self._select("SELECT data FROM block ORDER BY id"):
            with self._explain_damage():
                keys = [_key(line).decode() for line in _unpacked(data).splitlines()]
            for key in keys:
                if key != before:
                    yield key
                    before = key

    def triples(self) -> Iterator[Triple]:
        """Yield every triple once, sorted by the key of its first argument."""
        for (data,) in self._select("SELECT data FROM block ORDER BY id"):
            with self._explain_damage():
                parts = [line.partition(_FIRST) for line in _unpacked(data).split(b"\n")]
                triples = [_triple(line.decode()) for _, first, line in parts if first]
            yield from triples

    def check_tables(self) -> None:
        """Raise NotAStore if there are other tables, such as views that would run code."""
        kinds = dict(self._select("SELECT name, type FROM sqlite_master WHERE sql IS NOT NULL"))
        with self._explain_damage():
            if kinds != {"meta": "table", "block": "table", "by_last": "index"}:
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
        except (sqlite3.Error, zlib.error, ValueError, TypeError) as error:
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


def _unpacked(block: bytes) -> bytes:
    data = zlib.decompressobj().decompress(block, _MAX_UNPACKED_BYTES)
    if len(data) == _MAX_UNPACKED_BYTES or not data.endswith(b"\n"):
        raise ValueError("a block is cut short, or has no end")
    return data


def _triple(line: str) -> Triple:
    arg1, relation, arg2, count = line.split("\t")
    return Triple(arg1, relation, arg2, int(count))


def _under(key: bytes, data: bytes) -> Iterator[Triple]:
    """Yield the triples of a block with a key."""
    for separator in (_FIRST, _SECOND):
        head = b"\n" + key + separator
        start, end = data.find(head), data.rfind(head)
        if start < 0:
            continue
        for line in data[start + 1 : data.index(b"\n", end + 1)].decode().split("\n"):
            yield _triple(line[len(head.decode()) - 1 :])


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
