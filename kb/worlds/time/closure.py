"""A second judge of the time worlds, for who and possible questions, by an order of all moments.

Such rows are made by judge.py, which looks at four moments; this module computes the transitive
closure over all moments, and shares no code with it.

References: the closure is computed as in R. W. Floyd, Algorithm 97: Shortest path,
Communications of the ACM 5 (1962).
"""

from collections.abc import Iterable

from ..fact import Fact

# Of "the one ... the other": s and e are the one's start and end, S and E the other's. These are
# words for events; words for instants state that start and end are equal.
_LASTING = {
    "ended before the start of": "e<S",
    "began after the end of": "E<s",
    "ended exactly at the start of": "e=S",
    "began exactly at the end of": "s=E",
    "began before and ended during": "s<S S<e e<E",
    "began during and ended after": "S<s s<E E<e",
    "began at the same time as but ended earlier than": "s=S e<E",
    "began at the same time as but ended later than": "s=S E<e",
    "began later and ended earlier than": "S<s e<E",
    "began earlier and ended later than": "s<S E<e",
    "began later than but ended at the same time as": "S<s e=E",
    "began earlier than but ended at the same time as": "s<S e=E",
    "began and ended at the same time as": "s=S e=E",
}
_INSTANTS = {
    "came earlier than": "s=e S=E e<S",
    "came later than": "s=e S=E E<s",
    "came at the same moment as": "s=e S=E s=S",
    "came before the start of": "s=e S<E e<S",
    "came exactly at the start of": "s=e S<E e=S",
    "came after the start but before the end of": "s=e S<s e<E",
    "came exactly at the end of": "s=e S<E s=E",
    "came after the end of": "s=e S<E E<s",
    "began after the moment of": "s<e S=E E<s",
    "began exactly at the moment of": "s<e S=E s=E",
    "began before and ended after the moment of": "S=E s<S E<e",
    "ended exactly at the moment of": "s<e S=E e=S",
    "ended before the moment of": "s<e S=E e<S",
}
_SAYS = {word: f"s<e S<E {comparisons}" for word, comparisons in _LASTING.items()} | _INSTANTS


def all_matching(facts: list[Fact], x: str, word: str) -> list[str]:
    """Return everything of which the facts entail that the word holds, seen from x, sorted."""
    events = sorted({x, *(event for start, _, end in facts for event in (start, end))})
    stated = _comparisons_of_facts(facts, events)
    earlier, no_later = _closed(2 * len(events), stated)

    def holds(a: int, sign: str, b: int) -> bool:
        if sign == "<":
            return bool(earlier[a] >> b & 1)
        return bool(no_later[a] >> b & no_later[b] >> a & 1)

    return [
        event
        for event in events
        if event != x
        and all(holds(*comparison) for comparison in _comparisons(x, word, event, events))
    ]


def possible_words(facts: list[Fact], query: tuple[str, str]) -> list[str]:
    """Return all words for events that may hold of a query's second, sorted."""
    return _possible_words(facts, query, _LASTING)


def possible_words_with_points(facts: list[Fact], query: tuple[str, str]) -> list[str]:
    """Return all words that may hold of a query's second, where the two may be instants."""
    return _possible_words(facts, query, _SAYS)


def _possible_words(facts: list[Fact], query: tuple[str, str], words: Iterable[str]) -> list[str]:
    """Return those of some words with which no moment would be earlier than itself."""
    names = sorted({*query, *(event for start, _, end in facts for event in (start, end))})
    stated = _comparisons_of_facts(facts, names)
    size = 2 * len(names)
    possible = []
    for word in words:
        earlier, _ = _closed(size, stated + _comparisons(query[0], word, query[1], names))
        if not any(earlier[moment] >> moment & 1 for moment in range(size)):
            possible.append(word)
    return sorted(possible)


def _comparisons_of_facts(facts: list[Fact], events: list[str]) -> list[tuple[int, str, int]]:
    """Return the comparisons of moments that facts state.

    The start of event n is moment 2 n, its end 2 n + 1.
    """
    stated: list[tuple[int, str, int]] = []
    for start, word, end in facts:
        stated += _comparisons(start, word, end, events)
    return stated


def _comparisons(other: str, word: str, one: str, events: list[str]) -> list[tuple[int, str, int]]:
    a, b = 2 * events.index(one), 2 * events.index(other)
    at = dict(zip("seSE", (a, a + 1, b, b + 1), strict=True))
    return [(at[part[0]], part[1], at[part[2]]) for part in _SAYS[word].split()]


def _closed(size: int, stated: list[tuple[int, str, int]]) -> tuple[list[int], list[int]]:
    """Return, by moment, the sets of moments that are later, and that are not earlier."""
    earlier, no_later = [0] * size, [1 << moment for moment in range(size)]
    for a, sign, b in stated:
        no_later[a] |= 1 << b
        if sign == "<":
            earlier[a] |= 1 << b
        else:
            no_later[b] |= 1 << a
    for between in range(size):
        for moment in range(size):
            if earlier[moment] >> between & 1:
                earlier[moment] |= no_later[between]
            if no_later[moment] >> between & 1:
                earlier[moment] |= earlier[between]
                no_later[moment] |= no_later[between]
    return earlier, no_later
