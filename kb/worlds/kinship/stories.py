"""What kinship stories need: families, names, and the words around a story."""

from importlib.resources import files

import yaml

from ..stories import Pool, Stories
from .couples import everyone
from .growth import grow
from .judge import judge
from .semantics import FAMILY_LEAST


def stories() -> Stories:
    """Kinship stories are set in families."""
    names = yaml.safe_load((files(__package__) / "names.yaml").read_text(encoding="utf-8"))
    return Stories(
        scene=grow,
        longest=lambda people: people // 2 - 1,
        names=Pool(tuple(names["female"].split()), tuple(names["male"].split())),
        judge=judge,
        everyone=everyone,
        question="How is {y} related to {x}?",
        yes_no="Is {y} {x}'s {word}?",
        who="Who is {x}'s {word}? Name everyone of whom that follows, or say none.",
        plain=(
            "{y} is {x}'s {word}.",
            "{x}'s {word} is {y}.",
            "{x} has {a} {word} called {y}.",
            "{x}'s {word} goes by the name of {y}.",
            "The name of {x}'s {word} is {y}.",
            "{y} is {a} {word} of {x}.",
        ),
        legend="(A, r, B) says: B is A's r.",
        unique=frozenset("father mother husband wife father-in-law mother-in-law".split()),
        family_names=tuple(names["family"].split()),
        heeds=("children", "marriage"),
        least=FAMILY_LEAST,
    )
