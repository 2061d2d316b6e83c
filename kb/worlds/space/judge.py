"""Judge of the space worlds: the steps or directions that are entailed or possible between places.
Why it misses no map is in docs/space.md. It shares no code with the rules, with steps.py or with
words.py.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product
from math import inf

from ..fact import Fact, check_input
from ..verdict import Verdict

Span = tuple[float, float]
"""Minimum and maximum steps in one direction; negative numbers are steps the other way."""


@dataclass(frozen=True, eq=False)
class MapType:
    """A type of map."""

    directions: tuple[tuple[str, str], ...]
    """Opposite directions by axis."""
    numbers: tuple[str, ...]
    """Numbers of steps that have words; all larger ones are "more than" the last."""
    words: Mapping[tuple[int, ...], str] | None = None
    """Words by signs of the steps, where no steps are counted."""
    nouns: tuple[str, str] = ("steps", "places")
    """Nouns for words and for places, in messages."""
    apart: bool = True
    """Whether no two places share a square."""


MAP = MapType((("north", "south"), ("east", "west")), ("one", "two", "three"))
DIRECTIONS = MapType(
    (("right", "left"), ("up", "down")),
    (),
    words={
        (-1, 0): "to the left of",
        (1, 0): "to the right of",
        (0, 1): "above",
        (0, -1): "below",
        (-1, 1): "to the upper left of",
        (1, 1): "to the upper right of",
        (-1, -1): "to the lower left of",
        (1, -1): "to the lower right of",
    },
    nouns=("direction", "things"),
)


@cache
def _spans_by_word(map_type: MapType) -> dict[str, tuple[Span, ...]]:
    """Return the spans of each word: steps north, steps east, and so on."""
    most = len(map_type.numbers) + 1
    spans: list[Span] = [(steps, steps) for steps in range(1 - most, most)]
    spans += [(-inf, -most), (most, inf)]
    every = product(spans, repeat=len(map_type.directions))
    return {
        _word_for(some, map_type): some
        for some in every
        if not map_type.apart or any(map(any, some))
    }


def _word_for(spans: tuple[Span, ...], map_type: MapType) -> str:
    if map_type.words:
        return map_type.words[tuple(int(_fewest_steps(span)) for span in spans)]
    parts, numbers = [], []
    for span, directions in zip(spans, map_type.directions, strict=True):
        steps = int(_fewest_steps(span))
        if steps:
            more = abs(steps) > len(map_type.numbers)
            number = (
                f"more than {map_type.numbers[-1]}" if more else map_type.numbers[abs(steps) - 1]
            )
            unit = "step" if number == "one" else "steps"
            parts.append(f"{number} {unit} {directions[steps < 0]}")
            numbers.append(0 if more else abs(steps))
    if len(parts) == 2 and numbers[0] == numbers[1] > 0:
        parts = [f"{parts[0]}-{parts[1].rsplit(maxsplit=1)[-1]}"]
    return f"{' and '.join(parts)} of"


def judge(
    facts: Iterable[Fact],
    query: tuple[str, str],
    claimed: str | None = None,
    map_type: MapType = MAP,
) -> Verdict:
    """Return whether the facts entail a claim about the second place seen from the first.

    Without a claim, return whether the facts entail any steps and directions at all.
    """
    facts = list(facts)
    check_input(facts, query, claimed, _spans_by_word(map_type), map_type.nouns)
    return Verdict.from_possible(_possible(facts, *query, map_type), claimed)


def _possible(facts: list[Fact], x: str, y: str, map_type: MapType) -> frozenset[str]:
    """Return the words that hold on some map; exactly one holds on each."""
    spans_by_word = _spans_by_word(map_type)
    places = sorted({x, y, *(place for start, _, end in facts for place in (start, end))})
    lines = [_DistanceBounds(places) for _ in map_type.directions]
    for start, word, end in facts:
        for line, span in zip(lines, spans_by_word[word], strict=True):
            line.add(start, end, span)
    # Places that are known to differ in a row or a column still do, whatever is added.
    may_collide = [
        pair
        for pair in combinations(places, 2)
        if map_type.apart and all(line.may_meet(*pair) for line in lines)
    ]
    restricted: list[dict[Span, _DistanceBounds]] = []
    for axis, line in enumerate(lines):
        admitted = {s[axis] for s in spans_by_word.values() if line.admits(x, y, s[axis])}
        restricted.append({span: line.restricted(x, y, span) for span in admitted})
    words: set[str] = set()
    for word, spans in spans_by_word.items():
        axes = list(zip(restricted, spans, strict=True))
        if all(span in by_span for by_span, span in axes) and _has_map(
            may_collide, [by_span[span] for by_span, span in axes]
        ):
            words.add(word)
    return frozenset(words)


def _fewest_steps(span: Span) -> float:
    """Return the number of steps nearest to 0 of a span."""
    least, most = span
    return least if least >= 0 else most


class _DistanceBounds:
    """Minimum and maximum steps between any two places on one axis.

    Places that are a known number of steps apart form one body. A bound on the steps between two
    bodies holds between their reference places, and bounds are closed under addition.
    """

    def __init__(self, places: Iterable[str]) -> None:
        self.body = {place: place for place in places}
        self.offset = dict.fromkeys(self.body, 0.0)
        """Steps of a place from the reference place of its body."""
        self.most: dict[tuple[str, str], float] = {}
        """Maximum steps from one body to another, where bounded."""
        self.is_contradictory = False

    def copy(self) -> "_DistanceBounds":
        """Return an independent copy."""
        line = _DistanceBounds(())
        line.body, line.offset = self.body.copy(), self.offset.copy()
        line.most, line.is_contradictory = self.most.copy(), self.is_contradictory
        return line

    def span(self, x: str, y: str) -> Span:
        """Return the minimum and maximum steps from one place to another."""
        one, other = self.body[x], self.body[y]
        apart = self.offset[y] - self.offset[x]
        if one == other:
            return apart, apart
        return apart - self.most.get((other, one), inf), apart + self.most.get((one, other), inf)

    def may_meet(self, x: str, y: str) -> bool:
        """Return whether there may be no steps between two places."""
        least, most = self.span(x, y)
        return least <= 0 <= most

    def admits(self, x: str, y: str, span: Span) -> bool:
        """Return whether the steps from one place to another may be within a span."""
        least, most = self.span(x, y)
        return not self.is_contradictory and span[0] <= most and least <= span[1]

    def restricted(self, x: str, y: str, span: Span) -> "_DistanceBounds":
        """Return a copy in which the steps from one place to another are within a span."""
        line = self.copy()
        line.add(x, y, span)
        return line

    def add(self, x: str, y: str, span: Span) -> None:
        """Restrict the steps from one place to another to a span."""
        least, most = span
        before = self.span(x, y)
        if self.is_contradictory or least > before[1] or most < before[0]:
            self.is_contradictory = True
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
        """Bound the steps from one body to another, and all sums with this bound."""
        before = [(one, 0.0), *((a, steps) for (a, b), steps in self.most.items() if b == one)]
        after = [(other, 0.0), *((b, steps) for (a, b), steps in self.most.items() if a == other)]
        for a, first in before:
            for b, second in after:
                steps = first + most + second
                if a != b and steps < self.most.get((a, b), inf):
                    self.most[a, b] = steps

    def _join(self, one: str, other: str, apart: float) -> None:
        """Merge two bodies that are a number of steps apart."""
        for place, body in self.body.items():
            if body == other:
                self.body[place] = one
                self.offset[place] += apart
        for pair in [pair for pair in self.most if other in pair]:
            del self.most[pair]


def _has_map(may_collide: list[tuple[str, str]], lines: list[_DistanceBounds]) -> bool:
    """Return whether there is a map on which none of these pairs share a square."""
    if any(line.is_contradictory for line in lines):
        return False
    tightest: list[tuple[int, str, str, Span]] | None = None
    for x, y in may_collide:
        if not all(line.may_meet(x, y) for line in lines):
            continue
        ends = [end for line in lines for end in line.span(x, y)]
        # Places that are unbounded in one direction can always be moved apart.
        if inf in ends or -inf in ends:
            continue
        options = [
            (number, x, y, span)
            for number, line in enumerate(lines)
            for span in ((1.0, inf), (-inf, -1.0))
            if line.admits(x, y, span)
        ]
        if tightest is None or len(options) < len(tightest):
            tightest = options
    for number, x, y, span in tightest or ():
        separated = lines[number].restricted(x, y, span)
        if _has_map(may_collide, [*lines[:number], separated, *lines[number + 1 :]]):
            return True
    return tightest is None
