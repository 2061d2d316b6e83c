"""Relation inference by question answering: the questionnaires of Levy and Dagan (ACL 2016)."""

from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

from ....example import Example
from ....generators.relinf.label import LABELS
from ....generators.relinf.questionnaire import instructions, questionnaires
from ..task import AnnotationTask, AnsweredItem, Choice, Item, Sheet, json_lines

_OPTIONS = (("yes", "answers it"), ("no", "does not"), ("nonsense", "makes no sense"))


class RelinfTask(AnnotationTask):
    """Does a sentence with its answer masked answer the question? Into gen relinf-aggregate."""

    name: ClassVar[str] = "relinf"
    title: ClassVar[str] = "Does it answer the question?"
    people: ClassVar[int] = 5
    generators: ClassVar[tuple[str, ...]] = ("relinf",)
    unit: ClassVar[str] = "questionnaires"
    instructions: ClassVar[tuple[str, ...]] = tuple(instructions().splitlines())

    def items(self, rows: Iterable[tuple[str, Example]]) -> Iterator[Item]:
        """Yield questionnaires: one question with up to 24 sentences."""
        listed = [row for _, row in rows]
        expected = {row.metadata["task"]: row.metadata["expected"] for row in listed}
        for questionnaire in questionnaires(listed):
            tasks = [sentence.task for sentence in questionnaire.items]
            known = {_field(n): expected[task] for n, task in enumerate(tasks, 1)}
            yield Item(
                questionnaire.name,
                {
                    "question": questionnaire.question,
                    "sentences": [sentence.sentence for sentence in questionnaire.items],
                },
                {"tasks": tasks},
                known if all(known.values()) else None,
            )

    def sheet(self, item: Item) -> Sheet:
        """Return the question, with three labels for each sentence."""
        return Sheet(
            item.shown["question"],
            tuple(
                Choice(_field(n), sentence, _OPTIONS)
                for n, sentence in enumerate(item.shown["sentences"], 1)
            ),
        )

    def files(self, answered: Sequence[AnsweredItem]) -> dict[str, bytes]:
        """Return one line per label, for gen relinf-aggregate."""
        lines = (
            {"task": task, "worker": each.annotator, "label": each.answer[_field(n)]}
            for each in answered
            for n, task in enumerate(each.item.hidden["tasks"], 1)
        )
        return {"annotations.jsonl": json_lines(lines)}


def _field(number: int) -> str:
    return f"s{number}"


assert {value for value, _ in _OPTIONS} == set(LABELS)
