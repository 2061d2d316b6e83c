"""The sentences of a row: the question, the masked sentence, premise and hypothesis.

Verbs agree: a mask stands for one thing, whatever the answer behind it.
"""

import hashlib
from collections.abc import Sequence

from .agreement import is_many, plural, singular
from .question import Question


def sentence(parts: Sequence[str]) -> str:
    """A triple as a sentence."""
    return _capital(" ".join(parts)) + "."


def question_text(question: Question) -> str:
    """The question as people ask it."""
    asked = "who" if question.word == "who" else f"which {question.type}"
    return _capital(f"{asked} {question.relation} {question.argument}") + "?"


def hypothesis(question: Question, triple: Sequence[str], place: int) -> str:
    """The question's sentence with the triple's argument number `place` for an answer."""
    many = is_many(triple, place)
    relation = plural(question.relation) if many else question.relation
    return sentence([triple[place], relation, question.argument])


def turned_question(question: Question, triple: Sequence[str], place: int) -> str:
    """The triple as a question about its argument number `place`."""
    return _capital(" ".join(_with(triple, place, f"which {question.type}", question))) + "?"


def masked(question: Question, triple: Sequence[str], place: int) -> str:
    """The triple as a sentence in which a mask stands for the answer."""
    return sentence(_with(triple, place, question.mask, question))


def masked_question(question: Question) -> str:
    """The question as a sentence in which a mask stands for the answer."""
    return sentence([question.mask, question.relation, question.argument])


def task_of(text: str) -> str:
    """The name under which a text is annotated: the same text is the same task."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _with(triple: Sequence[str], place: int, word: str, question: Question) -> list[str]:
    """The triple with a word for one thing in that place."""
    parts = list(triple)
    if place == 0 and is_many(triple, place):
        parts[1] = singular(triple[1], neuter=question.word != "who")
    parts[place] = word
    return parts


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
