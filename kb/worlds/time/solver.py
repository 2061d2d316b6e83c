"""Solver of the time worlds, by which rows are made: an order of all moments.

It computes the transitive closure over all moments, while the judge follows the moments after one;
they share no code.

References: the closure is computed as in R. W. Floyd, Algorithm 97: Shortest path,
Communications of the ACM 5 (1962).
"""

from collections.abc import Iterable
from functools import lru_cache

from ....tables import load_tables
from ..fact import Fact
from ..verdict import Verdict

Comparison = tuple[int, str, int]
"""Two moments, and whether the first is earlier (<), not later (≤) or the same (=)."""

_WORDS: dict[str, dict[str, str]] = load_tables(__package__, "solver.yaml")
"""By kind of words, what each says of the starts and ends of two things."""
_SAYS = {word: f"s<e S<E {comparisons}" for word, comparisons in _WORDS["events"].items()}
_SAYS |= _WORDS["instants"]


def solve(facts: Iterable[Fact], query: tuple[str, str], claimed: str | None = None) -> Verdict:
    """Return the verdict on a claim about two events."""
    return _solve(facts, query, claimed, _WORDS["events"])


def solve_points(
    facts: Iterable[Fact], query: tuple[str, str], claimed: str | None = None
) -> Verdict:
    """Return the verdict on a claim about two things that may be instants."""
    return _solve(facts, query, claimed, _SAYS)


def _solve(
    facts: Iterable[Fact], query: tuple[str, str], claimed: str | None, words: Iterable[str]
) -> Verdict:
    """Test each word: with it, no moment may be earlier than itself."""
    stated = tuple(facts)
    mentioned = {name for x, _, y in stated for name in (x, y)}
    number, earlier, no_later = _order(stated, tuple(sorted({*query} - mentioned)))
    if any(later >> moment & 1 for moment, later in enumerate(earlier)):
        return Verdict.from_possible(frozenset())
    # What the order says of the four moments in question is all that matters for a word.
    four = [number[name] + end for name in query[::-1] for end in (0, 1)]
    known: list[Comparison] = []
    for a, one in enumerate(four):
        for b, other in enumerate(four):
            if no_later[one] >> other & 1:
                known.append((a, "<" if earlier[one] >> other & 1 else "≤", b))
    possible = []
    for word in words:
        contradictory, _ = _closed(4, known + _comparisons(word, 0, 2))
        if not any(contradictory[moment] >> moment & 1 for moment in range(4)):
            possible.append(word)
    return Verdict.from_possible(frozenset(possible), claimed)


@lru_cache(maxsize=64)
def _order(
    facts: tuple[Fact, ...], others: tuple[str, ...]
) -> tuple[dict[str, int], list[int], list[int]]:
    """Number the moments, the start of each event before its end, and return their order."""
    names = dict.fromkeys([*others, *(name for x, _, y in facts for name in (x, y))])
    number = {name: 2 * n for n, name in enumerate(names)}
    stated = [part for x, word, y in facts for part in _comparisons(word, number[y], number[x])]
    return number, *_closed(2 * len(number), stated)


def _comparisons(word: str, one: int, other: int) -> list[Comparison]:
    """Return what a word says of two events, given by their starts."""
    at = dict(zip("seSE", (one, one + 1, other, other + 1), strict=True))
    return [(at[part[0]], part[1], at[part[2]]) for part in _SAYS[word].split()]


def _closed(size: int, stated: list[Comparison]) -> tuple[list[int], list[int]]:
    """Return, by moment, the sets of moments that are later, and that are not earlier."""
    earlier, no_later = [0] * size, [1 << moment for moment in range(size)]
    for a, sign, b in stated:
        no_later[a] |= 1 << b
        if sign == "<":
            earlier[a] |= 1 << b
        elif sign == "=":
            no_later[b] |= 1 << a
    for between in range(size):
        for moment in range(size):
            if earlier[moment] >> between & 1:
                earlier[moment] |= no_later[between]
            if no_later[moment] >> between & 1:
                earlier[moment] |= earlier[between]
                no_later[moment] |= no_later[between]
    return earlier, no_later
