"""Answer keys of analogies: true or false, or one of the pairs."""

import re

from ...example import Example
from ...scoring.answers import AnswerKey, OneOf, truth
from ...scoring.extraction import plain

_LISTED = re.compile(r"^([A-Z])\. (.+)$", re.MULTILINE)


def answer_key(row: Example) -> AnswerKey:
    """Return the key of a row: true or false, or one of the sentences or letters."""
    metadata = row.metadata
    if metadata["setting"] == "supervised":
        return truth(row.target, kind="true-false")
    pairs = [
        pair for pair in (metadata["positive"], metadata["negative"], *metadata["others"]) if pair
    ]
    shown = dict(_LISTED.findall(row.input))
    words: dict[str, str] = {}
    for choice in row.choices:
        for head, tail in pairs:
            if _shows(shown.get(choice, choice), head, tail):
                words |= dict.fromkeys(_spellings(head, tail), choice)
        if choice not in shown:
            words[choice] = choice
    return OneOf(row.target, "which", tuple(row.choices), words, letters=True)


def _shows(text: str, head: str, tail: str) -> bool:
    """Return whether a sentence or a line of the list has the pair."""
    return any(spelling in text for spelling in (f"{head} : {tail}", f"{head} is to {tail}")) or (
        re.search(rf"\b{re.escape(head)}\b.*\b{re.escape(tail)}\b", text) is not None
    )


def _spellings(head: str, tail: str) -> list[str]:
    return [
        f"{plain(head)}{between}{plain(tail)}" for between in (" : ", " is to ", " - ", " and ")
    ]
