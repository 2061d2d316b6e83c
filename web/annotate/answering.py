"""Taking answers: each once, whole, and on the disk before anybody is thanked."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson
from sqlalchemy import Connection, Row, bindparam, insert, select, update

from .assignment import give_next
from .database import ANSWERED, OPEN, RETURNED, assignments, items, people
from .project import Project, item_of, row_of
from .task import LONGEST_ANSWER, Answer, Item

_MOST_ATTEMPTS = 3
"""How often somebody is asked for another text in place of one that failed, for each wanted."""


@dataclass(frozen=True)
class Kept:
    """The answer is kept: now, or when it was sent before."""

    token: str


@dataclass(frozen=True)
class Refused:
    """It is not kept: what is wrong with each field, to be mended on the same sheet."""

    item: Item
    token: str
    answer: dict[str, str]
    complaints: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class TooLate:
    """It is not kept, and cannot be: another answer was, or others have done it meanwhile."""

    answer: dict[str, str]
    why: str


_GIVEN = (
    select(assignments.c.id.label("assignment"), assignments.c.state, assignments.c.answer, items)
    .join(items, items.c.id == assignments.c.item)
    .where(assignments.c.token == bindparam("word"), assignments.c.person == bindparam("of"))
    .with_for_update(of=assignments)
)
_KEEP = (
    update(assignments)
    .where(assignments.c.id == bindparam("which"))
    .values(
        state=ANSWERED,
        answer=bindparam("text"),
        answered=bindparam("now"),
        got=bindparam("right"),
        asked=bindparam("of"),
    )
)


class NotTheirs(Exception):
    """There is no such assignment, or it is somebody else's; nobody is told which."""


def take(
    project: Project, person: int, token: str, sent: Mapping[str, str], now: float | None = None
) -> Kept | Refused | TooLate:
    """Keep an answer by the token of its assignment. The same again is thanked for alike."""
    at = time.time() if now is None else now

    def work(connection: Connection) -> Kept | Refused | TooLate:
        given = connection.execute(_GIVEN, {"word": token, "of": person}).first()
        if given is None:
            raise NotTheirs
        taken = _take(connection, project, person, token, given, sent, at)
        if isinstance(taken, Kept):  # what comes next is given with it: one wait for the disk
            give_next(connection, project, person, at, idle=given.state == OPEN)
        return taken

    return project.database.write(work)


def _take(
    connection: Connection,
    project: Project,
    person: int,
    token: str,
    given: Row[Any],
    sent: Mapping[str, str],
    now: float,
) -> Kept | Refused | TooLate:
    task, item = project.task, item_of(given)
    sheet = task.sheet(item)
    answer = sheet.read(sent)
    if given.state == ANSWERED:
        if orjson.loads(given.answer) == answer:
            return Kept(token)
        return TooLate(answer, "You have answered this before, and that answer counts.")
    complaints = sheet.complaints(answer)
    if not complaints:
        complaints = task.complaints(item, answer)
    if sum(map(len, answer.values())) > LONGEST_ANSWER:
        complaints = dict.fromkeys(answer, f"That is more than {LONGEST_ANSWER} characters.")
    if complaints:
        return Refused(item, token, answer, complaints)
    if given.state != OPEN and not _taken_again(connection, given):
        return TooLate(answer, "Others have done this meanwhile.")
    got, asked = task.score(item, answer) or (None, None)
    connection.execute(
        _KEEP,
        {
            "which": given.assignment,
            "text": orjson.dumps(answer).decode(),
            "now": now,
            "right": got,
            "of": asked,
        },
    )
    if given.gold:
        _qualify(connection, project, person)
    else:
        follow(connection, project, person, given.assignment, given.source, item, answer)
    return Kept(token)


def _taken_again(connection: Connection, given: Row[Any]) -> bool:
    """Whether what was returned to the pool is still there to be had."""
    if given.state != RETURNED:
        return False
    if given.gold:
        return True
    had = connection.execute(
        update(items).where(items.c.id == given.id, items.c.free > 0).values(free=items.c.free - 1)
    )
    return had.rowcount == 1


def _qualify(connection: Connection, project: Project, person: int) -> None:
    """Once somebody has answered what they qualify by, see whether they have."""
    settings = project.settings
    rows = connection.execute(
        select(assignments.c.got, assignments.c.asked)
        .join(items, items.c.id == assignments.c.item)
        .where(assignments.c.person == person, assignments.c.state == ANSWERED, items.c.gold)
    ).all()
    if not settings.qualify or len(rows) != settings.qualify:
        return
    right, asked = sum(row.got for row in rows), sum(row.asked for row in rows)
    if right < settings.pass_mark * asked:
        connection.execute(update(people).where(people.c.id == person).values(failed=True))


def follow(
    connection: Connection,
    project: Project,
    person: int,
    assignment: int,
    source: int | None,
    item: Item,
    answer: Answer,
) -> None:
    """Do what follows from an answer by its task."""
    outcome = project.task.outcome(item, answer)
    if outcome.items:
        name = connection.scalar(select(people.c.name).where(people.c.id == person))
        made = [
            row_of(new, place=0, people=project.settings.people)
            | {"key": f"{new.key}:{name}:{n}", "author": person, "source": assignment}
            for n, new in enumerate(outcome.items, 1)
        ]
        connection.execute(insert(items), made)
    if outcome.again and source is not None:
        first = select(assignments.c.item).where(assignments.c.id == source).scalar_subquery()
        most = project.settings.people * _MOST_ATTEMPTS
        connection.execute(
            update(items)
            .where(items.c.id == first, items.c.wanted < most)
            .values(wanted=items.c.wanted + 1, free=items.c.free + 1)
        )
