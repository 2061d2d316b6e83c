"""All events of which a word is certain, by what the facts say of any two moments.

Who questions are made by judge.py, which looks at what is possible; this looks at what is known
for certain, and shares no code with it.

References: moments are compared by way of others as in R. W. Floyd, Algorithm 97: Shortest path,
Communications of the ACM 5 (1962).
"""

from collections.abc import Mapping

from ..fact import Fact

# Of "the one ... the other": s and e are the one's start and end, S and E the other's.
_SAYS = {
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


def everyone(facts: list[Fact], genders: Mapping[str, str], x: str, word: str) -> list[str]:
    """All events of which it follows that the word holds between them and x, sorted."""
    events = sorted({x, *(event for start, _, end in facts for event in (start, end))})
    first = {event: 2 * number for number, event in enumerate(events)}

    def comparisons(other: str, said: str, one: str) -> list[tuple[int, str, int]]:
        at = dict(
            zip("seSE", (first[one], first[one] + 1, first[other], first[other] + 1), strict=True)
        )
        return [(at[part[0]], part[1], at[part[2]]) for part in _SAYS[said].split()]

    told = [(first[event], "<", first[event] + 1) for event in events]
    for start, said, end in facts:
        told += comparisons(start, said, end)
    earlier, no_later = _closed(2 * len(events), told)

    def holds(a: int, sign: str, b: int) -> bool:
        if sign == "<":
            return bool(earlier[a] >> b & 1)
        return bool(no_later[a] >> b & no_later[b] >> a & 1)

    return [
        event
        for event in events
        if event != x and all(holds(*said) for said in comparisons(x, word, event))
    ]


def _closed(size: int, told: list[tuple[int, str, int]]) -> tuple[list[int], list[int]]:
    """For each moment those known to be later, and those known to be no earlier, as bits."""
    earlier, no_later = [0] * size, [1 << moment for moment in range(size)]
    for a, sign, b in told:
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
