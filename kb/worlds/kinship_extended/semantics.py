"""Semantics of the extended kinship world: least families, and identifications in them."""

from collections.abc import Iterator
from functools import cache
from itertools import combinations, product

from ..semantics import Situation, chain_names
from .family import (
    EX,
    RELATIONS,
    REPAIRABLE_AXIOMS,
    UP,
    WED,
    ExtendedFamily,
    Link,
    Pattern,
    broken_axioms,
)


class ExtendedSemantics:
    """Kinship with half and step relations, interpreted in families.

    Why its situations suffice is in docs/kinship-extended.md.
    """

    predicates = frozenset(RELATIONS)

    @cache  # noqa: B019 - one instance, lives forever
    def situations(self, chain: tuple[str, ...], *, closed: bool = False) -> tuple[Situation, ...]:
        """Return the least families for the chain, and for each head a counterexample if any."""
        names = chain_names(len(chain), closed=closed)
        ends = names[0], names[-1]
        families = [
            least.with_parents(*dict.fromkeys(ends))
            for chosen in product(*(RELATIONS[name] for name in chain))
            for least in _least_families(_join_patterns(names, chosen))
        ]
        if not closed:
            for head in sorted(RELATIONS):
                if families and all(_holds(family, head, *ends) for family in families):
                    counterexamples = (_counterexample(family, head, *ends) for family in families)
                    families += [family for family in counterexamples if family][:1]
        distinct = {}
        for family in families:
            situation = _situation(family, *ends)
            distinct[situation.facts, situation.relations] = situation
        return tuple(distinct.values())


def _join_patterns(names: tuple[str, ...], chosen: tuple[Pattern, ...]) -> ExtendedFamily:
    """Put the patterns of a chain together; names are distinct people."""
    links: set[Link] = set()
    distinct = set(combinations(dict.fromkeys(names), 2))
    for number, pattern in enumerate(chosen):
        name = {"x": names[number], "y": names[number + 1]}

        def called(person: str, name: dict[str, str] = name, number: int = number) -> str:
            return name.get(person, f"{person}_{number}")

        links |= {(kind, called(a), called(b)) for kind, a, b in pattern.links}
        distinct |= {(called(a), called(b)) for a, b in pattern.distinct}
    return ExtendedFamily(frozenset(links), frozenset(distinct))


def _least_families(family: ExtendedFamily) -> Iterator[ExtendedFamily]:
    """Yield the families in which excess parents or spouses are identified."""
    broken = broken_axioms(family)
    if set(broken).difference(REPAIRABLE_AXIOMS):
        return
    if not broken:
        yield family
        return
    for a, b in combinations(_excess_relatives(family), 2):
        # Later pairs are tried with the earlier ones distinct: no family comes twice.
        yield from _least_families(_identify(family, a, b))
        family = ExtendedFamily(family.links, family.distinct | {(a, b)})


def _excess_relatives(family: ExtendedFamily) -> list[str]:
    """Return three or more parents of a person, or two who are kin, or two spouses."""
    for person in family.people:
        parents = family.parents(person)
        if len(parents) > 2 or (len(parents) == 2 and family.are_kin(*parents)):
            return parents
        spouses = {b for kind, a, b in family.links if kind == WED and a == person}
        spouses |= {a for kind, a, b in family.links if kind == WED and b == person}
        if len(spouses) > 1:
            return sorted(spouses)
    raise AssertionError("the axioms say that somebody has too many")


def _identify(family: ExtendedFamily, a: str, b: str) -> ExtendedFamily:
    """Identify two people, keeping the name of a person of the chain if there is one."""
    return family.identified(b, a) if b[0] in "XYZ" else family.identified(a, b)


def _matches(family: ExtendedFamily, pattern: Pattern, x: str, y: str) -> Iterator[dict[str, str]]:
    facing = {(kind, b, a) for kind, a, b in family.links if kind in (WED, EX)}
    links = sorted(family.links | facing)
    # Links that touch known people come first.
    ordered: list[Link] = []
    known, left = {"x", "y"}, list(pattern.links)
    while left:
        link = next((one for one in left if known & set(one[1:])), left[0])
        left.remove(link)
        ordered.append(link)
        known |= set(link[1:])

    def extend(number: int, found: dict[str, str]) -> Iterator[dict[str, str]]:
        if number == len(ordered):
            if all(found[a] != found[b] for a, b in pattern.distinct):
                yield found
            return
        kind, a, b = ordered[number]
        for its, one, other in links:
            if its == kind and found.get(a, one) == one and found.get(b, other) == other:
                yield from extend(number + 1, found | {a: one, b: other})

    return extend(0, {"x": x, "y": y})


def _holds(family: ExtendedFamily, relation: str, x: str, y: str) -> bool:
    return any(True for pattern in RELATIONS[relation] for _ in _matches(family, pattern, x, y))


def _counterexample(family: ExtendedFamily, head: str, x: str, y: str) -> ExtendedFamily | None:
    """Return the family, or one with more people identified, in which the head does not hold."""
    for pattern in RELATIONS[head]:
        for match in _matches(family, pattern, x, y):
            for a, b in pattern.distinct:
                for least in _least_families(_identify(family, match[a], match[b])):
                    found = _counterexample(least.with_parents(x, y), head, x, y)
                    if found:
                        return found
            return None
    return family


def _situation(family: ExtendedFamily, x: str, y: str) -> Situation:
    shown = family
    for person in family.people:
        parent_links = {(UP, end, person) for end in (x, y)} & family.links
        others = (link for link in family.links - parent_links if person in link[1:])
        if person[0] == "N" and len(parent_links) < 2 and not any(others):
            kept = frozenset(link for link in shown.links if person not in link)
            shown = ExtendedFamily(kept, shown.distinct)
    return Situation(
        relations=frozenset(name for name in RELATIONS if x != y and _holds(family, name, x, y)),
        reverse_relations=frozenset(
            name for name in RELATIONS if x != y and _holds(family, name, y, x)
        ),
        size=len({person for link in shown.links for person in link[1:]} | {x, y}),
        facts=_describe(shown),
    )


_SENTENCES = {
    UP: "{a} is a child of {b}",
    WED: "{a} is married to {b}",
    EX: "{a} was married to {b}",
    "god": "{b} is a godparent of {a}",
}


def _describe(family: ExtendedFamily) -> tuple[str, ...]:
    """Describe each link in one line; unnamed people are P1, P2, …"""
    called: dict[str, str] = {}
    for person in sorted(family.people, key=lambda name: (name[0] not in "XYZ", name)):
        plain = person[0] in "XYZ"
        called[person] = person if plain else f"P{1 + sum(p[0] == 'P' for p in called.values())}"
    lines = []
    for kind, a, b in sorted(family.links):
        one, other = called[a], called[b]
        if kind in (WED, EX) and other < one:
            one, other = other, one
        lines.append(_SENTENCES[kind].format(a=one, b=other))
    return tuple(dict.fromkeys(sorted(lines)))


EXTENDED = ExtendedSemantics()
