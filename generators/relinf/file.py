"""Files given by the user: when they changed, and what is in them."""

from pathlib import Path

Stamp = tuple[int, int] | None


def stamp(path: str) -> Stamp:
    """What changes when a file does, so that it is read again only then."""
    try:
        found = Path(path).stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
