"""Access by links with a random token, of which the database has only the hash.

A link is valid until it expires or is revoked. It sets a cookie with the token, and forms must
carry a value derived from the token (CSRF).
"""

import secrets
import time
from dataclasses import dataclass
from sqlite3 import Connection

from ...access import DAY, check_days, check_name, hash_token
from ...errors import NotFound, hint
from .assignment import ANSWERED, OPEN, release
from .project import Project


@dataclass(frozen=True)
class Person:
    """A person with a valid link."""

    id: int
    name: str
    consent: str | None


def invite(project: Project, name: str, days: float = 30) -> str:
    """Return the token of a new link for a new or known person."""
    name = check_name(name)
    check_days(days)
    token = secrets.token_urlsafe(32)
    values = (hash_token(token), time.time() + days * DAY, name)

    def work(connection: Connection) -> None:
        known = connection.execute("UPDATE people SET hash = ?, expires = ? WHERE name = ?", values)
        if not known.rowcount:
            connection.execute("INSERT INTO people (hash, expires, name) VALUES (?, ?, ?)", values)

    project.database.write(work)
    return token


def link_path(token: str) -> str:
    """Return the path of a link."""
    return f"a/{token}"


def find_person(project: Project, token: str) -> Person | None:
    """Return the person with this token; None if it is invalid or expired."""
    query = "SELECT * FROM people WHERE hash = :hash"
    row = project.database.first(query, {"hash": hash_token(token)})
    if row is None or row["expires"] < time.time():
        return None
    return Person(row["id"], row["name"], row["consent"])


def record_consent(project: Project, person: int) -> None:
    """Record that a person agreed to the current consent text."""
    values = project.consent_digest, time.time(), person
    project.database.write(
        lambda connection: connection.execute(
            "UPDATE people SET consent = ?, consented = ? WHERE id = ?", values
        )
    )


def revoke(project: Project, name: str) -> None:
    """Revoke a person's link; their answers remain."""

    def work(connection: Connection) -> None:
        person = _annotator_id(connection, name)
        connection.execute("UPDATE people SET hash = NULL WHERE id = ?", (person,))
        for row in connection.execute(
            "DELETE FROM assignments WHERE person = ? AND state = 'open' RETURNING item", (person,)
        ).fetchall():
            release(connection, row["item"])

    project.database.write(work)


def delete_person(project: Project, name: str) -> int:
    """Delete a person with all answers, whose number it returns; offer the items to others."""

    def work(connection: Connection) -> int:
        person = _annotator_id(connection, name)
        held = connection.execute(
            "DELETE FROM assignments WHERE person = ? RETURNING item, state", (person,)
        ).fetchall()
        for row in held:
            if row["state"] in (OPEN, ANSWERED):
                release(connection, row["item"])
        connection.execute("DELETE FROM people WHERE id = ?", (person,))
        return sum(row["state"] == ANSWERED for row in held)

    count = project.database.write(work)
    project.database.purge()
    return count


def _annotator_id(connection: Connection, name: str) -> int:
    people = connection.execute("SELECT name, id FROM people ORDER BY name")
    known = dict(people.fetchall())
    if name not in known:
        raise NotFound(f"no annotator is called {name!r}; {hint(name, list(known)[:20])}")
    return int(known[name])
