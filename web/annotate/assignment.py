"""Who is given what: each item as often as wanted, never twice to one person, none for ever."""

import secrets
import time
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    and_,
    exists,
    func,
    insert,
    not_,
    or_,
    select,
    update,
)

from ...seed import Stream
from .database import ANSWERED, OPEN, RETURNED, SKIPPED, assignments, items, people
from .project import Project, item_of
from .task import Item

_AT_ONCE = 200


@dataclass(frozen=True)
class Assignment:
    """An item that is somebody's for a while; the token is what they answer by."""

    token: str
    item: Item
    until: float


Nothing = Literal["done", "failed"]
"""Why nobody gives a person anything: there is nothing left for them, or they did not qualify."""


def give(project: Project, person: int, now: float | None = None) -> Assignment | Nothing:
    """What a person has to do next: what they have already, or something new."""
    at = time.time() if now is None else now
    return project.database.write(lambda connection: _give(connection, project, person, at))


def _give(
    connection: Connection, project: Project, person: int, now: float
) -> Assignment | Nothing:
    until = now + 60 * project.settings.minutes
    current = connection.execute(
        select(assignments.c.id, assignments.c.token, items)
        .join(items, items.c.id == assignments.c.item)
        .where(assignments.c.person == person, assignments.c.state == OPEN)
    ).first()
    if current:
        connection.execute(
            update(assignments).where(assignments.c.id == current[0]).values(until=until)
        )
        return Assignment(current.token, item_of(current), until)
    take_back(connection, now)
    failed = connection.scalar(select(people.c.failed).where(people.c.id == person))
    if failed is None:  # forgotten a moment ago
        return "done"
    if failed:
        return "failed"
    found = _next(connection, project, person)
    if found is None:
        return "done"
    token = _assign(connection, found, person, now, until)
    return Assignment(token, item_of(found), until)


def _next(connection: Connection, project: Project, person: int) -> Row[Any] | None:
    """The item to be given: gold to qualify, then gold now and then among the others."""
    settings = project.settings
    if not settings.gold_share and not settings.qualify:
        return _pick(connection, person, gold=False)
    gold, every = _counts(connection, person)
    if gold < settings.qualify:
        return _pick(connection, person, gold=True)
    now_and_then = Stream("annotate", settings.id, person, every).random() < settings.gold_share
    work = _pick(connection, person, gold=False)
    if work and now_and_then:
        return _pick(connection, person, gold=True) or work
    return work


def _counts(connection: Connection, person: int) -> tuple[int, int]:
    """How many gold items a person has answered, and how many of all."""
    row = connection.execute(
        select(func.count().filter(items.c.gold), func.count())
        .select_from(assignments.join(items, items.c.id == assignments.c.item))
        .where(assignments.c.person == person, assignments.c.state == ANSWERED)
    ).one()
    return row[0], row[1]


def _pick(connection: Connection, person: int, *, gold: bool) -> Row[Any] | None:
    theirs = and_(
        assignments.c.item == items.c.id,
        assignments.c.person == person,
        assignments.c.state != RETURNED,
    )
    wanted: list[ColumnElement[bool]] = [
        items.c.gold.is_(gold),
        or_(items.c.author.is_(None), items.c.author != person),
        not_(exists().where(theirs)),
    ]
    if not gold:
        wanted.append(items.c.free > 0)
    query = select(items).where(*wanted).order_by(items.c.place, items.c.id).limit(1)
    # What another is being given at this moment is passed over, unless there is nothing else.
    passing = connection.execute(query.with_for_update(skip_locked=True)).first()
    return passing or connection.execute(query.with_for_update()).first()


def _assign(connection: Connection, item: Row[Any], person: int, now: float, until: float) -> str:
    if not item.gold:
        # The condition on the table itself would refuse the one too many.
        connection.execute(update(items).where(items.c.id == item.id).values(free=items.c.free - 1))
    again = connection.execute(
        update(assignments)
        .where(assignments.c.item == item.id, assignments.c.person == person)
        .values(state=OPEN, given=now, until=until)
        .returning(assignments.c.token)
    ).scalar()
    if again:
        return str(again)
    token = secrets.token_urlsafe(16)
    connection.execute(
        insert(assignments).values(
            item=item.id, person=person, token=token, state=OPEN, given=now, until=until
        )
    )
    return token


def take_back(connection: Connection, now: float) -> int:
    """Return to the pool what was given and not answered in time; say how many."""
    late = connection.execute(
        select(assignments.c.id, assignments.c.item)
        .where(assignments.c.state == OPEN, assignments.c.until < now)
        .limit(_AT_ONCE)
        .with_for_update(skip_locked=True)
    ).all()
    for row in late:
        connection.execute(
            update(assignments).where(assignments.c.id == row.id).values(state=RETURNED)
        )
        release(connection, row.item)
    return len(late)


def release(connection: Connection, item: int) -> None:
    """Somebody else may be given the item in one person's stead."""
    connection.execute(
        update(items).where(items.c.id == item, not_(items.c.gold)).values(free=items.c.free + 1)
    )


def skip(project: Project, person: int, token: str) -> bool:
    """Return an item for good: the person is not asked again. False where it was not theirs."""

    def work(connection: Connection) -> bool:
        item = connection.execute(
            update(assignments)
            .where(
                assignments.c.token == token,
                assignments.c.person == person,
                assignments.c.state == OPEN,
            )
            .values(state=SKIPPED)
            .returning(assignments.c.item)
        ).scalar()
        if item is not None:
            release(connection, item)
        return item is not None

    return project.database.write(work)
