"""A second judge of ordering, for who and rank questions, by bounds on differences.

Such rows are made by judge.py, which follows steps from one person to another; this module
relaxes bounds on differences, and shares no code with it.

References: R. Bellman, On a routing problem, Quarterly of Applied Mathematics 16 (1958).
"""

from ..fact import Fact

_ADJECTIVES = {
    "tall": ("taller", "shorter"),
    "old": ("older", "younger"),
    "fast": ("faster", "slower"),
    "strong": ("stronger", "weaker"),
}


def _parse_comparison(word: str) -> tuple[str, str]:
    for adjective, (more, less) in _ADJECTIVES.items():
        for comparison, sign in (
            (f"{more} than", ">"),
            (f"{less} than", "<"),
            (f"as {adjective} as", "="),
            (f"not {more} than", "≤"),
            (f"not {less} than", "≥"),
        ):
            if word == comparison:
                return adjective, sign
    raise ValueError(f"no comparison {word!r}")


def all_matching(facts: list[Fact], x: str, word: str) -> list[str]:
    """Return everyone of whom the facts entail that they compare so with x, sorted."""
    adjective, sign = _parse_comparison(word)
    above, below = _bounds(facts, adjective, x, 1), _bounds(facts, adjective, x, -1)
    people = sorted({x, *(name for start, _, end in facts for name in (start, end))})

    def holds(person: str) -> bool:
        least, most = above.get(person), below.get(person)
        if sign == ">":
            return bool(least)
        if sign == "<":
            return bool(most)
        not_less, not_more = least is not None, most is not None
        return {"=": not_less and not_more, "≥": not_less, "≤": not_more}[sign]

    return [person for person in people if person != x and holds(person)]


_SUPERLATIVES = {
    "tallest": "taller",
    "shortest": "shorter",
    "oldest": "older",
    "youngest": "younger",
    "fastest": "faster",
    "slowest": "slower",
    "strongest": "stronger",
    "weakest": "weaker",
}
_ORDINALS = ("", "second", "third")


def all_ranked(facts: list[Fact], people: list[str], asked: str) -> list[str]:
    """Return all of some people who are entailed to have a rank, such as "second tallest".

    Exactly one of them is ahead of the second; others may share the rank.
    """
    *ordinal, superlative = asked.split()
    place = _ORDINALS.index(ordinal[0]) if ordinal else 0
    more = _SUPERLATIVES[superlative]
    among = set(people)
    entailed = []
    for person in sorted(among):
        ahead = among & set(all_matching(facts, person, f"{more} than"))
        others = among & set(all_matching(facts, person, f"not {more} than"))
        if len(ahead) == place and len(ahead) + len(others) == len(among) - 1:
            entailed.append(person)
    return entailed


def _bounds(facts: list[Fact], adjective: str, x: str, direction: int) -> dict[str, int]:
    """Return lower bounds on how far people are above x, or below x if `direction` is -1.

    People without a bound are left out. A strict comparison puts two people at least 1 apart.
    """
    bounds = {x: 0}
    for _ in range(len(facts) + 1):
        before = bounds.copy()
        for start, word, end in facts:
            dimension, sign = _parse_comparison(word)
            if dimension != adjective:
                continue
            least = int(sign in "<>")
            for low, high, signs in ((start, end, ">≥="), (end, start, "<≤=")):
                one, other = (low, high) if direction > 0 else (high, low)
                if sign in signs and one in bounds:
                    bounds[other] = max(bounds.get(other, 0), bounds[one] + least)
        if bounds == before:
            break
    return bounds
