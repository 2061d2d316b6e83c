"""How one place lies from another on every map that satisfies a story's facts.

Why it misses no map is in docs/space.md. It shares no code with the rules or with steps.py.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import combinations
from math import inf

from ...errors import InvalidOption
from ..fact import Fact
from ..verdict import Status, Verdict

Span = tuple[float, float]
"""The least and the most steps in one direction; fewer than 0 are steps the other way."""

_AMOUNTS: dict[str, Span] = {"one": (1, 1), "two": (2, 2), "three": (3, 3)}
_MORE = "more than three"
_AMOUNTS[_MORE] = (4, inf)
_AXIS = {"north": (0, 1), "south": (0, -1), "east": (1, 1), "west": (1, -1)}
_PHRASE = re.compile(
    rf"({'|'.join(_AMOUNTS)}) steps? (north|south|east|west)(?:-(east|west))?"
    rf"(?: and ({'|'.join(_AMOUNTS)}) steps? (east|west))? of"
)


@cache
def _spans(word: str) -> tuple[Span, Span]:
    """How many steps north and how many steps east a word says."""
    match = _PHRASE.fullmatch(word)
    spans: list[Span] = [(0, 0), (0, 0)]
    parts = match.groups() if match else ("",) * 5
    for amount, direction in (parts[0:2], parts[0:3:2], parts[3:5]):
        if direction:
            axis, sign = _AXIS[direction]
            least, most = _AMOUNTS[amount]
            spans[axis] = (least, most) if sign > 0 else (-most, -least)
    if not match or _said(*map(_nearest, spans)) != word:
        raise InvalidOption(f"no steps {word!r}; the words are like 'two steps north of'")
    return spans[0], spans[1]


def _said(north: float, east: float) -> str:
    """The word for so many steps, of which more than three are four here."""
    names = {float(least): amount for amount, (least, _) in _AMOUNTS.items()}
    up = f"{_steps(names[abs(north)])} {'north' if north > 0 else 'south'}" if north else ""
    along = f"{_steps(names[abs(east)])} {'east' if east > 0 else 'west'}" if east else ""
    if up and along and abs(north) == abs(east) < _AMOUNTS[_MORE][0]:
        return f"{up}-{along.rsplit(maxsplit=1)[-1]} of"
    return f"{' and '.join(filter(None, (up, along)))} of"


def _steps(amount: str) -> str:
    return f"{amount} step{'s' * (amount != 'one')}"


_CLASSES: tuple[Span, ...] = (
    (-inf, -4),
    *((float(steps), float(steps)) for steps in range(-3, 4)),
    (4, inf),
)
"""What is told apart on one line."""


def judge(facts: Iterable[Fact], query: tuple[str, str], claimed: str | None = None) -> Verdict:
    """Say whether the facts entail that the query's second lies so from its first.

    Without a claim, say whether the facts entail any number of steps and directions at all.
    """
    if claimed is not None:
        _spans(claimed)
    possible = _possible(list(facts), *query)
    if not possible:
        return Verdict(Status.IMPOSSIBLE)
    if claimed is not None and claimed not in possible:
        return Verdict(Status.CONTRADICTED, possible)
    return Verdict(Status.ENTAILED if len(possible) == 1 else Status.UNDETERMINED, possible)


def part(what: str, word: str) -> str:
    """The direction, or the distance, that a word says."""
    spans = _spans(word)
    if what == "direction":
        signs = [(least > 0) - (most < 0) for least, most in spans]
        up, along = ("south", "", "north")[signs[0] + 1], ("west", "", "east")[signs[1] + 1]
        return "-".join(filter(None, (up, along)))
    least = max(max(low, -high) for low, high in spans)
    return next(amount for amount, (steps, _) in _AMOUNTS.items() if steps == least)


def _possible(facts: list[Fact], x: str, y: str) -> frozenset[str]:
    """The words that hold on some map, of which exactly one holds on each."""
    if x == y:
        raise InvalidOption(f"query asks of {x!r} twice; name two places")
    places = sorted({x, y, *(place for start, _, end in facts for place in (start, end))})
    lines = [_Line(places), _Line(places)]
    for start, word, end in facts:
        for line, span in zip(lines, _spans(word), strict=True):
            line.add(start, end, span)
    # Whatever is added, those that surely differ in a row or a column still do.
    close = [
        pair for pair in combinations(places, 2) if all(line.may_meet(*pair) for line in lines)
    ]
    north, east = (list(line.classes(x, y)) for line in lines)
    words: set[str] = set()
    for up in north:
        for along in east:
            if up == along == (0, 0):
                continue
            rows, columns = lines[0].copy(), lines[1].copy()
            rows.add(x, y, up)
            columns.add(x, y, along)
            if _has_map(close, rows, columns):
                words.add(_said(_nearest(up), _nearest(along)))
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

    def classes(self, x: str, y: str) -> Iterator[Span]:
        """What can hold from one place to another, as far as this line goes."""
        least, most = self.span(x, y)
        for low, high in _CLASSES:
            if not self.broken and low <= most and least <= high:
                yield low, high

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


def _has_map(close: list[tuple[str, str]], rows: _Line, columns: _Line) -> bool:
    """Whether there is a map on which none of these two share a square."""
    if rows.broken or columns.broken:
        return False
    for x, y in close:
        if not (rows.may_meet(x, y) and columns.may_meet(x, y)):
            continue
        spans = rows.span(x, y), columns.span(x, y)
        # Where there is no bound one way, all such places can be moved out of each other's way.
        if inf in (-spans[0][0], spans[0][1], -spans[1][0], spans[1][1]):
            continue
        if spans == ((0, 0), (0, 0)):
            return False
        for number, line in enumerate((rows, columns)):
            for span in ((1.0, inf), (-inf, -1.0)):
                apart = line.copy()
                apart.add(x, y, span)
                both = (apart, columns) if number == 0 else (rows, apart)
                if _has_map(close, *both):
                    return True
        return False
    return True
