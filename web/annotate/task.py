"""What an annotation task is: items of a dataset, sheets that people fill in, what becomes of them.

A task knows neither pages nor databases. What people see is a `Sheet`, which the pages lay out
alike for every task: none can forget to escape a text, to label a field or to heed the keyboard.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Self

import orjson

from ...dataset import Dataset
from ...errors import InvalidInput
from ...example import Example
from ...registry import Registry
from ...storage.text import numbered_lines, parse_json

Answer = Mapping[str, str]
"""What somebody said: a text for each field of the sheet."""

Score = tuple[int, int]
"""How many things were right, and how many were asked."""

LONGEST_ANSWER = 4000
"""Characters in all fields of an answer together."""


@dataclass(frozen=True)
class Item:
    """Something to be answered, by the name that exports use.

    `shown` is what the sheet is made of, `hidden` what only the task needs, both plain JSON.
    `expected` is the answer where it is known. `people` says how many are to answer it where that
    is not for the project to say.
    """

    key: str
    shown: dict[str, Any]
    hidden: dict[str, Any] = field(default_factory=dict)
    expected: dict[str, str] | None = None
    stage: str = ""
    people: int | None = None


@dataclass(frozen=True)
class Choice:
    """One of some options; each is what is kept and what is read."""

    name: str
    legend: str
    options: tuple[tuple[str, str], ...]

    def complaint(self, text: str) -> str:
        """Say what is wrong with what was sent, '' where nothing is."""
        if text in (value for value, _ in self.options):
            return ""
        return "Choose one of the answers." if not text else "That is none of the answers."


@dataclass(frozen=True)
class Writing:
    """A text of one's own; `words` must all stand in it, which the page says while one writes."""

    name: str
    legend: str
    lines: int = 1
    most: int = 200
    words: tuple[str, ...] = ()

    def complaint(self, text: str) -> str:
        """Say what is wrong with what was sent, '' where nothing is."""
        if not text.strip():
            return "Write something."
        if len(text) > self.most:
            return f"That is {len(text)} characters long; {self.most} are enough."
        return ""


Field = Choice | Writing


@dataclass(frozen=True)
class Passage:
    """A text to read, with the stretches that stand out."""

    text: str
    label: str = ""
    marks: tuple[tuple[int, int], ...] = ()

    @property
    def pieces(self) -> list[tuple[str, bool]]:
        """The text cut at its marks; whether each piece is marked."""
        pieces, rest = [], 0
        for start, end in sorted(self.marks):
            pieces += [(self.text[rest:start], False), (self.text[start:end], True)]
            rest = end
        return [(piece, marked) for piece, marked in [*pieces, (self.text[rest:], False)] if piece]


@dataclass(frozen=True)
class Sheet:
    """What is put before an annotator: a heading, texts, facts as a drawing, and fields."""

    heading: str
    fields: tuple[Field, ...]
    passages: tuple[Passage, ...] = ()
    note: str = ""
    facts: tuple[tuple[str, str, str], ...] = ()
    """[x, r, y] says that y is the r of x; each goes on where the one before it ends."""

    def read(self, sent: Mapping[str, str]) -> dict[str, str]:
        """The answer among what was sent: this sheet's fields and nothing else, trimmed."""
        return {each.name: _tidy(sent.get(each.name, "")) for each in self.fields}

    def complaints(self, answer: Answer) -> dict[str, str]:
        """What is wrong with each field of an answer."""
        said = {each.name: each.complaint(answer[each.name]) for each in self.fields}
        return {name: complaint for name, complaint in said.items() if complaint}


def _tidy(text: str) -> str:
    return "\n".join(line.strip() for line in text.strip().splitlines())


@dataclass(frozen=True)
class Outcome:
    """What follows from an answer.

    `items` are new ones, which whoever gave it is never asked; their keys are made distinct by the
    name of that person. `again` says that the answer that
    this item came from has failed: somebody else is asked for another.
    """

    items: tuple[Item, ...] = ()
    again: bool = False


@dataclass(frozen=True)
class Answered:
    """An answer that was kept: to which item, whose, and to whose answer that item came from."""

    id: int
    item: Item
    annotator: str
    answer: Answer
    gold: bool = False
    source: int | None = None


