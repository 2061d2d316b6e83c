"""The words of a row: the abstract, the text with its blanks, and what is asked."""

from typing import Any, Literal

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
    text: str, blanks: list[list[Any]], spans: list[list[int]], form: Form, lengths: bool
) -> str:
    """The text with blanks: numbered where there are several, with a mark for each word."""
    numbered = form in ("all", "bank")
    parts, at = [], 0
    for number, (start, end) in enumerate(spans, 1):
        parts.append(text[at:start])
        if numbered:
            parts.append(f"({number}) ")
        words = blanks[number - 1][1] - blanks[number - 1][0]
        parts.append(" ".join([MARK] * words) if lengths and words > 1 else MARK)
        at = end
    parts.append(text[at:])
    return "".join(parts)


def question(form: Form, answers: list[str]) -> str:
    """What is asked; a word bank lists the answers by the alphabet, each once."""
    bank = f"{', '.join(sorted(set(answers)))}." if form == "bank" else ""
    return QUESTIONS[form] + bank
