"""People answer the rows of a dataset, as models do: a human baseline."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from ....example import Example
from ....prompting.prompt import prompt_wording
from ....scoring.scorer import answer_key, generator_class, score
from ..task import Answer, Answered, Choice, Item, Passage, Score, Sheet, Task, Writing, json_lines

_ANSWER = "answer"
_MOST_CHOICES = 40


class SolveTask(Task):
    """People answer the rows of any dataset, without help. Into gen score."""

    name: ClassVar[str] = "solve"
    title: ClassVar[str] = "Read and answer"
    people: ClassVar[int] = 3
    stages: ClassVar[Mapping[str, str]] = {"": "rows"}
    instructions: ClassVar[tuple[str, ...]] = (
        "Read the text and answer the question at its end, from the text alone.",
        "Do not look anything up, and do not ask anybody or anything. Take the time that you need.",
    )

    def items(self, rows: Iterable[tuple[str, Example]]) -> Iterator[Item]:
        """A row each."""
        for split, row in rows:
            choices = list(row.choices or answer_key(row).choices)
            listed = replace(row, choices=choices)  # which the sheet lists, and need not tell
            yield Item(
                row.id,
                {
                    "asked": " ".join(
                        filter(
                            None, (prompt_wording(row).task, generator_class(row).preface(listed))
                        )
                    ),
                    "text": row.input,
                    "choices": choices if len(choices) <= _MOST_CHOICES else [],
                },
                {"split": split, "row": row.record()},
                {_ANSWER: answer_key(row).right} if answer_key(row).right else None,
            )

    def sheet(self, item: Item) -> Sheet:
        """The text, and its choices or a line to write on."""
        choices = item.shown["choices"]
        field = (
            Choice(_ANSWER, "Your answer", tuple((choice, choice) for choice in choices))
            if choices
            else Writing(_ANSWER, "Your answer")
        )
        text = Passage(item.shown["text"])
        return Sheet("Read and answer", (field,), (text,), item.shown["asked"])

    def score(self, item: Item, answer: Answer) -> Score | None:
        """As gen score would score it."""
        if item.expected is None:
            return None
        return int(_read(item, answer) == item.expected[_ANSWER]), 1

    def votes(self, item: Item, answer: Answer) -> Iterator[tuple[str, str]]:
        """The answer as it is read: other words for the same are the same."""
        yield item.key, _read(item, answer) or answer[_ANSWER]

    def files(self, answered: Sequence[Answered]) -> dict[str, bytes]:
        """Predictions for gen score: of each annotator, and what most of them say."""
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


def _read(item: Item, answer: Answer) -> str | None:
    """The answer in the words of the row, where it can be read; a choice is so already."""
    text = answer[_ANSWER]
    return text if item.shown["choices"] else score(Example(**item.hidden["row"]), text).answer


def _file_name(annotator: str) -> str:
    """A name without anything that a file's may not have; names have no more than these signs."""
    return "".join(sign if sign.isalnum() or sign in "-_" else "_" for sign in annotator)
