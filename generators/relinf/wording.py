"""The sentences of a row: the question, the masked sentence, premise and hypothesis."""

import hashlib
from collections.abc import Sequence

from .question import Question


def sentence(parts: Sequence[str]) -> str:
    """A triple as a sentence."""
    return _capital(" ".join(parts)) + "."


def question_text(question: Question) -> str:
    """The question as people ask it."""
    asked = "who" if question.word == "who" else f"which {question.type}"
    return _capital(f"{asked} {question.relation} {question.argument}") + "?"


def turned_question(question: Question, triple: Sequence[str], place: int) -> str:
    """The triple as a question about its argument number `place`."""
    return _capital(" ".join(_with(triple, place, f"which {question.type}"))) + "?"


def masked(triple: Sequence[str], place: int, mask: str) -> str:
    """The triple as a sentence in which a mask stands for the answer."""
    return sentence(_with(triple, place, mask))


def task_of(text: str) -> str:
    """The name under which a text is annotated: the same text is the same task."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _with(triple: Sequence[str], place: int, word: str) -> list[str]:
    return [word if n == place else part for n, part in enumerate(triple)]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
