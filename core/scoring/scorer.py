"""What an answer to a row is worth: the one way, for commands, exports and rewards alike."""

import re
from functools import cache

from ..errors import RelsmithError
from ..example import Example
from ..generator import Generator
from ..registry import GENERATORS
from .answers import Key, Score

_NAME = re.compile(r"(.+)-v\d+-s\d+-.+-\d+", re.DOTALL)


def score(row: Example, text: str) -> Score:
    """Read an answer in free text, and say what it is worth."""
    return key(row).score(text)


def key(row: Example) -> Key:
    """The right answer to a row, and how others are read."""
    return kind(row).answer_key(row)


def kind(row: Example) -> type[Generator]:
    """The generator that made the row; where it is not installed, what all have in common."""
    name = _NAME.fullmatch(row.id)
    return _generator(name[1] if name else "")


@cache
def _generator(name: str) -> type[Generator]:
    try:
        return GENERATORS.get(name)
    except RelsmithError:
        return Generator
