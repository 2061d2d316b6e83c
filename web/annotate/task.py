"""The interface of annotation tasks: items of a dataset, sheets to fill in, and exports.

A task knows neither pages nor databases. Pages render every `Sheet` in the same way, so that no
task can forget to escape a text, to label a field or to support the keyboard.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import orjson

from ...example import Example
from ...registry import Registry

Answer = Mapping[str, str]
"""A text for each field of a sheet."""

Score = tuple[int, int]
"""Number of right fields, and of all fields."""

MAX_ANSWER_CHARACTERS = 4000
"""Characters in all fields of an answer together."""


@dataclass(frozen=True)
class Item:
    """An item to annotate; exports use its `key`.

    `shown` is the content of the sheet, `hidden` is for the task only, both plain JSON. `expected`
    is the answer if it is known.
    """

    key: str
    shown: dict[str, Any]
    hidden: dict[str, Any] = field(default_factory=dict)
    expected: dict[str, str] | None = None


@dataclass(frozen=True)
class Choice:
    """A choice of one option; each has a stored value and a label."""

    name: str
    legend: str
    options: tuple[tuple[str, str], ...]

    def error(self, text: str) -> str:
        """Return an error message for a text; empty if it is valid."""
        if text in (value for value, _ in self.options):
            return ""
        return "Choose one of the answers." if not text else "This is not one of the answers."


@dataclass(frozen=True)
class FreeText:
    """A text field."""

    name: str
    legend: str
    lines: int = 1
    most: int = 200

    def error(self, text: str) -> str:
        """Return an error message for a text; empty if it is valid."""
        if not text.strip():
            return "Write something."
        if len(text) > self.most:
            return f"This has {len(text)} characters; use at most {self.most}."
        return ""


Field = Choice | FreeText


@dataclass(frozen=True)
class Sheet:
    """The form of an item: a heading, texts and fields."""

    heading: str
    fields: tuple[Field, ...]
    passages: tuple[str, ...] = ()
    note: str = ""

    def extract_answer(self, sent: Mapping[str, str]) -> dict[str, str]:
        """Return the answer in form data: this sheet's fields only, trimmed."""
        return {each.name: _trim(sent.get(each.name, "")) for each in self.fields}

    def errors(self, answer: Answer) -> dict[str, str]:
        """Return the errors of an answer by field."""
        return {
            each.name: error for each in self.fields if (error := each.error(answer[each.name]))
        }


def _trim(text: str) -> str:
    return "\n".join(line.strip() for line in text.strip().splitlines())


@dataclass(frozen=True)
class AnsweredItem:
    """A stored answer with its item."""

    item: Item
    annotator: str
    answer: Answer
    gold: bool = False


class AnnotationTask(ABC):
    """Base class of annotation tasks.

    `gen list` shows the first line of a subclass's docstring.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    """Default title of the pages."""
    people: ClassVar[int] = 1
    """Default number of annotators per item."""
    generators: ClassVar[tuple[str, ...]] = ()
    """Names of accepted generators; all if empty."""
    instructions: ClassVar[tuple[str, ...]]
    """Instructions for annotators, one paragraph each."""
    unit: ClassVar[str] = "items"
    """Name of the items in reports."""

    @classmethod
    def summary(cls) -> str:
        """Return the first line of the docstring."""
        return (cls.__doc__ or "").strip().partition("\n")[0]

    @abstractmethod
    def items(self, rows: Iterable[tuple[str, Example]]) -> Iterator[Item]:
        """Yield the items for (split, row) pairs."""

    @abstractmethod
    def sheet(self, item: Item) -> Sheet:
        """Return the form of an item."""

    def score(self, item: Item, answer: Answer) -> Score | None:
        """Return how many fields are as expected; None if no answer is known."""
        if item.expected is None:
            return None
        right = sum(answer.get(name) == text for name, text in item.expected.items())
        return right, len(item.expected)

    def votes(self, item: Item, answer: Answer) -> Iterator[tuple[str, str]]:
        """Yield the units of agreement with their values; by default each field."""
        for name, text in answer.items():
            yield f"{item.key} {name}", text

    @abstractmethod
    def files(self, answered: Sequence[AnsweredItem]) -> dict[str, bytes]:
        """Return export files by name, from all answers except those to gold items."""


def json_lines(records: Iterable[Mapping[str, Any]]) -> bytes:
    """Return records as lines of JSON."""
    return b"".join(orjson.dumps(record) + b"\n" for record in records)


def check_task(name: str, plugin: object) -> AnnotationTask:
    """Return an instance of a plugin's task; raise TypeError or ValueError if it is invalid."""
    if not (isinstance(plugin, type) and issubclass(plugin, AnnotationTask)):
        raise TypeError(
            f"expected a subclass of relsmith.web.annotate.task.AnnotationTask, but got {plugin!r}"
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
