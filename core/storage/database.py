"""An SQLite file, and transactions on it."""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from sqlite3 import Connection, Row
from typing import Any, TypeVar

from ..errors import NotFound

T = TypeVar("T")

_BUSY_SECONDS = 30


class Database:
    """An SQLite file, with connections that threads share and transactions that take turns."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._idle: list[Connection] = []
        self._lock = threading.Lock()

    def create(self, schema: str) -> None:
        """Create the tables of a schema."""
        with self._connected() as connection:
            connection.executescript(schema)

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
