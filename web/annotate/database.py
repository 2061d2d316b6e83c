"""The database of a project: an SQLite file, and transactions on it.

Constraints of the database prevent that an item is assigned to a person twice, that a person has
two open assignments, and that an item gets more people than wanted.
"""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from sqlite3 import Connection, Row
from typing import Any, TypeVar

from ...errors import NotFound

T = TypeVar("T")

OPEN, ANSWERED, RETURNED = "open", "answered", "returned"
"""States of assignments; one more is skipped."""

_SCHEMA = """
CREATE TABLE people (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    hash TEXT UNIQUE, -- of the link's token; null without a link
    expires REAL,
    consent TEXT, -- digest of the text agreed to
    consented REAL,
    failed INTEGER NOT NULL DEFAULT 0 -- did not qualify
);
CREATE TABLE items (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    shown TEXT NOT NULL,
    hidden TEXT NOT NULL,
    expected TEXT,
    gold INTEGER NOT NULL,
    wanted INTEGER NOT NULL, -- number of people; unlimited for gold items
    free INTEGER NOT NULL, -- not yet assigned
    place INTEGER NOT NULL,
    CHECK (free >= 0 AND free <= wanted)
);
CREATE INDEX items_next ON items (place, id) WHERE free > 0;
CREATE INDEX items_gold ON items (place, id) WHERE gold = 1;
CREATE TABLE assignments (
    id INTEGER PRIMARY KEY,
    item INTEGER NOT NULL REFERENCES items (id),
    person INTEGER NOT NULL REFERENCES people (id),
    token TEXT NOT NULL UNIQUE,
    state TEXT NOT NULL,
    given REAL NOT NULL,
    until REAL NOT NULL,
    answer TEXT,
    answered REAL,
    got INTEGER, -- number of fields as expected, if known
    asked INTEGER,
    UNIQUE (item, person),
    CHECK ((state = 'answered') = (answer IS NOT NULL))
);
CREATE UNIQUE INDEX assignments_one_open ON assignments (person) WHERE state = 'open';
CREATE INDEX assignments_until ON assignments (until) WHERE state = 'open';
CREATE INDEX assignments_person ON assignments (person, state);
"""
_BUSY_SECONDS = 30


class Database:
    """An SQLite file, with connections that threads share and transactions that take turns."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._idle: list[Connection] = []
        self._lock = threading.Lock()

    def create(self) -> None:
        """Create the tables."""
        with self._connected() as connection:
            connection.executescript(_SCHEMA)

    @contextmanager
    def _connected(self) -> Iterator[Connection]:
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = self.connect()
        try:
            yield connection
        finally:
            connection.rollback()
            self._idle.append(connection)

    def connect(self) -> Connection:
        """Return a new connection; transactions begin explicitly."""
        connection = sqlite3.connect(
            self.path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        connection.row_factory = Row
        # FULL waits for the disk before an answer is acknowledged.
        for line in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON"):
            connection.execute(f"PRAGMA {line}")
        return connection

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Open a read-only transaction with a consistent snapshot."""
        with self._connected() as connection:
            connection.execute("BEGIN")
            yield connection

    def first(self, query: str, values: dict[str, Any]) -> Row | None:
        """Return the first row of a query, without a transaction."""
        with self._connected() as connection:
            return first(connection, query, values)

    def write(self, work: Callable[[Connection], T]) -> T:
        """Run a function in one transaction."""
        with self._lock, self._connected() as connection:
            # Locking after reading leads to deadlocks.
            connection.execute("BEGIN IMMEDIATE")
            result = work(connection)
            connection.commit()
            return result

    def close(self) -> None:
        """Close all connections."""
        while self._idle:
            self._idle.pop().close()

    def purge(self) -> None:
        """Remove deleted data from the log too; secure_delete overwrites rows."""
        with self._connected() as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def first(connection: Connection, query: str, values: dict[str, Any]) -> Row | None:
    """Return the first row of a query, or None."""
    row: Row | None = connection.execute(query, values).fetchone()
    return row


@contextmanager
def explain_database_errors() -> Iterator[None]:
    """Turn database errors into a one-line message."""
    try:
        yield
    except sqlite3.Error as error:
        raise NotFound(f"{database_failure(error)}; fix it") from None


def database_failure(error: sqlite3.Error) -> str:
    """Return the reason of a database error in one line."""
    return f"the database failed: {' '.join(str(error).split())[:300]}"
