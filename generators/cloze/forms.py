"""The words of a row: what its blanks look like, and what is asked."""

from functools import cache
from typing import Literal

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


@cache
def mark(number: int, words: int) -> str:
    """A blank of so many words, with its number where that is not 0."""
    marks = " ".join([MARK] * words)
    return f"({number}) {marks}" if number else marks
