"""Names of people, and links with a random token of which only the hash is stored."""

import hashlib
import hmac
import re
import unicodedata

from .errors import InvalidOption

DAY = 86_400
MAX_DAYS = 3660
_NAME = re.compile(r"[\w.@+-][\w .@+-]{0,63}")


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


def check_days(days: float) -> None:
    """Raise InvalidOption unless a link can be valid for this long."""
    if not 0 < days <= MAX_DAYS:
        raise InvalidOption(f"--days: expected more than 0 and at most {MAX_DAYS}, but got {days}")
