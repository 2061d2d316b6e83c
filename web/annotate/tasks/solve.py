"""Human baselines: people answer the rows of a dataset."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import ClassVar

from ....example import Example
from ....prompting.prompt import prompt_wording
from ....scoring.scorer import answer_key, prompting, score
from ..task import (
    AnnotationTask,
    Answer,
    AnsweredItem,
    Choice,
    FreeText,
    Item,
    Score,
    Sheet,
    json_lines,
)

_ANSWER = "answer"
_MAX_CHOICES = 40


class SolveTask(AnnotationTask):
    """People answer the rows of any dataset, without help. Into gen score."""

    name: ClassVar[str] = "solve"
    title: ClassVar[str] = "Read and answer"
    people: ClassVar[int] = 3
    unit: ClassVar[str] = "rows"
    instructions: ClassVar[tuple[str, ...]] = (
        "Read the text and answer the question at its end, from the text alone.",
        "Do not look anything up, and do not ask anybody or anything. Take the time that you need.",
    )

    def items(self, rows: Iterable[tuple[str, Example]]) -> Iterator[Item]:
        """Yield one item per row."""
        for split, row in rows:
            choices = list(row.choices or answer_key(row).choices)
            listed = replace(row, choices=choices)  # listed on the sheet, so the preface omits them
            yield Item(
                row.id,
                {
                    "asked": " ".join(
                        filter(None, (prompt_wording(row).task, prompting(listed).preface(listed)))
                    ),
                    "text": row.input,
                    "choices": choices if len(choices) <= _MAX_CHOICES else [],
                },
                {"split": split, "row": row.record()},
                {_ANSWER: answer_key(row).right} if answer_key(row).right else None,
            )

    def sheet(self, item: Item) -> Sheet:
        """Return the text with its choices or a text field."""
        choices = item.shown["choices"]
        field = (
            Choice(_ANSWER, "Your answer", tuple((choice, choice) for choice in choices))
            if choices
            else FreeText(_ANSWER, "Your answer")
        )
        return Sheet("Read and answer", (field,), (item.shown["text"],), item.shown["asked"])

    def score(self, item: Item, answer: Answer) -> Score | None:
        """Score the answer as gen score does."""
        if item.expected is None:
            return None
        return int(_extract(item, answer) == item.expected[_ANSWER]), 1

    def votes(self, item: Item, answer: Answer) -> Iterator[tuple[str, str]]:
        """Yield the extracted answer, so that synonyms agree."""
        yield item.key, _extract(item, answer) or answer[_ANSWER]

    def files(self, answered: Sequence[AnsweredItem]) -> dict[str, bytes]:
        """Return predictions for gen score: of each annotator, and the majority's."""
        by_file: dict[str, list[dict[str, str]]] = {}
        said: dict[tuple[str, str], Counter[str]] = {}
        for each in answered:
            split, text = each.item.hidden["split"], each.answer[_ANSWER]
            line = {"id": each.item.key, _ANSWER: text}
            by_file.setdefault(f"{split}-by-{_file_name(each.annotator)}.jsonl", []).append(line)
            said.setdefault((split, each.item.key), Counter())[text] += 1
        for (split, row), counts in said.items():
            most = max(counts.values())
            chosen = min(text for text, count in counts.items() if count == most)
            by_file.setdefault(f"{split}.jsonl", []).append({"id": row, _ANSWER: chosen})
        return {name: json_lines(lines) for name, lines in sorted(by_file.items())}


def _extract(item: Item, answer: Answer) -> str | None:
    """Return the answer in the words of the row; None if it cannot be extracted."""
    text = answer[_ANSWER]
    return text if item.shown["choices"] else score(Example(**item.hidden["row"]), text).answer


def _file_name(annotator: str) -> str:
    return "".join(sign if sign.isalnum() or sign in "-_" else "_" for sign in annotator)
