"""Access by links with a random token, of which the database has only the hash.

A link is valid until it expires or is revoked. It sets a cookie with the token, and forms must
carry a value derived from the token (CSRF).
"""

import hashlib
import hmac
import re
import secrets
import time
import unicodedata
from dataclasses import dataclass

from sqlalchemy import (
    ColumnElement,
    Connection,
    bindparam,
    delete,
    func,
    insert,
    not_,
    select,
    update,
)

from ...errors import InvalidOption, NotFound, hint
from .assignment import release
from .database import ANSWERED, OPEN, assignments, items, people
from .project import Project

OWNER = "owner"
DAY = 86_400
MAX_DAYS = 3660
_NAME = re.compile(r"[\w.@+-][\w .@+-]{0,63}")


@dataclass(frozen=True)
class Person:
    """A person with a valid link."""

    id: int
    name: str
    owner: bool
    consent: str | None


def hash_token(token: str) -> str:
    """Return the stored hash of a token; its 256 random bits need no slow hash."""
    return hashlib.sha256(token.encode()).hexdigest()


def csrf_token(token: str) -> str:
    """Return the value that forms carry, derived from the token in the cookie."""
    return hmac.new(token.encode(), b"relsmith form", hashlib.sha256).hexdigest()


def check_name(name: str) -> str:
    """Return a normalized name; raise InvalidOption if it has other characters."""
    tidy = unicodedata.normalize("NFC", " ".join(name.split()))
    if not _NAME.fullmatch(tidy):
        raise InvalidOption(
            f"expected a name of up to 64 letters, digits, spaces and . @ + - _, but got "
            f"{name[:80]!r}"
        )
    return tidy


def invite(project: Project, name: str, days: float = 30, *, owner: bool = False) -> str:
    """Return the token of a new link for a new or known person."""
    name = OWNER if owner else check_name(name)
    if name == OWNER and not owner:
        raise InvalidOption(f"{OWNER!r} is the owner's name; give the annotator another")
    if not 0 < days <= MAX_DAYS:
        raise InvalidOption(f"--days: expected more than 0 and at most {MAX_DAYS}, but got {days}")
    token = secrets.token_urlsafe(32)
    values = {"hash": hash_token(token), "expires": time.time() + days * DAY}

    def work(connection: Connection) -> None:
        known = connection.execute(update(people).where(people.c.name == name).values(**values))
        if not known.rowcount:
            connection.execute(
                insert(people).values(name=name, owner=owner, failed=False, **values)
            )

    project.database.write(work)
    return token


def link_path(token: str, *, owner: bool = False) -> str:
    """Return the path of a link."""
    return f"{'owner' if owner else 'a'}/{token}"


_BY_HASH = select(people).where(people.c.hash == bindparam("word"))


def find_person(project: Project, token: str, *, owner: bool) -> Person | None:
    """Return the person with this token; None if it is invalid or expired."""
    row = project.database.first(_BY_HASH, {"word": hash_token(token)})
    if row is None or row.owner != owner or row.expires < time.time():
        return None
    return Person(row.id, row.name, row.owner, row.consent)


def record_consent(project: Project, person: int) -> None:
    """Record that a person agreed to the current consent text."""
    project.database.write(
        lambda connection: connection.execute(
            update(people)
            .where(people.c.id == person)
            .values(consent=project.consent_digest, consented=time.time())
        )
    )


def revoke(project: Project, name: str) -> None:
    """Revoke a person's link; their answers remain."""

    def work(connection: Connection) -> None:
        person = _annotator_id(connection, name)
        connection.execute(update(people).where(people.c.id == person).values(hash=None))
        for row in connection.execute(
            select(assignments.c.id, assignments.c.item).where(
                assignments.c.person == person, assignments.c.state == OPEN
            )
        ).all():
            connection.execute(delete(assignments).where(assignments.c.id == row.id))
            release(connection, row.item)

    project.database.write(work)


def delete_person(project: Project, name: str) -> int:
    """Delete a person with all answers and the items derived from them; return their number.

    The items are offered to others again.
    """

    def work(connection: Connection) -> int:
        person = _annotator_id(connection, name)
        _delete_derived(connection, assignments.c.person == person)
        held = select(assignments.c.item).where(
            assignments.c.person == person, assignments.c.state.in_([OPEN, ANSWERED])
        )
        connection.execute(
            update(items)
            .where(items.c.id.in_(held), not_(items.c.gold))
            .values(free=items.c.free + 1)
        )
        answers = connection.scalar(
            select(func.count()).where(
                assignments.c.person == person, assignments.c.state == ANSWERED
            )
        )
        connection.execute(delete(assignments).where(assignments.c.person == person))
        connection.execute(delete(people).where(people.c.id == person))
        return answers or 0

    count = project.database.write(work)
    project.database.purge()
    return count


def _delete_derived(connection: Connection, whose: ColumnElement[bool]) -> None:
    """Delete the items derived from these assignments, with their answers."""
    derived = list(
        connection.scalars(
            select(items.c.id).join(assignments, assignments.c.id == items.c.source).where(whose)
        )
    )
    if derived:
        _delete_derived(connection, assignments.c.item.in_(derived))
        connection.execute(delete(assignments).where(assignments.c.item.in_(derived)))
        connection.execute(delete(items).where(items.c.id.in_(derived)))


def _annotator_id(connection: Connection, name: str) -> int:
    row = connection.execute(
        select(people.c.id, people.c.owner).where(people.c.name == name)
    ).first()
    if row is None or row.owner:
        known = connection.scalars(
            select(people.c.name).where(people.c.owner.is_(False)).order_by(people.c.name)
        )
        raise NotFound(f"no annotator is called {name!r}; {hint(name, list(known)[:20])}")
    return int(row.id)
