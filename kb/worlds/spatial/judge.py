"""Which direction holds between two things in every placement that satisfies a story's facts.

Why it misses no placement is in docs/judge.md. It shares no code with the rules or with grid.py.
"""

from collections.abc import Iterable
from itertools import product
from typing import NamedTuple

from ....errors import InvalidOption
from ..fact import Fact
from ..verdict import Status, Verdict


class _Signs(NamedTuple):
    """How y's column and row stand to x's: 1 for greater, 0 for the same, -1 for less."""

    column: int
    row: int


_MEANINGS = {
    "to the left of": _Signs(-1, 0),
    "to the right of": _Signs(1, 0),
    "above": _Signs(0, 1),
    "below": _Signs(0, -1),
    "to the upper left of": _Signs(-1, 1),
    "to the upper right of": _Signs(1, 1),
    "to the lower left of": _Signs(-1, -1),
    "to the lower right of": _Signs(1, -1),
}
_NAMES = {signs: word for word, signs in _MEANINGS.items()}

WORDS = tuple(_MEANINGS)


def judge(facts: Iterable[Fact], query: tuple[str, str], claimed: str | None = None) -> Verdict:
    """Say whether the facts entail that the query's second lies so from its first.

    Without a claim, say whether the facts entail any direction at all.
    """
    if claimed is not None:
        _check_word(claimed)
    possible = _possible(list(facts), *query)
    if not possible:
        return Verdict(Status.IMPOSSIBLE)
    if claimed is not None and claimed not in possible:
        return Verdict(Status.CONTRADICTED, possible)
    return Verdict(Status.ENTAILED if len(possible) == 1 else Status.UNDETERMINED, possible)


def _possible(facts: list[Fact], x: str, y: str) -> frozenset[str]:
    """The words that hold in some placement, of which exactly one holds in each."""
    if x == y:
        raise InvalidOption(f"query asks of {x!r} twice; name two things")
    for _, word, _ in facts:
        _check_word(word)
    things = {x, y, *(thing for start, _, end in facts for thing in (start, end))}
    columns = _Axis(things, [(start, _MEANINGS[word].column, end) for start, word, end in facts])
    rows = _Axis(things, [(start, _MEANINGS[word].row, end) for start, word, end in facts])
    cells = {(columns.line[thing], rows.line[thing]) for thing in things}
    if len(cells) < len(things) or columns.circular() or rows.circular():
        return frozenset()
    ways = product(_signs(columns, rows, x, y), _signs(rows, columns, x, y))
    return frozenset(_NAMES[way] for way in map(_Signs._make, ways) if any(way))


class _Axis:
    """Columns, or rows: the line that each thing lies on, and the lines known to be beyond each.

    Things lie on one line only where the facts say so.
    """

    def __init__(self, things: Iterable[str], steps: list[tuple[str, int, str]]) -> None:
        self.line = {thing: thing for thing in things}
        self.things = {thing: [thing] for thing in self.line}
        self.beyond: dict[str, set[str]] = {}
        for start, sign, end in steps:
            if not sign:
                self._join(self.line[start], self.line[end])
        for start, sign, end in steps:
            if sign:
                near, far = (start, end) if sign > 0 else (end, start)
                self.beyond.setdefault(self.line[near], set()).add(self.line[far])

    def _join(self, line: str, merged: str) -> None:
        if line != merged:
            moved = self.things.pop(merged)
            self.things[line] += moved
            for thing in moved:
                self.line[thing] = line

    def circular(self) -> bool:
        """Whether some line would be beyond itself."""
        return any(self.reaches(line, line) for line in self.beyond)

    def reaches(self, start: str, end: str) -> bool:
        """Whether the end is known to be beyond the start."""
        seen, ahead = {start}, [start]
        while ahead:
            for line in self.beyond.get(ahead.pop(), ()):
                if line == end:
                    return True
                if line not in seen:
                    seen.add(line)
                    ahead.append(line)
        return False


def _signs(axis: _Axis, across: _Axis, x: str, y: str) -> tuple[int, ...]:
    """How y may stand to x on an axis.

    Two lines of which neither is beyond the other may be one, unless things would share a cell.
    """
    start, end = axis.line[x], axis.line[y]
    if start == end:
        return (0,)
    if axis.reaches(start, end):
        return (1,)
    if axis.reaches(end, start):
        return (-1,)
    crossed = {across.line[thing] for thing in axis.things[start]}
    collide = any(across.line[thing] in crossed for thing in axis.things[end])
    return (-1, 1) if collide else (-1, 0, 1)


def _check_word(word: str) -> None:
    if word not in _MEANINGS:
        raise InvalidOption(f"no direction {word!r}; the words are {', '.join(WORDS)}")
