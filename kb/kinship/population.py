"""Families to check things in: all small ones, and random larger ones."""

from collections.abc import Iterator
from random import Random

from .family import FEMALE, MALE, Family, broken_axioms

_FOUNDER = (-1, -1)


def families(size: int) -> Iterator[Family]:
    """Every family of at most this many people, up to renumbering.

    Numbers are given so that founders come first, then the children of each couple, couples
    ordered by their later-numbered member (then the earlier), and among founders and among
    siblings men first. Any family can be numbered so: number the founders, and then again
    and again the children of that couple, of those with both members numbered, whose later
    member came first; couples that complete later have a later member. So only families in
    this order are built. A family with several such numberings still comes up several times.
    """
    yield from _grown(Family(), (*_FOUNDER, False), size)


def _grown(family: Family, last: tuple[int, int, bool], size: int) -> Iterator[Family]:
    yield family
    person = len(family)
    if person == size:
        return
    origins = [_FOUNDER, *((max(couple), min(couple)) for couple in family.couples())]
    for origin in sorted(origins):
        for gender in (MALE, FEMALE):
            order = (*origin, gender == FEMALE)
            if order < last:
                continue
            born = family.with_person(gender)
            if origin != _FOUNDER:
                born = _with_child(born, origin, person)
            for wed in (born, *(born.with_marriage(person, s) for s in _singles(family))):
                if not broken_axioms(wed):
                    yield from _grown(wed, order, size)


def random_family(rng: Random, size: int) -> Family:
    """A random family of this many people, of one or more lines joined by marriages."""
    family = Family()
    while len(family) < size:
        grown = _GROWTHS[rng.randrange(len(_GROWTHS))](rng, family)
        if len(grown) <= size and not broken_axioms(grown):
            family = grown
    return family


def _founder(rng: Random, family: Family) -> Family:
    return family.with_person(rng.choice((MALE, FEMALE)))


def _newcomer(rng: Random, family: Family) -> Family:
    singles = _singles(family)
    if not singles:
        return family
    single = rng.choice(singles)
    gender = FEMALE if family.genders[single] == MALE else MALE
    return family.with_person(gender).with_marriage(single, len(family))


def _match(rng: Random, family: Family) -> Family:
    singles = _singles(family)
    return family.with_marriage(*rng.sample(singles, 2)) if len(singles) > 1 else family


def _birth(rng: Random, family: Family) -> Family:
    couples = list(family.couples())
    if not couples:
        return family
    born = family.with_person(rng.choice((MALE, FEMALE)))
    return _with_child(born, rng.choice(couples), len(family))


def _parents(rng: Random, family: Family) -> Family:
    orphans = [person for person in range(len(family)) if not family.parents(person)]
    if not orphans:
        return family
    father, mother = len(family), len(family) + 1
    wed = family.with_person(MALE).with_person(FEMALE).with_marriage(father, mother)
    return wed.with_parents(rng.choice(orphans), father, mother)


# Births and marriages are likelier, so that families are of a piece.
_GROWTHS = (_founder, _newcomer, _newcomer, _match, _birth, _birth, _birth, _parents)


def _singles(family: Family) -> list[int]:
    return [person for person in range(len(family)) if family.spouses[person] is None]


def _with_child(family: Family, couple: tuple[int, int], child: int) -> Family:
    one, other = couple
    men_first = family.genders[one] == MALE
    return family.with_parents(child, *((one, other) if men_first else (other, one)))
