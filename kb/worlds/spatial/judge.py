"""Judge of the spatial world: the directions that are entailed or possible between two things.
Why it misses no placement is in docs/judge.md. It shares no code with the rules or with grid.py.
"""

from collections.abc import Iterable
from itertools import product
from typing import NamedTuple

from ..fact import Fact, check_input
from ..verdict import Verdict


class _Signs(NamedTuple):
    """Comparison of y's column and row with x's: 1 for greater, 0 for equal, -1 for less."""

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
_WORDS = {signs: word for word, signs in _MEANINGS.items()}

WORDS = tuple(_MEANINGS)


def judge(facts: Iterable[Fact], query: tuple[str, str], claimed: str | None = None) -> Verdict:
    """Return whether the facts entail that the query's second lies so from its first.

    Without a claim, return whether the facts entail any direction at all.
    """
    facts = list(facts)
    check_input(facts, query, claimed, _MEANINGS, ("direction", "things"))
    return Verdict.from_possible(_possible(facts, *query), claimed)


def _possible(facts: list[Fact], x: str, y: str) -> frozenset[str]:
    """Return the words that hold in some placement; exactly one holds in each."""
    things = {x, y, *(thing for start, _, end in facts for thing in (start, end))}
    columns = _Axis(things, [(start, _MEANINGS[word].column, end) for start, word, end in facts])
    rows = _Axis(things, [(start, _MEANINGS[word].row, end) for start, word, end in facts])
    cells = {(columns.line[thing], rows.line[thing]) for thing in things}
    if len(cells) < len(things) or columns.is_circular() or rows.is_circular():
        return frozenset()
    pairs = product(_signs(columns, rows, x, y), _signs(rows, columns, x, y))
    return frozenset(_WORDS[signs] for signs in map(_Signs._make, pairs) if any(signs))


class _Axis:
    """Columns or rows: the line of each thing, and the lines known to be beyond each line.

    Things are on one line only if the facts say so.
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

    def is_circular(self) -> bool:
        """Return whether some line would be beyond itself."""
        return any(self.reaches(line, line) for line in self.beyond)

    def reaches(self, start: str, end: str) -> bool:
        """Return whether the end is known to be beyond the start."""
        seen, pending = {start}, [start]
        while pending:
            for line in self.beyond.get(pending.pop(), ()):
                if line == end:
                    return True
                if line not in seen:
                    seen.add(line)
                    pending.append(line)
        return False


def _signs(axis: _Axis, across: _Axis, x: str, y: str) -> tuple[int, ...]:
    """Return the signs by which y may compare with x on an axis.

    Two lines of which neither is beyond the other may be equal, unless things would share a cell.
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
