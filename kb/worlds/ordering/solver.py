"""Solver of ordering, by which rows are made: bounds on differences.

The judge follows steps from one person to another; this module relaxes bounds on differences, and
shares no code with it.

References: R. Bellman, On a routing problem, Quarterly of Applied Mathematics 16 (1958).
"""

from collections.abc import Iterable
from functools import lru_cache

from ..fact import Fact
from ..verdict import Status, Verdict

_ADJECTIVES = {
    "tall": ("taller", "shorter"),
    "old": ("older", "younger"),
    "fast": ("faster", "slower"),
    "strong": ("stronger", "weaker"),
}
_COMPARISONS = {
    comparison: (adjective, signs)
    for adjective, (more, less) in _ADJECTIVES.items()
    for comparison, signs in (
        (f"{more} than", frozenset(">")),
        (f"{less} than", frozenset("<")),
        (f"as {adjective} as", frozenset("=")),
        (f"not {more} than", frozenset("<=")),
        (f"not {less} than", frozenset("=>")),
    )
}
"""By word, the adjective, and the signs by which y may compare with x."""
_ANY = frozenset("<=>")

Step = tuple[str, str, int]
"""Two people, and the least difference by which the second has more."""


def solve(facts: Iterable[Fact], query: tuple[str, str], claimed: str | None = None) -> Verdict:
    """Return the verdict on a claim; entailed answers are the strongest in each dimension."""
    steps = _steps(tuple(facts))
    if any(_is_contradictory(some) for some in steps.values()):
        return Verdict(Status.IMPOSSIBLE)
    possible = {adjective: _signs(steps.get(adjective, ()), *query) for adjective in _ADJECTIVES}
    words = _COMPARISONS.items()
    entailed = [word for word, (adjective, signs) in words if possible[adjective] == signs]
    adjective, signs = _COMPARISONS[claimed] if claimed else ("", frozenset())
    if possible[adjective] <= signs if claimed else entailed:
        return Verdict(Status.ENTAILED, frozenset(entailed))
    admitted = [word for word, (adjective, signs) in words if possible[adjective] & signs]
    return Verdict.not_entailed(frozenset(admitted), claimed)


@lru_cache(maxsize=64)
def _steps(facts: tuple[Fact, ...]) -> dict[str, tuple[Step, ...]]:
    """Return by adjective the steps up that facts state; a strict comparison is at least 1."""
    steps: dict[str, tuple[Step, ...]] = {}
    for x, word, y in facts:
        adjective, signs = _COMPARISONS[word]
        least = int("=" not in signs)
        up: list[Step] = [(x, y, least)] if "<" not in signs else []
        down: list[Step] = [(y, x, least)] if ">" not in signs else []
        steps[adjective] = (*steps.get(adjective, ()), *up, *down)
    return steps


@lru_cache(maxsize=64)
def _is_contradictory(steps: tuple[Step, ...]) -> bool:
    """Return whether somebody would have more than themselves: then bounds rise for ever."""
    bounds = dict.fromkeys([low for low, _, _ in steps] + [high for _, high, _ in steps], 0)
    return all(_relax(bounds, steps) for _ in range(len(bounds) + 1))


def _signs(steps: tuple[Step, ...], x: str, y: str) -> frozenset[str]:
    """Return the signs by which y may compare with x."""
    above, below = _bounds(steps, x).get(y), _bounds(steps, y).get(x)
    excluded = {sign for sign, bound in (("<", above), (">", below)) if bound is not None}
    return _ANY - excluded - ({"="} if above or below else set())


@lru_cache(maxsize=1024)
def _bounds(steps: tuple[Step, ...], x: str) -> dict[str, int]:
    """Return lower bounds on how much more people have than x, where there are any."""
    bounds = {x: 0}
    while _relax(bounds, steps):
        pass
    return bounds


def _relax(bounds: dict[str, int], steps: tuple[Step, ...]) -> bool:
    """Raise bounds by each step once; return whether one rose."""
    rose = False
    for low, high, least in steps:
        if low in bounds and bounds[low] + least > bounds.get(high, -1):
            bounds[high] = bounds[low] + least
            rose = True
    return rose
