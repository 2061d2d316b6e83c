"""Submission of answers: each is stored once, completely, before it is acknowledged."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson
from sqlalchemy import Connection, Row, bindparam, insert, select, update

from .assignment import assign_next
from .database import ANSWERED, OPEN, RETURNED, assignments, items, people
from .project import Project, item_from_row, item_row
from .task import MAX_ANSWER_CHARACTERS, Answer, Item

_MAX_REPLACEMENTS = 3
"""Upper bound of replacements for failed texts, relative to the number wanted."""


@dataclass(frozen=True)
class Accepted:
    """The answer is stored, now or by an earlier request."""

    token: str


@dataclass(frozen=True)
class Rejected:
    """The answer is not stored; it has errors by field, to be corrected on the same sheet."""

    item: Item
    token: str
    answer: dict[str, str]
    errors: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class TooLate:
    """The answer cannot be stored: there is another one, or others have answered meanwhile."""

    answer: dict[str, str]
    why: str


_ASSIGNMENT = (
    select(assignments.c.id.label("assignment"), assignments.c.state, assignments.c.answer, items)
    .join(items, items.c.id == assignments.c.item)
    .where(assignments.c.token == bindparam("word"), assignments.c.person == bindparam("of"))
    .with_for_update(of=assignments)
)
_STORE = (
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


class UnknownAssignment(Exception):
    """The assignment does not exist or belongs to somebody else."""


def submit_answer(
    project: Project, person: int, token: str, sent: Mapping[str, str], now: float | None = None
) -> Accepted | Rejected | TooLate:
    """Store an answer by the token of its assignment; the same answer may be sent twice."""
    at = time.time() if now is None else now

    def work(connection: Connection) -> Accepted | Rejected | TooLate:
        given = connection.execute(_ASSIGNMENT, {"word": token, "of": person}).first()
        if given is None:
            raise UnknownAssignment
        result = _submit(connection, project, person, token, given, sent, at)
        if isinstance(result, Accepted):
            # In the same transaction: one wait for the disk.
            assign_next(connection, project, person, at, idle=given.state == OPEN)
        return result

    return project.database.write(work)


def _submit(
    connection: Connection,
    project: Project,
    person: int,
    token: str,
    given: Row[Any],
    sent: Mapping[str, str],
    now: float,
) -> Accepted | Rejected | TooLate:
    task, item = project.task, item_from_row(given)
    sheet = task.sheet(item)
    answer = sheet.extract_answer(sent)
    if given.state == ANSWERED:
        if orjson.loads(given.answer) == answer:
            return Accepted(token)
        return TooLate(answer, "You have answered this before, and that answer counts.")
    errors = sheet.errors(answer) or task.errors(item, answer)
    if sum(map(len, answer.values())) > MAX_ANSWER_CHARACTERS:
        errors = dict.fromkeys(answer, f"This is more than {MAX_ANSWER_CHARACTERS} characters.")
    if errors:
        return Rejected(item, token, answer, errors)
    if given.state != OPEN and not _retake(connection, given):
        return TooLate(answer, "Others have answered this meanwhile.")
    got, asked = task.score(item, answer) or (None, None)
    connection.execute(
        _STORE,
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
        apply_outcome(connection, project, person, given.assignment, given.source, item, answer)
    return Accepted(token)


def _retake(connection: Connection, given: Row[Any]) -> bool:
    """Take an item that was returned to the pool again; return whether it was available."""
    if given.state != RETURNED:
        return False
    if given.gold:
        return True
    had = connection.execute(
        update(items).where(items.c.id == given.id, items.c.free > 0).values(free=items.c.free - 1)
    )
    return had.rowcount == 1


def _qualify(connection: Connection, project: Project, person: int) -> None:
    """Mark a person as failed after the last qualification item if the score is too low."""
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


def apply_outcome(
    connection: Connection,
    project: Project,
    person: int,
    assignment: int,
    source: int | None,
    item: Item,
    answer: Answer,
) -> None:
    """Apply the outcome of an answer: new items, or a replacement."""
    outcome = project.task.outcome(item, answer)
    if outcome.items:
        name = connection.scalar(select(people.c.name).where(people.c.id == person))
        made = [
            item_row(new, place=0, people=project.settings.people)
            | {"key": f"{new.key}:{name}:{n}", "author": person, "source": assignment}
            for n, new in enumerate(outcome.items, 1)
        ]
        connection.execute(insert(items), made)
    if outcome.retry and source is not None:
        first = select(assignments.c.item).where(assignments.c.id == source).scalar_subquery()
        most = project.settings.people * _MAX_REPLACEMENTS
        connection.execute(
            update(items)
            .where(items.c.id == first, items.c.wanted < most)
            .values(wanted=items.c.wanted + 1, free=items.c.free + 1)
        )
