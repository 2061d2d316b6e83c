"""The pool of things for stories about a grid, and the words around such a story."""

from functools import cache
from importlib.resources import files

import yaml

# Without it, "above" need not mean the same column, and the answer would not follow.
OPENING = (
    'Each thing lies in a cell of its own on one grid; "to the left of" and "to the right of" '
    'mean in the same row, "above" and "below" in the same column.'
)
# The relation word fits the gap as it is.
QUESTION = 'Which words fill the gap: "The {y} is ... the {x}"?'


@cache
def pool() -> tuple[str, ...]:
    """The things that ship with relsmith, each a noun that follows "the"."""
    text = (files(__package__) / "things.yaml").read_text(encoding="utf-8")
    return tuple(yaml.safe_load(text)["things"].split())
