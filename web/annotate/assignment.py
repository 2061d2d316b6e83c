"""Who is given what: each item as often as wanted, never twice to one person, none for ever.

The statements are put together once: that takes longer than to run them.
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
from .project import Project, item_of
from .task import Item

_AT_ONCE = 200


@dataclass(frozen=True)
class Assignment:
    """An item that is somebody's for a while; the token is what they answer by."""

    token: str
    item: Item
    done: int
    """How many the person has answered."""


Nothing = Literal["done", "failed"]
"""Why nobody gives a person anything: there is nothing left for them, or they did not qualify."""

_person: BindParameter[int] = bindparam("of")

_CURRENT = (
    select(assignments.c.token, assignments.c.until, items)
    .join(items, items.c.id == assignments.c.item)
    .where(assignments.c.person == _person, IS_OPEN)
)
_EXTEND = (
    update(assignments)
    .where(assignments.c.token == bindparam("which"))
    .values(until=bindparam("till"))
)
_answered = (assignments.c.person == people.c.id) & (assignments.c.state == ANSWERED)
_STANDING = select(
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
# What another is being given at this moment is passed over, unless there is nothing else.
_WORK, _GOLD = (
    (kind.with_for_update(of=items, skip_locked=True), kind.with_for_update(of=items))
    for kind in (_CANDIDATES.where(IS_FREE), _CANDIDATES.where(items.c.gold))
)
_TAKE = (
    # The condition on the table itself would refuse the one too many.
    update(items).where(items.c.id == bindparam("which")).values(free=items.c.free - 1)
)
_GIVE = insert(assignments).values(
    item=bindparam("which"),
    person=_person,
    token=bindparam("word"),
    state=OPEN,
    given=bindparam("now"),
    until=bindparam("till"),
)
_GIVE_AGAIN = (
    update(assignments)
    .where(assignments.c.token == bindparam("word"))
    .values(state=OPEN, given=bindparam("now"), until=bindparam("till"))
)
_LATE = (
    select(assignments.c.id, assignments.c.item)
    .where(IS_OPEN, assignments.c.until < bindparam("now"))
    .limit(_AT_ONCE)
    .with_for_update(skip_locked=True)
)


def give(project: Project, person: int, now: float | None = None) -> Assignment | Nothing:
    """What a person has to do next: what they have already, or something new."""
    at = time.time() if now is None else now
    with project.database.read() as connection:
        current = connection.execute(_CURRENT, {"of": person}).first()
        # Whoever looks at their sheet has it for longer; to write that each time is too often.
        if current and current.until - at > 30 * project.settings.minutes:
            return _assignment(connection, person, current)
    return project.database.write(lambda connection: give_next(connection, project, person, at))


def give_next(
    connection: Connection, project: Project, person: int, now: float, *, idle: bool = False
) -> Assignment | Nothing:
    """The same within a transaction that writes; `idle` is somebody who surely has nothing."""
    until = now + 60 * project.settings.minutes
    current = None if idle else connection.execute(_CURRENT, {"of": person}).first()
    if current:
        connection.execute(_EXTEND, {"which": current.token, "till": until})
        return _assignment(connection, person, current)
    standing = connection.execute(_STANDING, {"of": person}).first()
    if standing is None:  # forgotten a moment ago
        return "done"
    if standing.failed:
        return "failed"
    found = _next(connection, project, person, standing)
    if found is None and take_back(connection, now):
        found = _next(connection, project, person, standing)
    if found is None:
        return "done"
    token = _assign(connection, found, person, now, until)
    return Assignment(token, item_of(found), standing.done)


def _assignment(connection: Connection, person: int, current: Row[Any]) -> Assignment:
    standing = connection.execute(_STANDING, {"of": person}).one()
    return Assignment(current.token, item_of(current), standing.done)


def _next(
    connection: Connection, project: Project, person: int, standing: Row[*tuple[Any, ...]]
) -> Row[Any] | None:
    """The item to be given: gold to qualify, then gold now and then among the others."""
    settings = project.settings
    if standing.gold < settings.qualify:
        return _pick(connection, person, gold=True)
    work = _pick(connection, person, gold=False)
    if work and settings.gold_share:
        dice = Stream("annotate", settings.id, person, standing.done)
        if dice.random() < settings.gold_share:
            return _pick(connection, person, gold=True) or work
    return work


def _pick(connection: Connection, person: int, *, gold: bool) -> Row[Any] | None:
    passing, waiting = _GOLD if gold else _WORK
    found = connection.execute(passing, {"of": person}).first()
    if found is None and connection.dialect.name != "sqlite":  # which has one writer anyway
        found = connection.execute(waiting, {"of": person}).first()
    return found


def _assign(connection: Connection, item: Row[Any], person: int, now: float, until: float) -> str:
    if not item.gold:
        connection.execute(_TAKE, {"which": item.id})
    token: str = item.returned or secrets.token_urlsafe(16)
    times = {"word": token, "now": now, "till": until}
    if item.returned:
        connection.execute(_GIVE_AGAIN, times)
    else:
        connection.execute(_GIVE, times | {"which": item.id, "of": person})
    return token


def take_back(connection: Connection, now: float) -> int:
    """Return to the pool what was given and not answered in time; say how many."""
    late = connection.execute(_LATE, {"now": now}).all()
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
            .where(assignments.c.token == token, assignments.c.person == person, IS_OPEN)
            .values(state=SKIPPED)
            .returning(assignments.c.item)
        ).scalar()
        if item is not None:
            release(connection, item)
        return item is not None

    return project.database.write(work)
