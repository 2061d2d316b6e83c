"""The fixed texts of a row: blanks and questions."""

from functools import cache
from typing import Literal

from .tokens import MARK

Form = Literal["all", "one", "bank", "choice"]

# No word here should ever be an answer, or the question would reveal it.
QUESTIONS: dict[Form, str] = {
    "all": "Which words are missing? Give them in order, separated by |.",
    "one": "Which words are missing?",
    "bank": "Which words are missing? Give them in order, separated by |, from these: ",
    "choice": "Which of the choices is missing?",
}
SEPARATOR = " | "


@cache
def blank_mark(number: int, words: int) -> str:
    """Return a blank of some words, with its number unless that is 0."""
    marks = " ".join([MARK] * words)
    return f"({number}) {marks}" if number else marks
