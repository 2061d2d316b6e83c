"""Who may do what: links with a random token, of which the database has but the hash.

A link is good until it expires or is revoked. Whoever follows it has the token in a cookie, and
what they send must carry a word that only who knows the token can make (CSRF).
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
MOST_DAYS = 3660
_NAME = re.compile(r"[\w.@+-][\w .@+-]{0,63}")


@dataclass(frozen=True)
class Person:
    """Somebody with a link that is good."""

    id: int
    name: str
    owner: bool
    consent: str | None


def hashed(token: str) -> str:
    """What is kept of a token; it has 256 bits of chance, so that nothing slower is needed."""
    return hashlib.sha256(token.encode()).hexdigest()


def csrf(token: str) -> str:
    """The word that forms carry: made of the cookie's token, which no other site can read."""
    return hmac.new(token.encode(), b"relsmith form", hashlib.sha256).hexdigest()


def check_name(name: str) -> str:
    """A name that may stand in files and tables, or why not."""
    tidy = unicodedata.normalize("NFC", " ".join(name.split()))
    if not _NAME.fullmatch(tidy):
        raise InvalidOption(
            f"expected a name of up to 64 letters, digits, spaces and . @ + - _, but got "
            f"{name[:80]!r}"
        )
    return tidy


def invite(project: Project, name: str, days: float = 30, *, owner: bool = False) -> str:
    """Make a link for a new person, or a new one for who has one; say its token, once."""
    name = OWNER if owner else check_name(name)
    if name == OWNER and not owner:
        raise InvalidOption(f"{OWNER!r} is the owner's name; give the annotator another")
    if not 0 < days <= MOST_DAYS:
        raise InvalidOption(f"--days: expected more than 0 and at most {MOST_DAYS}, but got {days}")
    token = secrets.token_urlsafe(32)
    values = {"hash": hashed(token), "expires": time.time() + days * DAY}

    def work(connection: Connection) -> None:
        known = connection.execute(update(people).where(people.c.name == name).values(**values))
        if not known.rowcount:
            connection.execute(
                insert(people).values(name=name, owner=owner, failed=False, **values)
            )

    project.database.write(work)
    return token


def path(token: str, *, owner: bool = False) -> str:
    """Where on the server a link leads."""
    return f"{'owner' if owner else 'a'}/{token}"


_BY_HASH = select(people).where(people.c.hash == bindparam("word"))


def find(project: Project, token: str, *, owner: bool) -> Person | None:
    """Whose token that is, where it is good."""
    row = project.database.first(_BY_HASH, {"word": hashed(token)})
    if row is None or row.owner != owner or row.expires < time.time():
        return None
    return Person(row.id, row.name, row.owner, row.consent)


def agree(project: Project, person: int) -> None:
    """Note that somebody agreed to the consent as it stands."""
    project.database.write(
        lambda connection: connection.execute(
            update(people)
            .where(people.c.id == person)
            .values(consent=project.consent_digest, consented=time.time())
        )
    )


def revoke(project: Project, name: str) -> None:
    """Make a person's link useless; what they answered stays."""

    def work(connection: Connection) -> None:
        person = _find(connection, name)
        connection.execute(update(people).where(people.c.id == person).values(hash=None))
        for row in connection.execute(
            select(assignments.c.id, assignments.c.item).where(
                assignments.c.person == person, assignments.c.state == OPEN
            )
        ).all():
            connection.execute(delete(assignments).where(assignments.c.id == row.id))
            release(connection, row.item)

    project.database.write(work)


def forget(project: Project, name: str) -> int:
    """Delete a person and all they answered, and what came of it; say how many answers.

    Others are asked in their stead.
    """

    def work(connection: Connection) -> int:
        person = _find(connection, name)
        _undo(connection, assignments.c.person == person)
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


def _undo(connection: Connection, whose: ColumnElement[bool]) -> None:
    """Delete what came of these assignments, and what others said of that."""
    derived = list(
        connection.scalars(
            select(items.c.id).join(assignments, assignments.c.id == items.c.source).where(whose)
        )
    )
    if derived:
        _undo(connection, assignments.c.item.in_(derived))
        connection.execute(delete(assignments).where(assignments.c.item.in_(derived)))
        connection.execute(delete(items).where(items.c.id.in_(derived)))


def _find(connection: Connection, name: str) -> int:
    row = connection.execute(
        select(people.c.id, people.c.owner).where(people.c.name == name)
    ).first()
    if row is None or row.owner:
        known = connection.scalars(
            select(people.c.name).where(people.c.owner.is_(False)).order_by(people.c.name)
        )
        raise NotFound(f"no annotator is called {name!r}; {hint(name, list(known)[:20])}")
    return int(row.id)
