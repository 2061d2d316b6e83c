"""How one place lies from another on every map that satisfies a story's facts.

Why it misses no map is in docs/space.md. It shares no code with the rules, with steps.py or with
words.py.
"""

from collections.abc import Iterable
from functools import cache
from itertools import combinations, product
from math import inf
from typing import NamedTuple

from ....errors import InvalidOption
from ..fact import Fact
from ..verdict import Status, Verdict

Span = tuple[float, float]
"""The least and the most steps in one direction; fewer than 0 are steps the other way."""


class Kind(NamedTuple):
    """A kind of map: its directions, two to a line, the numbers that are told apart from all that
    are more, and whether two places may share a square."""

    directions: tuple[tuple[str, str], ...]
    numbers: tuple[str, ...]
    shared: bool


_FLAT = (("north", "south"), ("east", "west"))
MAP = Kind(_FLAT, ("one", "two", "three"), shared=False)
OVERLAP = Kind(_FLAT, ("one", "two", "three"), shared=True)
BLOCK = Kind((*_FLAT, ("up", "down")), ("one", "two"), shared=False)


@cache
def _words(kind: Kind) -> dict[str, tuple[Span, ...]]:
    """What each word says of each line: how many steps north, how many east, and so on."""
    most = len(kind.numbers) + 1
    spans: list[Span] = [(steps, steps) for steps in range(1 - most, most)]
    spans += [(-inf, -most), (most, inf)]
    every = product(spans, repeat=len(kind.directions))
    words = {_said(some, kind): some for some in every if kind.shared or any(map(any, some))}
    return words


def _said(spans: tuple[Span, ...], kind: Kind) -> str:
    """The word for so many steps on each line."""
    parts, numbers = [], []
    for span, directions in zip(spans, kind.directions, strict=True):
        steps = int(_nearest(span))
        if steps:
            more = abs(steps) > len(kind.numbers)
            number = f"more than {kind.numbers[-1]}" if more else kind.numbers[abs(steps) - 1]
            unit = "step" if number == "one" else "steps"
            parts.append(f"{number} {unit} {directions[steps < 0]}")
            numbers.append(0 if more else abs(steps))
    if not parts:
        return "in the same square as"
    rising = bool(any(spans[2])) if len(spans) > 2 else False
    if rising and len(parts) == 1:
        return parts[0].replace(" up", " above").replace(" down", " below")
    if len(parts) - rising == 2 and numbers[0] == numbers[1] > 0:
        parts[:2] = [f"{parts[0]}-{parts[1].rsplit(maxsplit=1)[-1]}"]
    *others, last = parts
    whole = f"{', '.join(others)} and {last}" if others else last
    return f"{whole} {'from' if rising else 'of'}"


def _spans(word: str, kind: Kind) -> tuple[Span, ...]:
    """How many steps north, how many steps east and so on a word says."""
    words = _words(kind)
    if word not in words:
        raise InvalidOption(f"no steps {word!r}; the words are like 'two steps north of'")
    return words[word]


def judge(
    facts: Iterable[Fact], query: tuple[str, str], claimed: str | None = None, kind: Kind = MAP
) -> Verdict:
    """Say whether the facts entail that the query's second lies so from its first.

    Without a claim, say whether the facts entail any number of steps and directions at all.
    """
    if claimed is not None:
        _spans(claimed, kind)
    possible = _possible(list(facts), *query, kind)
    if not possible:
        return Verdict(Status.IMPOSSIBLE)
    if claimed is not None and claimed not in possible:
        return Verdict(Status.CONTRADICTED, possible)
    return Verdict(Status.ENTAILED if len(possible) == 1 else Status.UNDETERMINED, possible)


def part(what: str, word: str, kind: Kind = MAP) -> str:
    """The direction, or the distance, that a word says."""
    spans = _spans(word, kind)
    nearest = [int(_nearest(span)) for span in spans]
    if what == "direction":
        named = [
            directions[steps < 0] if steps else ""
            for steps, directions in zip(nearest, kind.directions, strict=True)
        ]
        level = "-".join(filter(None, named[:2]))
        return " and ".join(filter(None, (level, *named[2:]))) or "same square"
    steps = max(map(abs, nearest))
    numbers = ("zero", *kind.numbers, f"more than {kind.numbers[-1]}")
    return numbers[steps]


