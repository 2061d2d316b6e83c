"""Judging the rules of the extended kinship world: least families, and what can be one in them."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product

from ..semantics import Situation, chain_names
from .family import EX, MENDED, RELATIONS, UP, WED, Family, Link, Pattern, broken_axioms


@dataclass(frozen=True, eq=False)
class ExtendedSemantics:
    """Kinship with half and step relations, judged in families.

    Why its situations suffice: take any family, of any size, in which a chain of relations holds,
    and choose for each relation a pattern by which it holds there. The patterns' people and links,
    put together, are a family F of which the given one is an image: people of F may be one in it.
    Where F breaks "two parents" or "one spouse", the image says which of the people in question are
    one; `_least` tries all of them, so one of its families still has the given one for an image.
    (All other axioms only forbid, and what F does wrong its image does wrong.) So a relation that
    holds in all least families, and whose people cannot turn out to be one, holds in the given one.
    Where a head does not hold in the given family but holds in F by a pattern, two people whom the
    pattern keeps apart are one in the image. `_against` tries all these pairs, and comes to an end
    since each leaves one person fewer. The patterns of half and step relations name both parents
    of X and of Y, so these are put into F first; everyone has two.
    """

    @property
    def predicates(self) -> frozenset[str]:
        """All relations of families."""
        return frozenset(RELATIONS)

    @cache  # noqa: B019 - one instance, lives forever
    def situations(self, chain: tuple[str, ...], *, closed: bool = False) -> tuple[Situation, ...]:
        """The least families for the chain, and for each head one against it if there is any."""
        names = chain_names(len(chain), closed=closed)
        ends = names[0], names[-1]
        families = [
            least.with_parents(*dict.fromkeys(ends))
            for chosen in product(*(RELATIONS[name] for name in chain))
            for least in _least(_joined(names, chosen))
        ]
        if not closed:
            for head in sorted(RELATIONS):
                if families and all(_holds(family, head, *ends) for family in families):
                    against = (_against(family, head, *ends) for family in families)
                    families += [family for family in against if family][:1]
        distinct = {}
        for family in families:
            situation = _situation(family, *ends)
            distinct[situation.facts, situation.relations] = situation
        return tuple(distinct.values())


def _joined(names: tuple[str, ...], chosen: tuple[Pattern, ...]) -> Family:
    """The patterns of a chain side by side; names are different people."""
    links: set[Link] = set()
    apart = set(combinations(dict.fromkeys(names), 2))
    for number, pattern in enumerate(chosen):
        name = {"x": names[number], "y": names[number + 1]}

        def called(person: str, name: dict[str, str] = name, number: int = number) -> str:
            return name.get(person, f"{person}_{number}")

        links |= {(kind, called(a), called(b)) for kind, a, b in pattern.links}
        apart |= {(called(a), called(b)) for a, b in pattern.apart}
    return Family(frozenset(links), frozenset(apart))


def _least(family: Family) -> Iterator[Family]:
    """The families that a family becomes where too many parents or spouses turn out to be one."""
    broken = broken_axioms(family)
    if set(broken).difference(MENDED):
        return
    if not broken:
        yield family
        return
    for a, b in combinations(_too_many(family), 2):
        # Each way to be one is tried apart from the last: no family comes twice.
        yield from _least(_one(family, a, b))
        family = Family(family.links, family.apart | {(a, b)})


def _too_many(family: Family) -> list[str]:
    """Three parents of somebody or more, or two who are kin, or two spouses."""
    for person in family.people:
        parents = family.parents(person)
        if len(parents) > 2 or (len(parents) == 2 and family.are_kin(*parents)):
            return parents
        spouses = {b for kind, a, b in family.links if kind == WED and a == person}
        spouses |= {a for kind, a, b in family.links if kind == WED and b == person}
        if len(spouses) > 1:
            return sorted(spouses)
    raise AssertionError("the axioms say that somebody has too many")


def _one(family: Family, a: str, b: str) -> Family:
    """The family where two are one, who keeps the name of a person of the chain if there is one."""
    return family.merged(b, a) if b[0] in "XYZ" else family.merged(a, b)


def _matches(family: Family, pattern: Pattern, x: str, y: str) -> Iterator[dict[str, str]]:
    """All ways to find a pattern between two people."""
    facing = {(kind, b, a) for kind, a, b in family.links if kind in (WED, EX)}
    links = sorted(family.links | facing)
    # Links that touch somebody known come first.
    ordered: list[Link] = []
    known, left = {"x", "y"}, list(pattern.links)
    while left:
        link = next((one for one in left if known & set(one[1:])), left[0])
        left.remove(link)
        ordered.append(link)
        known |= set(link[1:])

    def extend(number: int, found: dict[str, str]) -> Iterator[dict[str, str]]:
        if number == len(ordered):
            if all(found[a] != found[b] for a, b in pattern.apart):
                yield found
            return
        kind, a, b = ordered[number]
        for its, one, other in links:
            if its == kind and found.get(a, one) == one and found.get(b, other) == other:
                yield from extend(number + 1, found | {a: one, b: other})

    return extend(0, {"x": x, "y": y})


def _holds(family: Family, relation: str, x: str, y: str) -> bool:
    return any(True for pattern in RELATIONS[relation] for _ in _matches(family, pattern, x, y))


def _against(family: Family, head: str, x: str, y: str) -> Family | None:
    """The family, or one where more people are one, in which the head does not hold."""
    for pattern in RELATIONS[head]:
        for match in _matches(family, pattern, x, y):
            for a, b in pattern.apart:
                for least in _least(_one(family, match[a], match[b])):
                    against = _against(least.with_parents(x, y), head, x, y)
                    if against:
                        return against
            return None
    return family


def _situation(family: Family, x: str, y: str) -> Situation:
    shown = family
    for person in family.people:
        if person[0] == "N" and not any(
            person in link[1:] for link in family.links - {(UP, x, person), (UP, y, person)}
        ):
            lone = sum((UP, end, person) in family.links for end in {x, y}) < 2
            if lone:
                shown = Family(
                    frozenset(link for link in shown.links if person not in link), shown.apart
                )
    return Situation(
        relations=frozenset(name for name in RELATIONS if x != y and _holds(family, name, x, y)),
        back=frozenset(name for name in RELATIONS if x != y and _holds(family, name, y, x)),
        size=len({person for link in shown.links for person in link[1:]} | {x, y}),
        facts=_described(shown),
    )


_SAYS = {
    UP: "{a} is a child of {b}",
    WED: "{a} is married to {b}",
    EX: "{a} was married to {b}",
    "god": "{b} is a godparent of {a}",
}


def _described(family: Family) -> tuple[str, ...]:
    """A family as facts; those without a name are P1, P2, …"""
    called: dict[str, str] = {}
    for person in sorted(family.people, key=lambda name: (name[0] not in "XYZ", name)):
        plain = person[0] in "XYZ"
        called[person] = person if plain else f"P{1 + sum(p[0] == 'P' for p in called.values())}"
    lines = []
    for kind, a, b in sorted(family.links):
        one, other = called[a], called[b]
        if kind in (WED, EX) and other < one:
            one, other = other, one
        lines.append(_SAYS[kind].format(a=one, b=other))
    return tuple(dict.fromkeys(sorted(lines)))


EXTENDED = ExtendedSemantics()
