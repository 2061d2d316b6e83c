"""All people of whom a comparison or a rank is certain, by how far apart any two must be.

Questions for people are made by judge.py, which follows steps from one person to another; this
relaxes bounds on differences, and shares no code with it.

References: R. Bellman, On a routing problem, Quarterly of Applied Mathematics 16 (1958).
"""

from collections.abc import Mapping

from ..fact import Fact

_ADJECTIVES = {
    "tall": ("taller", "shorter"),
    "old": ("older", "younger"),
    "fast": ("faster", "slower"),
    "strong": ("stronger", "weaker"),
}


def _read(word: str) -> tuple[str, str]:
    """The adjective, and how the one compares with the other, as a sign."""
    for adjective, (more, less) in _ADJECTIVES.items():
        for said, sign in (
            (f"{more} than", ">"),
            (f"{less} than", "<"),
            (f"as {adjective} as", "="),
            (f"not {more} than", "≤"),
            (f"not {less} than", "≥"),
        ):
            if word == said:
                return adjective, sign
    raise ValueError(f"no comparison {word!r}")


def everyone(facts: list[Fact], genders: Mapping[str, str], x: str, word: str) -> list[str]:
    """All people of whom it follows that they compare so with x, sorted."""
    adjective, sign = _read(word)
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


def ranked(facts: list[Fact], people: list[str], asked: str) -> list[str]:
    """All of some people of whom it is certain that just so many others of them are ahead.

    Others may share their rank with them. `asked` is such as tallest, or second tallest.
    """
    *ordinal, superlative = asked.split()
    place = _ORDINALS.index(ordinal[0]) if ordinal else 0
    more = _SUPERLATIVES[superlative]
    among = set(people)
    certain = []
    for person in sorted(among):
        ahead = among & set(everyone(facts, {}, person, f"{more} than"))
        others = among & set(everyone(facts, {}, person, f"not {more} than"))
        if len(ahead) == place and len(ahead) + len(others) == len(among) - 1:
            certain.append(person)
    return certain


def _bounds(facts: list[Fact], adjective: str, x: str, way: int) -> dict[str, int]:
    """How far each must be above x at least, or below it where the way is -1, where anything must.

    A strict comparison keeps two people one apart; nothing more is known of how far.
    """
    bounds = {x: 0}
    for _ in range(len(facts) + 1):
        before = bounds.copy()
        for start, word, end in facts:
            said, sign = _read(word)
            if said != adjective:
                continue
            least = int(sign in "<>")
            for low, high, signs in ((start, end, ">≥="), (end, start, "<≤=")):
                one, other = (low, high) if way > 0 else (high, low)
                if sign in signs and one in bounds:
                    bounds[other] = max(bounds.get(other, 0), bounds[one] + least)
        if bounds == before:
            break
    return bounds
