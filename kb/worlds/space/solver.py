"""Solver of the space worlds, by which rows are made: places get coordinates.

Facts bound the differences of coordinates. A word is possible if some placement satisfies the facts
and the word, and no two places share a square. The judge bounds the steps between
any two places instead; they share no code.

References: R. Bellman, On a routing problem, Quarterly of Applied Mathematics 16 (1958).
"""

from collections.abc import Iterable
from functools import cache
from math import inf

from ..fact import Fact, distances
from ..verdict import Verdict
from ..world import find_world
from .steps import Grid, Square

Bound = tuple[int, int, float]
"""Two places by number, and how much greater the coordinate of the second is at most."""

_FAR_APART = 1000
"""Initial difference of coordinates, so that places that may be apart seldom share a square."""


def solve(
    grid: Grid,
    world: str,
    facts: Iterable[Fact],
    query: tuple[str, str],
    claimed: str | None = None,
) -> Verdict:
    """Return the verdict on a claim, by a placement for each possible word."""
    facts, (x, y), offsets = list(facts), query, _offsets(grid, world)
    number = {name: n for n, name in enumerate({**distances(facts, x), **distances(facts, y)})}
    axes: list[list[Bound]] = [[], []]
    for start, word, end in facts:
        if start in number:
            for axis, steps in enumerate(offsets[word]):
                axes[axis] += _bounds(grid, number[start], number[end], steps)
    at = [float(_FAR_APART * n) for n in range(len(number))]
    if any(_relaxed(axis, at) is None for axis in axes):
        return Verdict.from_possible(frozenset())
    one, other = number[x], number[y]
    spans = [(-_most(axis, at, other, one), _most(axis, at, one, other)) for axis in axes]
    possible = []
    for word, offset in offsets.items():
        admitted = all(
            (low <= steps or steps == grid.far) and (steps <= high or steps == -grid.far)
            for steps, (low, high) in zip(offset, spans, strict=True)
        )
        if admitted:
            claim = [_bounds(grid, one, other, steps) for steps in offset]
            joined = [axis + more for axis, more in zip(axes, claim, strict=True)]
            if _has_placement(joined, at):
                possible.append(word)
    return Verdict.from_possible(frozenset(possible), claimed)


@cache
def _offsets(grid: Grid, world: str) -> dict[str, Square]:
    """Return the offsets of the words of a world."""
    predicates = find_world(world).predicates
    return {predicates[name].word(): offset for name, offset in grid.offsets.items()}


def _bounds(grid: Grid, start: int, end: int, steps: int) -> list[Bound]:
    """Return the bounds on one axis of an end that is a number of steps from a start."""
    bounds: list[Bound] = []
    if steps < grid.far:
        bounds.append((start, end, steps))
    if steps > -grid.far:
        bounds.append((end, start, -steps))
    return bounds


def _relaxed(bounds: list[Bound], at: list[float]) -> list[float] | None:
    """Return the greatest coordinates up to these within the bounds, None if there are none."""
    at = at.copy()
    for _ in range(len(at) + 1):
        changed = False
        for low, high, most in bounds:
            if at[low] + most < at[high]:
                at[high], changed = at[low] + most, True
        if not changed:
            return at
    return None


def _most(bounds: list[Bound], at: list[float], one: int, other: int) -> float:
    """Return how much greater the coordinate of the second is at most."""
    alone = [inf] * len(at)
    alone[one] = 0.0
    return (_relaxed(bounds, alone) or alone)[other]


def _has_placement(axes: list[list[Bound]], at: list[float]) -> bool:
    """Return whether all places fit without two of them in one square."""
    lines = [line for axis in axes if (line := _relaxed(axis, at)) is not None]
    if len(lines) < len(axes):
        return False
    taken: dict[tuple[float, ...], int] = {}
    for place, square in enumerate(zip(*lines, strict=True)):
        other = taken.setdefault(square, place)
        if other != place:
            pairs = ((place, other), (other, place))
            return any(
                _has_placement([*axes[:n], [*axis, (*pair, -1.0)], *axes[n + 1 :]], at)
                for n, axis in enumerate(axes)
                for pair in pairs
            )
    return True
