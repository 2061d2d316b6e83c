"""Assignment of items: each to the wanted number of people, once per person, for a limited time.

Statements are module constants because building them takes longer than running them.
"""

import secrets
import time
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import (
    BindParameter,
    Connection,
    Row,
    and_,
    bindparam,
    func,
    insert,
    not_,
    or_,
    select,
    update,
)

from ...seed import Stream
from .database import (
    ANSWERED,
    IS_FREE,
    IS_OPEN,
    OPEN,
    RETURNED,
    SKIPPED,
    assignments,
    items,
    people,
)
from .project import Project, item_from_row
from .task import Item

_MAX_RETURNED = 200


@dataclass(frozen=True)
class Assignment:
    """An item assigned to a person for a limited time; the answer carries the token."""

    token: str
    item: Item
    done: int
    """Number of items the person has answered."""


NoAssignment = Literal["done", "failed"]
"""Why a person gets no item: none is left for them, or they did not qualify."""

_person: BindParameter[int] = bindparam("of")

_counted = assignments.alias("counted")
_CURRENT = (
    select(
        assignments.c.token,
        assignments.c.until,
        items,
        select(func.count())
        .where(_counted.c.person == _person, _counted.c.state == ANSWERED)
        .scalar_subquery()
        .label("done"),
    )
    .join(items, items.c.id == assignments.c.item)
    .where(assignments.c.person == _person, IS_OPEN)
)
_EXTEND = (
    update(assignments)
    .where(assignments.c.token == bindparam("which"))
    .values(until=bindparam("till"))
)
_answered = (assignments.c.person == people.c.id) & (assignments.c.state == ANSWERED)
_STATUS = select(
    people.c.failed,
    select(func.count()).where(_answered).scalar_subquery().label("done"),
    select(func.count())
    .select_from(assignments.join(items, items.c.id == assignments.c.item))
    .where(_answered, items.c.gold)
    .scalar_subquery()
    .label("gold"),
).where(people.c.id == _person)

_theirs = assignments.alias("theirs")
_CANDIDATES = (
    select(items, _theirs.c.token.label("returned"))
    .outerjoin(_theirs, and_(_theirs.c.item == items.c.id, _theirs.c.person == _person))
    .where(
        or_(_theirs.c.id.is_(None), _theirs.c.state == RETURNED),
        or_(items.c.author.is_(None), items.c.author != _person),
    )
    .order_by(items.c.place, items.c.id)
    .limit(1)
)
# Items that are being assigned to others are skipped, unless there is nothing else.
_WORK, _GOLD = (
    (kind.with_for_update(of=items, skip_locked=True), kind.with_for_update(of=items))
    for kind in (_CANDIDATES.where(IS_FREE), _CANDIDATES.where(items.c.gold))
)
_RESERVE = (
    # The check constraint of the table prevents a negative number.
    update(items).where(items.c.id == bindparam("which")).values(free=items.c.free - 1)
)
_ASSIGN = insert(assignments).values(
    item=bindparam("which"),
    person=_person,
    token=bindparam("word"),
    state=OPEN,
    given=bindparam("now"),
    until=bindparam("till"),
)
_REASSIGN = (
    update(assignments)
    .where(assignments.c.token == bindparam("word"))
    .values(state=OPEN, given=bindparam("now"), until=bindparam("till"))
)
_EXPIRED = (
    select(assignments.c.id, assignments.c.item)
    .where(IS_OPEN, assignments.c.until < bindparam("now"))
    .limit(_MAX_RETURNED)
    .with_for_update(skip_locked=True)
)


def next_assignment(
    project: Project, person: int, now: float | None = None
) -> Assignment | NoAssignment:
    """Return the open assignment of a person, or a new one."""
    at = time.time() if now is None else now
    current = project.database.first(_CURRENT, {"of": person})
    # Looking at a sheet extends its time; writing that each time would be too often.
    if current and current.until - at > 30 * project.settings.minutes:
        return _assignment(current)
    return project.database.write(lambda connection: assign_next(connection, project, person, at))


def assign_next(
    connection: Connection, project: Project, person: int, now: float, *, idle: bool = False
) -> Assignment | NoAssignment:
    """Do the same in a writing transaction; `idle` people have no open assignment."""
    until = now + 60 * project.settings.minutes
    current = None if idle else connection.execute(_CURRENT, {"of": person}).first()
    if current:
        connection.execute(_EXTEND, {"which": current.token, "till": until})
        return _assignment(current)
    status = connection.execute(_STATUS, {"of": person}).first()
    if status is None:  # deleted meanwhile
        return "done"
    if status.failed:
        return "failed"
    found = _next(connection, project, person, status)
    if found is None and return_expired(connection, now):
        found = _next(connection, project, person, status)
    if found is None:
        return "done"
    token = _assign(connection, found, person, now, until)
    return Assignment(token, item_from_row(found), status.done)


def _assignment(current: Row[Any]) -> Assignment:
    return Assignment(current.token, item_from_row(current), current.done)


def _next(
    connection: Connection, project: Project, person: int, status: Row[*tuple[Any, ...]]
) -> Row[Any] | None:
    """Return the next item: gold to qualify, then other items with some gold among them."""
    settings = project.settings
    if status.gold < settings.qualify:
        return _pick(connection, person, gold=True)
    work = _pick(connection, person, gold=False)
    if work and settings.gold_share:
        stream = Stream("annotate", settings.id, person, status.done)
        if stream.random() < settings.gold_share:
            return _pick(connection, person, gold=True) or work
    return work


def _pick(connection: Connection, person: int, *, gold: bool) -> Row[Any] | None:
    skipping, waiting = _GOLD if gold else _WORK
    found = connection.execute(skipping, {"of": person}).first()
    if found is None and connection.dialect.name != "sqlite":  # SQLite has one writer
        found = connection.execute(waiting, {"of": person}).first()
    return found


def _assign(connection: Connection, item: Row[Any], person: int, now: float, until: float) -> str:
    if not item.gold:
        connection.execute(_RESERVE, {"which": item.id})
    token: str = item.returned or secrets.token_urlsafe(16)
    times = {"word": token, "now": now, "till": until}
    if item.returned:
        connection.execute(_REASSIGN, times)
    else:
        connection.execute(_ASSIGN, times | {"which": item.id, "of": person})
    return token


def return_expired(connection: Connection, now: float) -> int:
    """Return expired assignments to the pool; return their number."""
    expired = connection.execute(_EXPIRED, {"now": now}).all()
    for row in expired:
        connection.execute(
            update(assignments).where(assignments.c.id == row.id).values(state=RETURNED)
        )
        release(connection, row.item)
    return len(expired)


def release(connection: Connection, item: int) -> None:
    """Offer an item to one more person."""
    connection.execute(
        update(items).where(items.c.id == item, not_(items.c.gold)).values(free=items.c.free + 1)
    )


def skip(project: Project, person: int, token: str) -> bool:
    """Skip an item permanently; return False if it was not assigned to the person."""

    def work(connection: Connection) -> bool:
        item = connection.execute(
            update(assignments)
            .where(assignments.c.token == token, assignments.c.person == person, IS_OPEN)
            .values(state=SKIPPED)
            .returning(assignments.c.item)
        ).scalar()
        if item is not None:
            release(connection, item)
        return item is not None

    return project.database.write(work)
