"""The database: one schema for SQLite and PostgreSQL, and transactions on it.

What must never happen is refused by the database itself: an item twice to one person, two open
assignments of one person, more people on an item than it wants.
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
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, NoSuchModuleError

from ...errors import InvalidOption, MissingExtra, NotFound, install_command

T = TypeVar("T")

schema = MetaData()

facts = Table(
    "facts",
    schema,
    Column("name", String, primary_key=True),
    Column("value", Text, nullable=False),
)
"""What is known of the project as a whole."""

people = Table(
    "people",
    schema,
    Column("id", Integer, primary_key=True),
    Column("name", String, nullable=False, unique=True),
    Column("owner", Boolean, nullable=False),
    Column("hash", String, unique=True),  # of the link's token; none has no link
    Column("expires", Double),
    Column("consent", String),  # the digest of what was agreed to
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
    Column("wanted", Integer, nullable=False),  # people; of a gold item as many as there are
    Column("free", Integer, nullable=False),  # of those, how many nobody has been given yet
    Column("place", Integer, nullable=False),
    # What came of somebody's answer is not given to them.
    Column("author", ForeignKey("people.id")),
    Column("source", ForeignKey("assignments.id", use_alter=True, name="items_source")),
    CheckConstraint("free >= 0 AND free <= wanted", name="items_free"),
)
# Literal, since neither database sees that a parameter is what a partial index is about.
IS_FREE = items.c.free > literal_column("0")
Index("items_next", items.c.place, items.c.id, sqlite_where=IS_FREE, postgresql_where=IS_FREE)
_GOLD = text("gold = 1")  # as SQLAlchemy asks SQLite, which goes by the letter
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
    Column("got", Integer),  # how much was as expected, where something was
    Column("asked", Integer),
    Column("imported", Boolean, nullable=False, default=False),
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

_TRIES = 20
_BUSY_SECONDS = 30
_AT_ONCE = 100


class Database:
    """Where a project keeps what it knows: a file of SQLite's, or PostgreSQL by its URL."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._writer = _Writer(engine) if engine.dialect.name == "sqlite" else None

    @classmethod
    def at(cls, where: str, folder: Path) -> "Database":
        """The database of that name in a project's folder, or at a URL of PostgreSQL's."""
        if "://" not in where:
            return cls(_sqlite(folder / where))
        return cls(_postgresql(where))

    def create(self, connection: Connection) -> None:
        """Make the tables; complain where there are some."""
        if inspect(connection).has_table(items.name):
            raise InvalidOption(
                "--database: it holds a project already; a project has a database of its own"
            )
        schema.create_all(connection)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A transaction that only looks, at one moment of the database."""
        with self.engine.connect() as connection:
            if self._writer is None:
                connection.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin():
                yield connection

    def first(self, query: Select[Any], values: dict[str, Any]) -> Row[Any] | None:
        """The first row that a query finds; for one look no transaction is needed."""
        with self.engine.connect() as connection:
            connection.execution_options(isolation_level="AUTOCOMMIT")
            return connection.execute(query, values).first()

    def write(self, work: Callable[[Connection], T]) -> T:
        """Do this in one transaction; again, where another came in between."""
        if self._writer:
            return self._writer.write(work)
        for tries in range(_TRIES):
            try:
                with self.engine.begin() as connection:
                    return work(connection)
            except DBAPIError as error:
                if tries == _TRIES - 1 or not _lost_a_race(error):
                    raise
        raise AssertionError

    def close(self) -> None:
        """Let go of all connections."""
        if self._writer:
            self._writer.close()
        self.engine.dispose()

    def purge(self) -> None:
        """See that what was deleted is gone from the files too, not only from the tables."""
        with self.engine.connect() as connection:
            plain = connection.execution_options(isolation_level="AUTOCOMMIT")
            if self._writer:  # where deleted is overwritten, once the log is
                plain.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
            else:
                plain.exec_driver_sql("VACUUM")


class _Job:
    """Something to be written, and what came of it for who waits."""

    def __init__(self, work: Callable[[Connection], Any]) -> None:
        self.work = work
        self.outcome: Future[Any] = Future()
        self.told: Callable[[], None] = lambda: None

    def run(self, connection: Connection, *, alone: bool) -> None:
        """Do it, or nothing of it; who waits is told once all is on the disk."""
        try:
            with nullcontext() if alone else connection.begin_nested():
                result = self.work(connection)
            self.told = lambda: self.outcome.set_result(result)
        except Exception as error:
            if alone:
                raise
            failure = error
            self.told = lambda: self.outcome.set_exception(failure)


class _Writer:
    """The one thread of this process that writes to a file of SQLite's.

    To wait for the disk takes longer than to write. So all that has come meanwhile is written in
    one transaction, and everybody is told after it; other processes take turns with this one.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None

    def write(self, work: Callable[[Connection], T]) -> T:
        with self._starting:
            if self._thread is None:
                self._thread = threading.Thread(target=self._loop, daemon=True)
                self._thread.start()
        job = _Job(work)
        self._jobs.put(job)
        result: T = job.outcome.result()
        return result

    def close(self) -> None:
        with self._starting:
            if self._thread:
                self._jobs.put(None)
                self._thread.join()
                self._thread = None

    def _loop(self) -> None:
        while job := self._jobs.get():
            jobs = [job]
            while len(jobs) < _AT_ONCE and not self._jobs.empty():
                following = self._jobs.get()
                if following is None:
                    self._jobs.put(None)
                    break
                jobs.append(following)
            self._write_all(jobs)

    def _write_all(self, jobs: list[_Job]) -> None:
        try:
            with self.engine.connect() as connection:
                writing = connection.execution_options(writes=True)
                with writing.begin():
                    for job in jobs:
                        job.run(writing, alone=len(jobs) == 1)
        except Exception as error:  # nothing of it all is kept
            for job in jobs:
                job.outcome.set_exception(error)
        else:
            for job in jobs:
                job.told()


def _lost_a_race(error: DBAPIError) -> bool:
    """Whether another transaction was quicker, so that this one was broken off, or too late."""
    codes = ("40001", "40P01")  # no order of the two would do, deadlock
    return isinstance(error, IntegrityError) or getattr(error.orig, "sqlstate", None) in codes


def _sqlite(path: Path) -> Engine:
    engine = create_engine(f"sqlite:///{path}", connect_args={"timeout": _BUSY_SECONDS})

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, record: Any) -> None:
        connection.isolation_level = None  # transactions begin where we say so
        # Acknowledged is on the disk: FULL waits for it. Deleted is overwritten.
        for line in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON"):
            connection.execute(f"PRAGMA {line}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        options = connection.get_execution_options()
        if options.get("isolation_level") == "AUTOCOMMIT":
            return
        # To look first and lock later is how two writers come to wait for each other.
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
        # Many annotators are few at any one moment, and few transactions at once end sooner.
        return create_engine(url, pool_size=10, max_overflow=0, pool_pre_ping=True)
    except (ArgumentError, NoSuchModuleError, ValueError):
        raise InvalidOption(
            "--database: expected a URL such as postgresql://name@host/project"
        ) from None
    except ImportError:
        raise MissingExtra(f"PostgreSQL needs psycopg: {install_command('web')}") from None


@contextmanager
def explained() -> Iterator[None]:
    """Say in one line that a database cannot be reached."""
    try:
        yield
    except DBAPIError as error:
        what = " ".join(str(error.orig).split())
        raise NotFound(f"the database does not do as it is asked: {what[:300]}; mend it") from None
