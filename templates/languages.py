"""The folders of our languages, as entry points.

The words of English are in the worlds themselves; its folder has the texts that all share.
"""

from importlib.resources import files
from importlib.resources.abc import Traversable


def english() -> Traversable:
    """English, in all worlds."""
    return files(__package__) / "en"


def german() -> Traversable:
    """German, in the worlds kinship and ordering."""
    return files(__package__) / "de"


def spanish() -> Traversable:
    """Spanish, in the worlds kinship and ordering."""
    return files(__package__) / "es"
