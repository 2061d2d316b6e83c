"""What can go wrong for a user, named by what the user can do about it."""

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(value: str, choices: Iterable[str]) -> str:
    """A guess at what was meant, where some choice is near."""
    near = get_close_matches(value, list(choices), n=1)
    return f"did you mean {near[0]!r}? " if near else ""


def hint(value: str, choices: Iterable[str]) -> str:
    """The nearest choice, and all there are."""
    listed = list(choices)
    return f"{nearest(value, listed)}there are: {', '.join(listed) or 'none'}"


def reason(error: Exception) -> str:
    """Why something cannot be read or written, in one line, without the path that failed."""
    return " ".join(str(getattr(error, "strerror", None) or error).split())


class RelsmithError(Exception):
    """A complaint in one line: the thing, the value and the remedy."""

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
    """Ask for less: the options admit no such rows, or not so many."""


class CannotWrite(RelsmithError):
    """Make room or permission, then run the same command again."""


class MissingExtra(RelsmithError):
    """Install the optional packages that this feature needs."""


class Unchecked(RelsmithError):
    """Give what a check lacks (a plugin, a source, trust), then check again."""


class Interrupted(RelsmithError):
    """Run the command again."""

    exit_code = 130


class CheckFailed(RelsmithError):
    """Look at the findings: data or generator is wrong."""

    exit_code = 1


class InvalidWorld(RelsmithError):
    """Mend the lines of the world file that are named."""


class InvalidSuite(RelsmithError):
    """Mend the lines of the suite file that are named."""


class InvalidBank(RelsmithError):
    """Mend the lines of the sentence bank that are named."""


class InvalidRelations(RelsmithError):
    """Mend the lines of the relation file that are named."""


class InvalidInput(RelsmithError):
    """Mend the line of the input file that is named."""


class NotAStore(RelsmithError):
    """Point to a triple store, or build it again."""


def install(extra: str) -> str:
    """How to get the optional packages of that name: from a checkout, as long as PyPI has none.

    The day relsmith is published this line, and what docs/releasing.md lists, say `relsmith[...]`.
    """
    return f"pip install '.[{extra}]' in a checkout of relsmith"
