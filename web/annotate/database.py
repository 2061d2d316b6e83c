"""The database: one schema for SQLite and PostgreSQL, and transactions on it.

What must never happen is refused by the database itself: an item twice to one person, two open
assignments of one person, more people on an item than it wants.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
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
    String,
    Table,
    Text,
    UniqueConstraint,
    create_engine,
    event,
    inspect,
)
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, NoSuchModuleError

from ...errors import InvalidOption, MissingExtra, NotFound, install

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
Index("items_next", items.c.gold, items.c.place, postgresql_where=items.c.free > 0)
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
Index(
    "assignments_one_open",
    assignments.c.person,
    unique=True,
    sqlite_where=assignments.c.state == OPEN,
    postgresql_where=assignments.c.state == OPEN,
)
Index("assignments_until", assignments.c.state, assignments.c.until)
Index("assignments_person", assignments.c.person, assignments.c.state)

_TRIES = 20
_BUSY_SECONDS = 30


class Database:
    """Where a project keeps what it knows: a file of SQLite's, or PostgreSQL by its URL."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        # SQLite has one writer at a time: those of this process queue here, which is fairer and
        # quicker than asking the file again and again.
        self._turn = threading.Lock() if engine.dialect.name == "sqlite" else nullcontext()

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
            if self.engine.dialect.name == "postgresql":
                connection.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin():
                yield connection

    @contextmanager
    def _write(self) -> Iterator[Connection]:
        with self._turn, self.engine.connect() as connection:
            writing = connection.execution_options(writes=True)
            with writing.begin():
                yield writing

    def write(self, work: Callable[[Connection], T]) -> T:
        """Do this in one transaction; again, where another came in between."""
        for tries in range(_TRIES):
            try:
                with self._write() as connection:
                    return work(connection)
            except IntegrityError:
                if tries == _TRIES - 1:
                    raise
            except DBAPIError as error:
                if tries == _TRIES - 1 or not _lost_a_race(error):
                    raise
        raise AssertionError

    def close(self) -> None:
        """Let go of all connections."""
        self.engine.dispose()

    def purge(self) -> None:
        """See that what was deleted is gone from the files too, not only from the tables."""
        with self._turn, self.engine.connect() as connection:
            plain = connection.execution_options(isolation_level="AUTOCOMMIT")
            if self.engine.dialect.name == "sqlite":  # where deleted is overwritten, in the end
                plain.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
            else:
                plain.exec_driver_sql("VACUUM")


def _lost_a_race(error: DBAPIError) -> bool:
    """Whether a transaction of PostgreSQL's was broken off for another's sake."""
    return getattr(error.orig, "sqlstate", None) in ("40001", "40P01")


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
        if connection.get_isolation_level() == "AUTOCOMMIT":
            return
        # To look first and lock later is how two writers come to wait for each other.
        writes = connection.get_execution_options().get("writes")
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
        # Many annotators are few at any one moment; PostgreSQL has 100 connections to share.
        return create_engine(url, pool_size=20, max_overflow=20, pool_pre_ping=True)
    except (ArgumentError, NoSuchModuleError, ValueError):
        raise InvalidOption(
            "--database: expected a URL such as postgresql://name@host/project"
        ) from None
    except ImportError:
        raise MissingExtra(f"PostgreSQL needs psycopg: {install('web')}") from None


@contextmanager
def explained() -> Iterator[None]:
    """Say in one line that a database cannot be reached."""
    try:
        yield
    except DBAPIError as error:
        what = " ".join(str(error.orig).split())
        raise NotFound(f"the database does not do as it is asked: {what[:300]}; mend it") from None
