"""Links of candidates, of whose tokens the database has only the hash."""

import secrets
import time

from ...access import DAY, check_days, hash_token
from ...errors import NotFound, hint
from ...exam.holder import Holder
from ...exam.sealing import fold_name


def invite(holder: Holder, name: str, days: float = 30) -> str:
    """Return the token of a new link for a candidate; an earlier one stops working."""
    check_days(days)
    name, token = holder.add_candidate(name), secrets.token_urlsafe(32)
    values = hash_token(token), time.time() + days * DAY, name
    line = "UPDATE candidates SET hash = ?, expires = ? WHERE name = ?"
    holder.database.write(lambda connection: connection.execute(line, values))
    return token


def revoke(holder: Holder, name: str) -> None:
    """Revoke a candidate's link; the submissions remain."""
    line, values = "UPDATE candidates SET hash = NULL WHERE folded = ?", (fold_name(name),)
    if not holder.database.write(lambda connection: connection.execute(line, values)).rowcount:
        raise NotFound(f"no candidate is called {name!r}; {hint(name, holder.candidates()[:20])}")


def find_candidate(holder: Holder, token: str) -> str | None:
    """Return the candidate with this token; None if it is invalid or expired."""
    query = "SELECT name FROM candidates WHERE hash = :hash AND expires >= :now"
    row = holder.database.first(query, {"hash": hash_token(token), "now": time.time()})
    return str(row["name"]) if row else None
