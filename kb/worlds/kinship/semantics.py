"""Semantics of the kinship world: all minimal families in which a chain of relations holds."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import count

from ..semantics import Situation, chain_names, walk_chain
from .family import (
    AXIOMS,
    FEMALE,
    MALE,
    RELATIONS,
    WEAK_AXIOMS,
    Axiom,
    Family,
    Paths,
    broken_axioms,
    describe,
    related,
)

Place = tuple[Family, int]


@dataclass(frozen=True, eq=False)
class FamilySemantics:
    """Kinship relations, interpreted in families.

    Why its situations suffice is in docs/kinship.md.
    """

    relations: Paths
    axioms: tuple[Axiom, ...] = AXIOMS

    @property
    def predicates(self) -> frozenset[str]:
        """All kinship relations."""
        return frozenset(self.relations)

    @cache  # noqa: B019 - few instances, module constants
    def situations(self, chain: tuple[str, ...], *, closed: bool = False) -> tuple[Situation, ...]:
        """Return all families made by a walk along the chain, up to the order of building."""
        distinct = {}
        for gender in (MALE, FEMALE):
            start = Family().with_person(gender)
            for family, people in walk_chain(start, (0,), chain, closed, self._relatives):
                names = _names(people, closed, len(family))
                situation = self._situation(family, people[0], people[-1], names)
                distinct[situation.facts, situation.relations] = situation
        return tuple(distinct.values())

    def _situation(
        self, family: Family, first: int, last: int, names: tuple[str, ...]
    ) -> Situation:
        onward, back = (related(family, person, self.relations) for person in (first, last))
        return Situation(
            relations=frozenset(name for name, relatives in onward.items() if last in relatives),
            reverse_relations=frozenset(
                name for name, relatives in back.items() if first in relatives
            ),
            size=len(family),
            facts=describe(family, names),
        )

    def _relatives(self, family: Family, person: int, relation: str) -> Iterator[Place]:
        for path in self.relations[relation]:
            yield from self._follow_path(family, person, path)

    def _follow_path(self, family: Family, person: int, path: tuple[str, ...]) -> Iterator[Place]:
        if not path:
            yield family, person
            return
        for grown, place in self._take_step(family, person, path[0]):
            yield from self._follow_path(grown, place, path[1:])

    def _take_step(self, family: Family, person: int, step: str) -> Iterator[Place]:
        """Yield everyone one step away from a person, in this family or in one grown for it."""
        if step == "wed":
            for grown in self._with_spouse(family, person):
                spouse = grown.spouses[person]
                assert spouse is not None
                yield grown, spouse
        elif step == "up":
            for grown in self._with_parents(family, person):
                yield from ((grown, parent) for parent in grown.parents(person))
        elif step == "down":
            for grown in self._with_spouse(family, person):
                yield from self._with_child(grown, person)
        else:
            for grown in self._with_parents(family, person):
                for place in self._with_child(grown, grown.parents(person)[0]):
                    if place[1] != person:
                        yield place

    def _is_allowed(self, family: Family) -> bool:
        return not broken_axioms(family, self.axioms)

    def _with_spouse(self, family: Family, person: int) -> Iterator[Family]:
        """Yield families in which the person has a spouse: a known single, or a new person."""
        if family.spouses[person] is not None:
            yield family
            return
        other_gender = FEMALE if family.genders[person] == MALE else MALE
        singles = [p for p in range(len(family)) if family.spouses[p] is None]
        grown = [family.with_marriage(person, single) for single in singles if single != person]
        grown.append(family.with_person(other_gender).with_marriage(person, len(family)))
        yield from filter(self._is_allowed, grown)

    def _with_parents(self, family: Family, person: int) -> Iterator[Family]:
        """Yield families in which the person has parents: known people, or new ones."""
        if family.parents(person):
            yield family
            return
        fathers = [(family, p) for p in range(len(family)) if family.genders[p] == MALE]
        for wider, father in [*fathers, (family.with_person(MALE), len(family))]:
            for grown in self._with_spouse(wider, father):
                mother = grown.spouses[father]
                assert mother is not None
                born = grown.with_parents(person, father, mother)
                if self._is_allowed(born):
                    yield born

    def _with_child(self, family: Family, parent: int) -> Iterator[Place]:
        """Yield children of a married person: known ones, orphans given to the couple, or new."""
        for child in family.children(parent):
            yield family, child
        spouse = family.spouses[parent]
        assert spouse is not None
        father, mother = (parent, spouse) if family.genders[parent] == MALE else (spouse, parent)
        for child in range(len(family)):
            if not family.parents(child):
                grown = family.with_parents(child, father, mother)
                if self._is_allowed(grown):
                    yield grown, child
        for gender in (MALE, FEMALE):
            yield (
                family.with_person(gender).with_parents(len(family), father, mother),
                len(family),
            )


def _names(people: tuple[int, ...], closed: bool, size: int) -> tuple[str, ...]:
    """Name the people of a situation, the unnamed ones P1, P2, …"""
    named = dict(zip(people, chain_names(len(people) - 1, closed=closed), strict=True))
    unnamed = (f"P{n}" for n in count(1))
    return tuple(named.get(person) or next(unnamed) for person in range(size))


FAMILY = FamilySemantics(RELATIONS)
WEAK_FAMILY = FamilySemantics(RELATIONS, WEAK_AXIOMS)
