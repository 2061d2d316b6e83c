"""Rows prepared for pages: text in pieces, a drawing of the facts, a scored answer."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import orjson

from ...capabilities import Drawings
from ...errors import RelsmithError
from ...example import Example
from ...registry import GENERATORS
from ...scoring.answers import Score
from ...view import View
from ..drawing import Drawing, draw


class Piece(NamedTuple):
    """A piece of the input: plain text, a numbered span that states facts, or a numbered blank."""

    text: str
    span: int | None = None
    facts: Sequence[int] = ()
    blank: int | None = None


class Fact(NamedTuple):
    """A fact in words, the number of its role, and the spans that state it."""

    number: int
    words: str
    kind: int
    spans: Sequence[int]


@dataclass(frozen=True)
class RowView:
    """The content of the page of a row."""

    row: Example
    pieces: Sequence[Piece]
    view: View
    drawing: Drawing | None
    facts: Sequence[Fact]
    trouble: str
    answer: str | None
    judged: Score | None

    @property
    def metadata(self) -> list[tuple[str, str, bool]]:
        """Non-empty metadata as (name, text, whether it is prose)."""
        return [
            (name, *_as_text(value))
            for name, value in self.row.metadata.items()
            if value not in ("", [], None)
        ]

    @property
    def encoded(self) -> str:
        """The row as indented JSON."""
        return orjson.dumps(self.row.record(), option=orjson.OPT_INDENT_2).decode()


def _as_text(value: object) -> tuple[str, bool]:
    """Return a value as text, and whether it is prose: strings, numbers, lists of strings."""
    if isinstance(value, str):
        return value, True
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return " · ".join(value), True
    return orjson.dumps(value).decode(), not isinstance(value, list | dict)


def show(
    row: Example, generator: str, answer: str | None = None, judged: Score | None = None
) -> RowView:
    """Return a row prepared for a page; as plain text if its generator's view fails."""
    trouble = ""
    try:
        view = Drawings.of_class(GENERATORS.get(generator)).view(row)
        pieces = list(_pieces(row.input, view))
        drawing = draw(view.graph, view.steps) if view.graph else None
        facts = list(_facts(view, drawing))
    except Exception as error:
        what = "" if isinstance(error, RelsmithError) else f"{type(error).__name__}: "
        trouble = what + " ".join(str(error).split())
        view, pieces, drawing, facts = View(), [Piece(row.input)], None, []
    return RowView(row, pieces, view, drawing, facts, trouble, answer, judged)


def _pieces(text: str, view: View) -> Iterator[Piece]:
    """Yield the text in pieces, split at spans and blanks."""
    place = 0
    marks = [
        *((one.start, one.end, n, one.facts, None) for n, one in enumerate(view.fact_spans)),
        *((one.start, one.end, None, (), n) for n, one in enumerate(view.blanks)),
    ]
    for start, end, span, facts, blank in sorted(marks, key=lambda mark: mark[:2]):
        if not place <= start <= end <= len(text):
            raise ValueError(f"the span from {start} to {end} is invalid")
        if start > place:
            yield Piece(text[place:start])
        yield Piece(text[start:end], span, facts, blank)
        place = end
    if place < len(text):
        yield Piece(text[place:])


def _facts(view: View, drawing: Drawing | None) -> Iterator[Fact]:
    kinds = {edge.number: edge.kind for edge in drawing.edges} if drawing else {}
    stated_by: dict[int, list[int]] = {}
    for n, span in enumerate(view.fact_spans):
        for number in span.facts:
            stated_by.setdefault(number, []).append(n)
    for number, words in enumerate(view.fact_texts):
        yield Fact(number, words, kinds.get(number, 0), stated_by.get(number, ()))
