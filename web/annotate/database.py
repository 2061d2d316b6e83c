"""The database: one schema for SQLite and PostgreSQL, and transactions on it.

Constraints of the database prevent that an item is assigned to a person twice, that a person has
two open assignments, and that an item gets more people than wanted.
"""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, nullcontext
from pathlib import Path
from queue import SimpleQueue
from typing import Any, TypeVar

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Connection,
    Double,
    Engine,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Row,
    Select,
    String,
    Table,
    Text,
    UniqueConstraint,
    create_engine,
    event,
    inspect,
    literal_column,
    text,
)
from sqlalchemy.engine import make_url
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    IntegrityError,
    NoSuchModuleError,
    OperationalError,
)

from ...errors import InvalidOption, MissingExtra, NotFound, install_command

T = TypeVar("T")

schema = MetaData()

facts = Table(
    "facts",
    schema,
    Column("name", String, primary_key=True),
    Column("value", Text, nullable=False),
)
"""Key-value pairs about the project."""

people = Table(
    "people",
    schema,
    Column("id", Integer, primary_key=True),
    Column("name", String, nullable=False, unique=True),
    Column("owner", Boolean, nullable=False),
    Column("hash", String, unique=True),  # of the link's token; null without a link
    Column("expires", Double),
    Column("consent", String),  # digest of the text agreed to
    Column("consented", Double),
    Column("failed", Boolean, nullable=False, default=False),  # did not qualify
)

items = Table(
    "items",
    schema,
    Column("id", Integer, primary_key=True),
    Column("key", String, nullable=False, unique=True),
    Column("stage", String, nullable=False),
    Column("shown", Text, nullable=False),
    Column("hidden", Text, nullable=False),
    Column("expected", Text),
    Column("gold", Boolean, nullable=False),
    Column("wanted", Integer, nullable=False),  # number of people; unlimited for gold items
    Column("free", Integer, nullable=False),  # not yet assigned
    Column("place", Integer, nullable=False),
    # An item derived from an answer is not assigned to its author.
    Column("author", ForeignKey("people.id")),
    Column("source", ForeignKey("assignments.id", use_alter=True, name="items_source")),
    CheckConstraint("free >= 0 AND free <= wanted", name="items_free"),
)
# Literals, because databases do not match parameters with partial indexes.
IS_FREE = items.c.free > literal_column("0")
Index("items_next", items.c.place, items.c.id, sqlite_where=IS_FREE, postgresql_where=IS_FREE)
_GOLD = text("gold = 1")  # the exact text of SQLAlchemy's queries, which SQLite compares
Index("items_gold", items.c.place, items.c.id, sqlite_where=_GOLD, postgresql_where=items.c.gold)
Index("items_source", items.c.source)

OPEN, ANSWERED, SKIPPED, RETURNED = "open", "answered", "skipped", "returned"

assignments = Table(
    "assignments",
    schema,
    Column("id", Integer, primary_key=True),
    Column("item", ForeignKey("items.id"), nullable=False),
    Column("person", ForeignKey("people.id"), nullable=False),
    Column("token", String, nullable=False, unique=True),
    Column("state", String, nullable=False),
    Column("given", Double, nullable=False),
    Column("until", Double, nullable=False),
    Column("answer", Text),
    Column("answered", Double),
    Column("got", Integer),  # number of fields as expected, if known
    Column("asked", Integer),
    UniqueConstraint("item", "person", name="assignments_once"),
    CheckConstraint(f"(state = '{ANSWERED}') = (answer IS NOT NULL)", name="assignments_answered"),
)
IS_OPEN = assignments.c.state == literal_column(f"'{OPEN}'")
Index(
    "assignments_one_open",
    assignments.c.person,
    unique=True,
    sqlite_where=IS_OPEN,
    postgresql_where=IS_OPEN,
)
Index("assignments_until", assignments.c.until, sqlite_where=IS_OPEN, postgresql_where=IS_OPEN)
Index("assignments_person", assignments.c.person, assignments.c.state)

_MAX_ATTEMPTS = 20
_BUSY_SECONDS = 30
_MAX_BATCH = 100
_MAX_CONNECTIONS = 10
"""Few transactions at a time finish sooner; connections above the limit would be opened anew."""


