"""Questionnaires for annotators: one question with some masked sentences.

The sentences are shuffled, which separates those of one relation and those that make no sense.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from ...example import Example
from ...seed import Stream
from ...tables import load_tables
from .question_splits import MAX_SENTENCES


@dataclass(frozen=True)
class QuestionnaireItem:
    """A masked sentence with its task id."""

    task: str
    sentence: str


@dataclass(frozen=True)
class Questionnaire:
    """A question with sentences to label."""

    name: str
    question: str
    items: tuple[QuestionnaireItem, ...]


def questionnaires(rows: Iterable[Example], most: int = MAX_SENTENCES) -> list[Questionnaire]:
    """Return questionnaires of nearly equal length for all candidates, each sentence once."""
    by_question: dict[tuple[int, str], dict[str, QuestionnaireItem]] = {}
    for row in rows:
        question, sentence = row.input.split("\n")
        item = QuestionnaireItem(row.metadata["task"], sentence)
        asked = by_question.setdefault((row.metadata["question"]["number"], question), {})
        asked.setdefault(item.task, item)
    made: list[Questionnaire] = []
    for (_, question), asked in by_question.items():
        items = list(asked.values())
        Stream("relinf", "questionnaire", question).shuffle(items)
        parts = -(-len(items) // most)
        for part in range(parts):
            chosen = items[len(items) * part // parts : len(items) * (part + 1) // parts]
            made.append(Questionnaire(f"q{len(made) + 1:05}", question, tuple(chosen)))
    return made


def instructions() -> str:
    """Return what annotators are told, as lines of plain text."""
    told = load_tables(__package__, "annotators.yaml")
    example = [f"An example: {told['example']}", *map(" ".join, told["example_sentences"])]
    return "\n".join([told["instructions"], *example, *told["conventions"]])