def _possible(facts: list[Fact], x: str, y: str, kind: Kind) -> frozenset[str]:
    """The words that hold on some map, of which exactly one holds on each."""
    if x == y:
        raise InvalidOption(f"query asks of {x!r} twice; name two places")
    places = sorted({x, y, *(place for start, _, end in facts for place in (start, end))})
    lines = [_Line(places) for _ in kind.directions]
    for start, word, end in facts:
        for line, span in zip(lines, _spans(word, kind), strict=True):
            line.add(start, end, span)
    # Whatever is added, those that surely differ in a row or a column still do.
    close = [
        pair
        for pair in combinations(places, 2)
        if not kind.shared and all(line.may_meet(*pair) for line in lines)
    ]
    words: set[str] = set()
    for word, spans in _words(kind).items():
        if all(line.allows(x, y, span) for line, span in zip(lines, spans, strict=True)):
            there = [line.copy() for line in lines]
            for line, span in zip(there, spans, strict=True):
                line.add(x, y, span)
            if _has_map(close, there):
                words.add(word)
    return frozenset(words)


def _nearest(span: Span) -> float:
    """The fewest steps of a span."""
    least, most = span
    return least if least >= 0 else most


class _Line:
    """Rows, or columns: for each two places the least and the most steps from one to the other.

    Places that are a known number of steps apart form one body. A bound on the steps between two
    bodies holds between places of reference, and all bounds that follow are drawn at once.
    """

    def __init__(self, places: Iterable[str]) -> None:
        self.body = {place: place for place in places}
        self.offset = dict.fromkeys(self.body, 0.0)
        """How many steps a place lies from the place of reference of its body."""
        self.most: dict[tuple[str, str], float] = {}
        """The most steps from one body to another, where there is a bound."""
        self.broken = False

    def copy(self) -> "_Line":
        """Another that can be added to."""
        line = _Line(())
        line.body, line.offset = self.body.copy(), self.offset.copy()
        line.most, line.broken = self.most.copy(), self.broken
        return line

    def span(self, x: str, y: str) -> Span:
        """The least and the most steps from one place to another."""
        one, other = self.body[x], self.body[y]
        apart = self.offset[y] - self.offset[x]
        if one == other:
            return apart, apart
        return apart - self.most.get((other, one), inf), apart + self.most.get((one, other), inf)

    def may_meet(self, x: str, y: str) -> bool:
        """Whether two places may be on one line."""
        least, most = self.span(x, y)
        return least <= 0 <= most

    def allows(self, x: str, y: str, span: Span) -> bool:
        """Whether some steps of a span may lead from one place to another, as far as it knows."""
        least, most = self.span(x, y)
        return not self.broken and span[0] <= most and least <= span[1]

    def add(self, x: str, y: str, span: Span) -> None:
        """Let the steps from one place to another be within a span."""
        least, most = span
        before = self.span(x, y)
        if self.broken or least > before[1] or most < before[0]:
            self.broken = True
            return
        one, other = self.body[x], self.body[y]
        if one == other:
            return
        apart = self.offset[y] - self.offset[x]
        if most < before[1]:
            self._bound(one, other, most - apart)
        if least > before[0]:
            self._bound(other, one, apart - least)
        for a, b in list(self.most):
            if a < b and self.body[a] == a and self.body[b] == b:
                low, high = self.span(a, b)
                if low == high:
                    self._join(a, b, low)

    def _bound(self, one: str, other: str, most: float) -> None:
        """Let there be no more steps from one body to another, and draw what follows."""
        before = [(one, 0.0), *((a, steps) for (a, b), steps in self.most.items() if b == one)]
        after = [(other, 0.0), *((b, steps) for (a, b), steps in self.most.items() if a == other)]
        for a, first in before:
            for b, second in after:
                steps = first + most + second
                if a != b and steps < self.most.get((a, b), inf):
                    self.most[a, b] = steps

    def _join(self, one: str, other: str, apart: float) -> None:
        """Make one body of two that are so many steps apart."""
        for place, body in self.body.items():
            if body == other:
                self.body[place] = one
                self.offset[place] += apart
        for pair in [pair for pair in self.most if other in pair]:
            del self.most[pair]


def _has_map(close: list[tuple[str, str]], lines: list[_Line]) -> bool:
    """Whether there is a map on which none of these two share a square."""
    if any(line.broken for line in lines):
        return False
    tightest: list[tuple[int, str, str, Span]] | None = None
    for x, y in close:
        if not all(line.may_meet(x, y) for line in lines):
            continue
        ends = [end for line in lines for end in line.span(x, y)]
        # Where there is no bound one way, all such places can be moved out of each other's way.
        if inf in ends or -inf in ends:
            continue
        ways = [
            (number, x, y, span)
            for number, line in enumerate(lines)
            for span in ((1.0, inf), (-inf, -1.0))
            if line.allows(x, y, span)
        ]
        if tightest is None or len(ways) < len(tightest):
            tightest = ways
    for number, x, y, span in tightest or ():
        apart = lines[number].copy()
        apart.add(x, y, span)
        if _has_map(close, [*lines[:number], apart, *lines[number + 1 :]]):
            return True
    return tightest is None