class Database:
    """The database of a project: an SQLite file, or PostgreSQL by URL."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._writer = _WriterThread(engine) if engine.dialect.name == "sqlite" else None

    @classmethod
    def at(cls, where: str, folder: Path) -> "Database":
        """Return the SQLite database in a project's folder, or PostgreSQL at a URL."""
        if "://" not in where:
            return cls(_sqlite(folder / where))
        return cls(_postgresql(where))

    def create(self, connection: Connection) -> None:
        """Create the tables; raise InvalidOption if there are any."""
        if inspect(connection).has_table(items.name):
            raise InvalidOption("--database: it holds a project already; use another database")
        schema.create_all(connection)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Open a read-only transaction with a consistent snapshot."""
        with self.engine.connect() as connection:
            if self._writer is None:
                connection.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin():
                yield connection

    def first(self, query: Select[Any], values: dict[str, Any]) -> Row[Any] | None:
        """Return the first row of a query, without a transaction."""
        with self.engine.connect() as connection:
            connection.execution_options(isolation_level="AUTOCOMMIT")
            return connection.execute(query, values).first()

    def write(self, work: Callable[[Connection], T]) -> T:
        """Run a function in one transaction; retry after conflicts."""
        if self._writer:
            return self._writer.write(work)
        for attempt in range(_MAX_ATTEMPTS):
            try:
                with self.engine.begin() as connection:
                    return work(connection)
            except DBAPIError as error:
                if attempt == _MAX_ATTEMPTS - 1 or not _is_conflict(error):
                    raise
        raise AssertionError

    def close(self) -> None:
        """Close all connections."""
        if self._writer:
            self._writer.close()
        self.engine.dispose()

    def purge(self) -> None:
        """Remove deleted data from the files too."""
        with self.engine.connect() as connection:
            plain = connection.execution_options(isolation_level="AUTOCOMMIT")
            if self._writer:  # secure_delete overwrites rows, this the log
                plain.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
            else:
                plain.exec_driver_sql("VACUUM")


class _WriteJob:
    """A function to run in a transaction, and the future of its result."""

    def __init__(self, work: Callable[[Connection], Any]) -> None:
        self.work = work
        self.outcome: Future[Any] = Future()
        self.notify: Callable[[], None] = lambda: None

    def run(self, connection: Connection, *, alone: bool) -> None:
        """Run the function; the caller is notified after the commit."""
        try:
            with nullcontext() if alone else connection.begin_nested():
                result = self.work(connection)
            self.notify = lambda: self.outcome.set_result(result)
        except Exception as error:
            # A full disk may end the transaction, and with it the jobs before.
            if alone or isinstance(error, OperationalError):
                raise
            failure = error
            self.notify = lambda: self.outcome.set_exception(failure)


class _WriterThread:
    """The only thread of this process that writes to an SQLite file.

    Waiting for the disk takes longer than writing. All jobs that arrive meanwhile share one
    transaction, and their callers are notified after it; other processes take turns with this one.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._jobs: SimpleQueue[_WriteJob | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def write(self, work: Callable[[Connection], T]) -> T:
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._loop, daemon=True)
                self._thread.start()
        job = _WriteJob(work)
        self._jobs.put(job)
        result: T = job.outcome.result()
        return result

    def close(self) -> None:
        with self._lock:
            if self._thread:
                self._jobs.put(None)
                self._thread.join()
                self._thread = None

    def _loop(self) -> None:
        while job := self._jobs.get():
            jobs = [job]
            while len(jobs) < _MAX_BATCH and not self._jobs.empty():
                following = self._jobs.get()
                if following is None:
                    self._jobs.put(None)
                    break
                jobs.append(following)
            self._write_all(jobs)

    def _write_all(self, jobs: list[_WriteJob]) -> None:
        try:
            with self.engine.connect() as connection:
                writing = connection.execution_options(writes=True)
                with writing.begin():
                    for job in jobs:
                        job.run(writing, alone=len(jobs) == 1)
        except Exception as error:  # nothing was stored
            for job in jobs:
                job.outcome.set_exception(error)
        else:
            for job in jobs:
                job.notify()


def _is_conflict(error: DBAPIError) -> bool:
    """Return whether a transaction failed because of a concurrent one."""
    codes = ("40001", "40P01")  # serialization failure, deadlock
    return isinstance(error, IntegrityError) or getattr(error.orig, "sqlstate", None) in codes


def _sqlite(path: Path) -> Engine:
    engine = create_engine(
        f"sqlite:///{path}",
        connect_args={"timeout": _BUSY_SECONDS},
        pool_size=_MAX_CONNECTIONS,
        max_overflow=0,
    )

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, record: Any) -> None:
        connection.isolation_level = None  # transactions begin explicitly
        # FULL waits for the disk before an answer is acknowledged.
        for line in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON"):
            connection.execute(f"PRAGMA {line}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        options = connection.get_execution_options()
        if options.get("isolation_level") == "AUTOCOMMIT":
            return
        # Locking after reading leads to deadlocks.
        writes = options.get("writes")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _postgresql(where: str) -> Engine:
    try:
        url = make_url(where)
        if url.get_backend_name() not in ("postgresql", "postgres"):
            raise InvalidOption(
                f"--database: expected a URL such as postgresql://name@host/project, but got "
                f"{url.drivername}://...; for SQLite leave it out"
            )
        url = url.set(drivername="postgresql+psycopg")
        return create_engine(url, pool_size=_MAX_CONNECTIONS, max_overflow=0, pool_pre_ping=True)
    except (ArgumentError, NoSuchModuleError, ValueError):
        raise InvalidOption(
            "--database: expected a URL such as postgresql://name@host/project"
        ) from None
    except ImportError:
        raise MissingExtra(f"PostgreSQL needs psycopg: {install_command('web')}") from None


@contextmanager
def explain_database_errors() -> Iterator[None]:
    """Turn database errors into a one-line message."""
    try:
        yield
    except DBAPIError as error:
        raise NotFound(f"{database_failure(error)}; fix it") from None


def database_failure(error: DBAPIError) -> str:
    """Return the reason of a database error in one line."""
    return f"the database failed: {' '.join(str(error.orig).split())[:300]}"
