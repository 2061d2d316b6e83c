"""The words of a row: the abstract, the text with its blanks, and what is asked."""

from functools import cache
from typing import Literal

from .blanks import Unit
from .tokens import MARK

Form = Literal["all", "one", "bank", "choice"]

# No word here should ever be an answer, or the question would give it away.
QUESTIONS: dict[Form, str] = {
    "all": "Which words are missing? Give them in order, separated by |.",
    "one": "Which words are missing?",
    "bank": "Which words are missing? Give them in order, separated by |, from these: ",
    "choice": "Which of the choices is missing?",
}
BETWEEN = " | "


def shown(
    text: str, units: list[Unit], spans: list[list[int]], form: Form, lengths: bool
) -> str:
    """The text with blanks: numbered where there are several, with a mark for each word."""
    number = 1 if form in ("all", "bank") else 0
    shown, at = "", 0
    for (first, last, _), (start, end) in zip(units, spans, strict=True):
        shown += text[at:start] + _mark(number, last - first if lengths else 1)
        at = end
        number += number > 0
    return shown + text[at:]


@cache
def _mark(number: int, words: int) -> str:
    """A blank of so many words, with its number where that is not 0."""
    marks = " ".join([MARK] * words)
    return f"({number}) {marks}" if number else marks


def question(form: Form, answers: list[str]) -> str:
    """What is asked; a word bank lists the answers by the alphabet, each once."""
    bank = f"{', '.join(sorted(set(answers)))}." if form == "bank" else ""
    return QUESTIONS[form] + bank
