"""Submission of answers: each is stored once, completely, before it is acknowledged."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from sqlite3 import Connection, Row

import orjson

from ...storage.database import first
from .assignment import ANSWERED, OPEN, RETURNED, assign_next
from .project import Project, item_from_row
from .task import MAX_ANSWER_CHARACTERS, Item


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


_ASSIGNMENT = """
SELECT items.*, assignments.id AS assignment, state, answer
FROM assignments JOIN items ON items.id = assignments.item
WHERE token = :token AND person = :person
"""


class UnknownAssignment(Exception):
    """The assignment does not exist or belongs to somebody else."""


def submit_answer(
    project: Project, person: int, token: str, sent: Mapping[str, str], now: float | None = None
) -> Accepted | Rejected | TooLate:
    """Store an answer; a repeated request returns the same result, another answer is too late."""
    at = time.time() if now is None else now

    def work(connection: Connection) -> Accepted | Rejected | TooLate:
        given = first(connection, _ASSIGNMENT, {"token": token, "person": person})
        if given is None:
            raise UnknownAssignment
        result = _submit(connection, project, person, token, given, sent, at)
        if isinstance(result, Accepted):
            # In the same transaction: one wait for the disk.
            assign_next(connection, project, person, at)
        return result

    return project.database.write(work)


def _submit(
    connection: Connection,
    project: Project,
    person: int,
    token: str,
    given: Row,
    sent: Mapping[str, str],
    now: float,
) -> Accepted | Rejected | TooLate:
    task, item = project.task, item_from_row(given)
    sheet = task.sheet(item)
    answer = sheet.extract_answer(sent)
    if given["state"] == ANSWERED:
        if orjson.loads(given["answer"]) == answer:
            return Accepted(token)
        return TooLate(answer, "You have answered this before, and that answer counts.")
    errors = sheet.errors(answer)
    if sum(map(len, answer.values())) > MAX_ANSWER_CHARACTERS:
        errors = dict.fromkeys(answer, f"This is more than {MAX_ANSWER_CHARACTERS} characters.")
    if errors:
        return Rejected(item, token, answer, errors)
    if given["state"] != OPEN and not _retake(connection, given):
        return TooLate(answer, "Others have answered this meanwhile.")
    connection.execute(
        "UPDATE assignments SET state = 'answered', answer = ?, answered = ?, got = ?, asked = ? "
        "WHERE id = ?",
        (
            orjson.dumps(answer).decode(),
            now,
            *(task.score(item, answer) or (None, None)),
            given["assignment"],
        ),
    )
    if given["gold"]:
        _qualify(connection, project, person)
    return Accepted(token)


def _retake(connection: Connection, given: Row) -> bool:
    """Take an item that was returned to the pool again; return whether it was available."""
    if given["state"] != RETURNED:
        return False
    if given["gold"]:
        return True
    had = connection.execute(
        "UPDATE items SET free = free - 1 WHERE id = ? AND free > 0", (given["id"],)
    )
    return had.rowcount == 1


def _qualify(connection: Connection, project: Project, person: int) -> None:
    """Mark a person as failed after the last qualification item if the score is too low."""
    settings = project.settings
    rows = connection.execute(
        "SELECT got, asked FROM assignments JOIN items ON items.id = assignments.item "
        "WHERE person = ? AND state = 'answered' AND gold = 1",
        (person,),
    ).fetchall()
    if not settings.qualify or len(rows) != settings.qualify:
        return
    right, asked = sum(row["got"] for row in rows), sum(row["asked"] for row in rows)
    if right < settings.pass_mark * asked:
        connection.execute("UPDATE people SET failed = 1 WHERE id = ?", (person,))
