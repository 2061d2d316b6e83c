"""Assignment of items: each to the wanted number of people, once per person, for a limited time."""

import secrets
import time
from dataclasses import dataclass
from sqlite3 import Connection, Row
from typing import Literal

from ...seed import Stream
from ...storage.database import first
from .project import Project, item_from_row
from .task import Item

OPEN, ANSWERED, RETURNED = "open", "answered", "returned"
"""States of assignments; one more is skipped."""
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

_CURRENT = """
SELECT items.*, assignments.token, assignments.until, (
    SELECT count(*) FROM assignments WHERE person = :person AND state = 'answered'
) AS done
FROM assignments JOIN items ON items.id = assignments.item
WHERE person = :person AND state = 'open'
"""
_STATUS = """
SELECT failed, count(items.id) AS done, coalesce(sum(items.gold), 0) AS gold
FROM people
LEFT JOIN assignments ON assignments.person = people.id AND state = 'answered'
LEFT JOIN items ON items.id = assignments.item
WHERE people.id = :person GROUP BY people.id
"""
_CANDIDATE = """
SELECT items.*, theirs.token AS returned FROM items
LEFT JOIN assignments AS theirs ON theirs.item = items.id AND theirs.person = :person
WHERE (theirs.id IS NULL OR theirs.state = 'returned') AND {kind}
ORDER BY place, items.id LIMIT 1
"""
WORK, GOLD = (_CANDIDATE.format(kind=kind) for kind in ("items.free > 0", "items.gold = 1"))
EXPIRED = "SELECT id, item FROM assignments WHERE state = 'open' AND until < :now LIMIT :most"


def next_assignment(
    project: Project, person: int, now: float | None = None
) -> Assignment | NoAssignment:
    """Return the open assignment of a person, or a new one."""
    at = time.time() if now is None else now
    current = project.database.first(_CURRENT, {"person": person})
    # Looking at a sheet extends its time; writing that each time would be too often.
    if current and current["until"] - at > 30 * project.settings.minutes:
        return _assignment(current)
    return project.database.write(lambda connection: assign_next(connection, project, person, at))


def assign_next(
    connection: Connection, project: Project, person: int, now: float
) -> Assignment | NoAssignment:
    """Do the same in a writing transaction."""
    until = now + 60 * project.settings.minutes
    current = first(connection, _CURRENT, {"person": person})
    if current:
        connection.execute(
            "UPDATE assignments SET until = ? WHERE token = ?", (until, current["token"])
        )
        return _assignment(current)
    status = first(connection, _STATUS, {"person": person})
    if status is None:  # deleted meanwhile
        return "done"
    if status["failed"]:
        return "failed"
    found = _next(connection, project, person, status)
    if found is None and return_expired(connection, now):
        found = _next(connection, project, person, status)
    if found is None:
        return "done"
    token = _assign(connection, found, person, now, until)
    return Assignment(token, item_from_row(found), status["done"])


def _assignment(current: Row) -> Assignment:
    return Assignment(current["token"], item_from_row(current), current["done"])


def _next(connection: Connection, project: Project, person: int, status: Row) -> Row | None:
    """Return the next item: gold to qualify, then other items with some gold among them."""
    settings, whose = project.settings, {"person": person}
    if status["gold"] < settings.qualify:
        return first(connection, GOLD, whose)
    work = first(connection, WORK, whose)
    if work and settings.gold_share:
        stream = Stream("annotate", settings.id, person, status["done"])
        if stream.random() < settings.gold_share:
            return first(connection, GOLD, whose) or work
    return work


def _assign(connection: Connection, item: Row, person: int, now: float, until: float) -> str:
    if not item["gold"]:  # a constraint prevents a negative number
        connection.execute("UPDATE items SET free = free - 1 WHERE id = ?", (item["id"],))
    token: str = item["returned"] or secrets.token_urlsafe(16)
    if item["returned"]:
        connection.execute(
            "UPDATE assignments SET state = 'open', given = ?, until = ? WHERE token = ?",
            (now, until, token),
        )
    else:
        connection.execute(
            "INSERT INTO assignments (item, person, token, state, given, until) "
            "VALUES (?, ?, ?, 'open', ?, ?)",
            (item["id"], person, token, now, until),
        )
    return token


def return_expired(connection: Connection, now: float) -> int:
    """Return expired assignments to the pool; return their number."""
    expired = connection.execute(EXPIRED, {"now": now, "most": _MAX_RETURNED}).fetchall()
    for row in expired:
        connection.execute("UPDATE assignments SET state = 'returned' WHERE id = ?", (row["id"],))
        release(connection, row["item"])
    return len(expired)


def release(connection: Connection, item: int) -> None:
    """Offer an item to one more person."""
    connection.execute("UPDATE items SET free = free + 1 WHERE id = ? AND gold = 0", (item,))


def skip(project: Project, person: int, token: str) -> bool:
    """Skip an item permanently; return False if it was not assigned to the person."""

    def work(connection: Connection) -> bool:
        skipped = connection.execute(
            "UPDATE assignments SET state = 'skipped' "
            "WHERE token = ? AND person = ? AND state = 'open' RETURNING item",
            (token, person),
        ).fetchall()
        for row in skipped:
            release(connection, row["item"])
        return bool(skipped)

    return project.database.write(work)
