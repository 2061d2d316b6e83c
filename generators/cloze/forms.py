"""The words of a row: the abstract, the text with its blanks, and what is asked."""

from typing import Literal

from .tokens import MARK

Form = Literal["all", "one", "bank", "choice"]

QUESTIONS: dict[Form, str] = {
    "all": "Fill in the blanks: one answer for each number, separated by |.",
    "one": "Fill in the blank.",
    "bank": "Fill in the blanks, separated by |, with these: ",
    "choice": "Which of the choices fills the blank?",
}
BETWEEN = " | "


def blank(number: int, words: int, form: Form, lengths: bool) -> str:
    """A blank as it is shown: numbered where there are several, with a mark for each word."""
    marks = " ".join([MARK] * words) if lengths else MARK
    return f"({number}) {marks}" if form in ("all", "bank") else marks


def shown(text: str, spans: list[list[int]], words: list[int], form: Form, lengths: bool) -> str:
    """The text with blanks in place of the spans."""
    parts, at = [], 0
    for number, ((start, end), count) in enumerate(zip(spans, words, strict=True), 1):
        parts += [text[at:start], blank(number, count, form, lengths)]
        at = end
    return "".join([*parts, text[at:]])


def question(form: Form, answers: list[str]) -> str:
    """What is asked; a word bank lists the answers by the alphabet, each once."""
    bank = f"{', '.join(sorted(set(answers)))}." if form == "bank" else ""
    return QUESTIONS[form] + bank
