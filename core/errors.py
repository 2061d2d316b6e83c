"""Errors that users see, named by what the user can do about them."""

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(value: str, choices: Iterable[str]) -> str:
    """Return "did you mean ...? " for the closest choice; empty where none is close."""
    near = get_close_matches(value, list(choices), n=1)
    return f"did you mean {near[0]!r}? " if near else ""


def hint(value: str, choices: Iterable[str]) -> str:
    """Return the closest choice and the list of all choices, for an error message."""
    listed = list(choices)
    return f"{did_you_mean(value, listed)}there are: {', '.join(listed) or 'none'}"


def reason(error: Exception) -> str:
    """Return the message of an I/O error in one line, without the path."""
    return " ".join(str(getattr(error, "strerror", None) or error).split())


class RelsmithError(Exception):
    """An error message in one line: the name, the value and the remedy."""

    exit_code = 2


class InvalidOption(RelsmithError):
    """Give the option another value."""


class NotFound(RelsmithError):
    """Pick one of the names that exist."""


class BrokenPlugin(RelsmithError):
    """Repair or uninstall the plugin; everything else still works."""


class AlreadyExists(RelsmithError):
    """Write elsewhere, or replace on purpose."""


class NotADataset(RelsmithError):
    """Point to a folder that holds a finished, readable dataset."""


class Infeasible(RelsmithError):
    """Ask for fewer or other rows: the options do not allow these."""


class CannotWrite(RelsmithError):
    """Free space or grant permission, then run the same command again."""


class MissingExtra(RelsmithError):
    """Install the optional packages that this feature needs."""


class Unchecked(RelsmithError):
    """Provide what a check needs (a plugin, a source, --trust), then check again."""


class Interrupted(RelsmithError):
    """Run the command again."""

    exit_code = 130


class CheckFailed(RelsmithError):
    """Look at the findings: data or generator is wrong."""

    exit_code = 1


class InvalidWorld(RelsmithError):
    """Fix the named lines of the world file."""


class InvalidSuite(RelsmithError):
    """Fix the named lines of the suite file."""


class InvalidBank(RelsmithError):
    """Fix the named lines of the sentence bank."""


class InvalidRelations(RelsmithError):
    """Fix the named lines of the relation file."""


class InvalidInput(RelsmithError):
    """Fix the named line of the input file."""


class NotAStore(RelsmithError):
    """Point to a triple store, or build it again."""


def install_command(extra: str) -> str:
    """Return the command that installs an extra, from a checkout until relsmith is on PyPI.

    docs/releasing.md lists what changes to `relsmith[...]` when it is published.
    """
    return f"pip install '.[{extra}]' in a checkout of relsmith"
