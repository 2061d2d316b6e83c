"""Sentences with slots for words: {a} and {b} are given, {c} and {d} offered."""

import re
from collections.abc import Mapping
from functools import partial
from typing import Annotated

from pydantic import AfterValidator

WHAT = "What {a} is to {b}, {c} is to {d}."
_SLOT = re.compile(r"\{(\w*)\}")

Span = tuple[int, int]


def slots(template: str) -> list[str]:
    """The slots in the order of the sentence."""
    return _SLOT.findall(template)


def check(template: str, allowed: str, needed: str) -> str:
    """Hand the template back, or say what it lacks."""
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
"""Names the offered pair, and the given one or not."""


def fill(template: str, words: Mapping[str, str]) -> tuple[str, dict[str, Span]]:
    """The sentence, and where each word stands in it."""
    text, spans = "", {}
    for index, part in enumerate(_SLOT.split(template)):
        if index % 2:
            spans[part] = (len(text), len(text) + len(words[part]))
            text += words[part]
        else:
            text += part
    return text, spans
