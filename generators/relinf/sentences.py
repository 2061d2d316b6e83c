"""The sentences of a row: question, masked sentence, premise and hypothesis.

Verbs agree with their subject; a mask is singular, whatever the answer.
"""

import hashlib
from collections.abc import Sequence

from .agreement import is_plural_argument, plural, singular
from .question import Question


def sentence(parts: Sequence[str]) -> str:
    """Return a triple as a sentence."""
    return _capitalize(" ".join(parts)) + "."


def question_text(question: Question) -> str:
    """Return the question as annotators see it."""
    asked = "who" if question.word == "who" else f"which {question.type}"
    return _capitalize(f"{asked} {question.relation} {question.argument}") + "?"


def hypothesis(question: Question, triple: Sequence[str], place: int) -> str:
    """Return the question as a statement, with the triple's argument number `place` as answer."""
    many = is_plural_argument(triple, place)
    relation = plural(question.relation) if many else question.relation
    return sentence([triple[place], relation, question.argument])


def reversed_question(question: Question, triple: Sequence[str], place: int) -> str:
    """Return the triple as a question about its argument number `place`."""
    return (
        _capitalize(" ".join(_replace_argument(triple, place, f"which {question.type}", question)))
        + "?"
    )


def masked_sentence(question: Question, triple: Sequence[str], place: int) -> str:
    """Return the triple as a sentence with the answer masked."""
    return sentence(_replace_argument(triple, place, question.mask, question))


def masked_question(question: Question) -> str:
    """Return the question as a sentence with the answer masked."""
    return sentence([question.mask, question.relation, question.argument])


def task_id(text: str) -> str:
    """Return the task id used in annotations; equal texts are one task."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _replace_argument(
    triple: Sequence[str], place: int, word: str, question: Question
) -> list[str]:
    """Return the triple with a singular word at a place."""
    parts = list(triple)
    if place == 0 and is_plural_argument(triple, place):
        parts[1] = singular(triple[1], neuter=question.word != "who")
    parts[place] = word
    return parts


def _capitalize(text: str) -> str:
    return text[:1].upper() + text[1:]