class Task(ABC):
    """A kind of work for people. Subclasses say what is asked and what becomes of the answers.

    The first line of the docstring is what `gen list` shows.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    """What annotators read above every page unless the owner says otherwise."""
    people: ClassVar[int] = 1
    """How many answer each item unless the owner says otherwise."""
    generators: ClassVar[tuple[str, ...]] = ()
    """Whose rows it takes; none means everybody's."""
    instructions: ClassVar[tuple[str, ...]]
    """What annotators are told, a paragraph each."""
    stages: ClassVar[Mapping[str, str]] = {"": "items"}
    """What the items of each stage are called in reports."""

    @classmethod
    def summary(cls) -> str:
        """The first line of the docstring."""
        return (cls.__doc__ or "").strip().partition("\n")[0]

    @abstractmethod
    def items(self, rows: Iterable[tuple[str, Example]]) -> Iterator[Item]:
        """All that is to be asked about rows, each of which comes with its split."""

    @abstractmethod
    def sheet(self, item: Item) -> Sheet:
        """What an annotator is shown of an item."""

    def complaints(self, item: Item, answer: Answer) -> dict[str, str]:
        """What is wrong with the fields of an answer, beyond what the sheet itself can tell."""
        return {}

    def score(self, item: Item, answer: Answer) -> Score | None:
        """How much of an answer is as expected; None where nothing is."""
        if item.expected is None:
            return None
        right = sum(answer.get(name) == text for name, text in item.expected.items())
        return right, len(item.expected)

    def outcome(self, item: Item, answer: Answer) -> Outcome:
        """What follows from an answer; nothing, unless a task says otherwise."""
        return Outcome()

    def votes(self, item: Item, answer: Answer) -> Iterator[tuple[str, str]]:
        """What agreement is reckoned over: units, and the value given to each."""
        for name, text in answer.items():
            yield f"{item.key} {name}", text

    @abstractmethod
    def files(self, answered: Sequence[Answered]) -> dict[str, bytes]:
        """What other commands read, by the name of the file, from all answers but control ones."""

    def earlier(self, path: Path, items: Mapping[str, Item]) -> Iterator[tuple[str, str, Answer]]:
        """Annotations of elsewhere: the key of an item, who, and the answer.

        The form is that of answers.jsonl in an export.
        """
        for number, line in numbered_lines(path, "name a file of annotations"):
            if line.strip():
                yield read_answer(line, f"{path}:{number}")


_WANTED = 'expected {"item": ..., "annotator": ..., "answer": {...}}, as gen annotate export writes'


def read_answer(line: str, where: str, someone: str = "") -> tuple[str, str, dict[str, str]]:
    """The item, the annotator and the answer in a line of answers.jsonl."""
    try:
        record = parse_json(line)
    except ValueError as error:
        raise InvalidInput(f"{where}: it {error}; {_WANTED}") from None
    record = record if isinstance(record, dict) else {}
    item, annotator, answer = (record.get(name) for name in ("item", "annotator", "answer"))
    annotator = annotator or someone
    texts = isinstance(answer, dict) and all(isinstance(text, str) for text in answer.values())
    if not (isinstance(item, str) and item and isinstance(annotator, str) and annotator and texts):
        raise InvalidInput(f"{where}: {_WANTED}")
    assert isinstance(answer, dict)
    return item, annotator, answer


def json_lines(records: Iterable[Mapping[str, Any]]) -> bytes:
    """Records as lines of JSON."""
    return b"".join(orjson.dumps(record) + b"\n" for record in records)


def check_task(name: str, plugin: object) -> Task:
    """Say why the object cannot be the task of that name, or make it."""
    if not (isinstance(plugin, type) and issubclass(plugin, Task)):
        raise TypeError(
            f"expected a subclass of relsmith.web.annotate.task.Task, but got {plugin!r}"
        )
    missing = [part for part in ("name", "title", "instructions") if not hasattr(plugin, part)]
    missing += sorted(plugin.__abstractmethods__)
    if missing:
        raise TypeError(f"{plugin.__name__} lacks {', '.join(missing)}")
    if plugin.name != name:
        raise ValueError(
            f"the entry point is {name!r} but {plugin.__name__}.name is {plugin.name!r}; they must "
            f"be the same"
        )
    return plugin()


TASKS = Registry("relsmith.annotation_tasks", "annotation task", check_task)


@dataclass(frozen=True)
class Source:
    """The rows that a project asks about."""

    dataset: Dataset
    split: str | None = None

    @classmethod
    def open(cls, folder: Path, split: str | None, task: Task) -> Self:
        """A dataset that the task can take rows of."""
        dataset = Dataset(folder, split)
        generator = dataset.manifest.generator
        if task.generators and generator not in task.generators:
            raise InvalidInput(
                f"{folder} was made by {generator}, but {task.name} asks about rows of "
                f"{' or '.join(task.generators)}; name such a folder"
            )
        return cls(dataset, split)

    def rows(self, most: int | None = None) -> Iterator[tuple[str, Example]]:
        """Rows with their splits, as many as are wanted."""
        left = most
        for split in [self.split] if self.split else list(self.dataset.manifest.splits):
            for row in self.dataset.rows(split):
                if left == 0:
                    return
                yield split, row
                left = None if left is None else left - 1
