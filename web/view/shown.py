"""A row made ready for a page: its text in pieces, its facts drawn, its answer judged."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import orjson

from ...errors import RelsmithError
from ...example import Example
from ...registry import GENERATORS
from ...scoring.answers import Score
from ...view import Blank, View
from ..drawing import Drawing, draw


class Piece(NamedTuple):
    """Some of the input: plain, a stretch that states facts, or a blank; by its number."""

    text: str
    stretch: int | None = None
    facts: Sequence[int] = ()
    blank: int | None = None


class Fact(NamedTuple):
    """A fact in words, the number of its role, and the stretches that state it."""

    number: int
    words: str
    kind: int
    stretches: Sequence[int]


@dataclass(frozen=True)
class Shown:
    """All that a page says of a row."""

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
        """What the row says about itself, and whether in words; not what it has no use for."""
        return [
            (name, *_said(value))
            for name, value in self.row.metadata.items()
            if value not in ("", [], None)
        ]

    @property
    def encoded(self) -> str:
        """The row as it stands in the file, indented."""
        return orjson.dumps(self.row.record(), option=orjson.OPT_INDENT_2).decode()


def _said(value: object) -> tuple[str, bool]:
    """A value for people: words and numbers as they are, words in a list joined, all else JSON."""
    if isinstance(value, str):
        return value, True
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return " · ".join(value), True
    return orjson.dumps(value).decode(), not isinstance(value, list | dict)


def show(
    row: Example,
    generator: str,
    answer: str | None = None,
    judged: Score | None = None,
    *,
    proof: bool = True,
) -> Shown:
    """Make a row ready; where what its generator says of it makes no sense, it is shown plainly."""
    trouble = ""
    try:
        view = GENERATORS.get(generator).view(row)
        pieces = list(_pieces(row.input, view))
        steps = view.steps if proof else ()
        drawing = draw(view.graph, steps) if view.graph else None  # nor where it is empty
        facts = list(_facts(view, drawing))
    except Exception as error:
        what = "" if isinstance(error, RelsmithError) else f"{type(error).__name__}: "
        trouble = what + " ".join(str(error).split())
        view, pieces, drawing, facts = View(), [Piece(row.input)], None, []
    return Shown(row, pieces, view, drawing, facts, trouble, answer, judged)


def _pieces(text: str, view: View) -> Iterator[Piece]:
    """The text, cut at stretches and blanks."""
    place = 0
    marks = [
        *((one.start, one.end, n, one.facts, None) for n, one in enumerate(view.fact_spans)),
        *((one.start, one.end, None, (), n) for n, one in enumerate(view.blanks)),
    ]
    for start, end, stretch, facts, blank in sorted(marks, key=lambda mark: mark[:2]):
        if not place <= start <= end <= len(text):
            raise ValueError(f"a part of the text from {start} to {end} is marked amiss")
        if start > place:
            yield Piece(text[place:start])
        yield Piece(text[start:end], stretch, facts, blank)
        place = end
    if place < len(text):
        yield Piece(text[place:])


def _facts(view: View, drawing: Drawing | None) -> Iterator[Fact]:
    kinds = {edge.number: edge.kind for edge in drawing.edges} if drawing else {}
    told: dict[int, list[int]] = {}
    for n, stretch in enumerate(view.fact_spans):
        for number in stretch.facts:
            told.setdefault(number, []).append(n)
    for number, words in enumerate(view.fact_texts):
        yield Fact(number, words, kinds.get(number, 0), told.get(number, ()))


def filled(blanks: Sequence[Blank], given: Sequence[str]) -> list[bool]:
    """For each blank, whether what is given is right; capitals and spaces do not matter."""
    return [
        _plain(word) in map(_plain, (blank.answer, *blank.alternatives))
        for blank, word in zip(blanks, given, strict=False)
    ]


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def differing(one: str, other: str) -> tuple[list[tuple[str, bool]], list[tuple[str, bool]]]:
    """Two texts in pieces, each with whether it differs from the other, word by word."""
    from difflib import SequenceMatcher

    words = one.split(" "), other.split(" ")
    sides: tuple[list[tuple[str, bool]], list[tuple[str, bool]]] = ([], [])
    for how, a, b, c, d in SequenceMatcher(None, *words, autojunk=False).get_opcodes():
        for side, said, start, end in ((sides[0], words[0], a, b), (sides[1], words[1], c, d)):
            if end > start:
                side.append((" ".join(said[start:end]), how != "equal"))
    return sides
