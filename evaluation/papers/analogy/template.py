"""Template sentences: slots {a} and {b} for the query, {c} and {d} for the candidate."""

import re
from collections.abc import Mapping
from functools import partial
from typing import Annotated

from pydantic import AfterValidator

DEFAULT_TEMPLATE = "What {a} is to {b}, {c} is to {d}."
_SLOT = re.compile(r"\{(\w*)\}")

Span = tuple[int, int]


def slots(template: str) -> list[str]:
    """Return the slots in the order of the sentence."""
    return _SLOT.findall(template)


def check(template: str, allowed: str, needed: str) -> str:
    """Return the template; raise ValueError if slots are wrong or missing."""
    named = slots(template)
    wrong = [slot for slot in named if slot not in allowed.split()]
    missing = [slot for slot in needed.split() if named.count(slot) != 1]
    if wrong or missing or len(set(named)) != len(named):
        braced = " ".join(f"{{{slot}}}" for slot in allowed.split())
        raise ValueError(
            f"expected a sentence with slots of {braced}, each once at most and "
            f"{' '.join(f'{{{slot}}}' for slot in needed.split())} always, but got {template!r}"
        )
    return template


Sentence = Annotated[str, AfterValidator(partial(check, allowed="a b c d", needed="c d"))]
"""A template with the candidate, and optionally the query."""


def fill(template: str, words: Mapping[str, str]) -> tuple[str, dict[str, Span]]:
    """Return the sentence, and the span of each word in it."""
    text, spans = "", {}
    for index, part in enumerate(_SLOT.split(template)):
        if index % 2:
            spans[part] = (len(text), len(text) + len(words[part]))
            text += words[part]
        else:
            text += part
    return text, spans
