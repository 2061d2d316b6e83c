"""The families that stories are taken from: grown at random, completed by what relations mean."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from operator import or_

from ...kb.kinship.family import RELATIONS
from ...seed import Stream

PREDICATES = tuple(RELATIONS)


@dataclass(frozen=True)
class Kin:
    """Everyone of a family, for each person and predicate the set of those so related, and all.

    Sets of people are whole numbers with a bit for each, so that they meet in one operation.
    """

    male: tuple[bool, ...]
    related: tuple[tuple[int, ...], ...]
    near: tuple[int, ...]
    between: dict[tuple[int, int], int]

    def pairs(self, predicate: int) -> Iterator[tuple[int, int]]:
        """All (x, y) where y is that to x."""
        for x, others in enumerate(self.related):
            for y in members(others[predicate]):
                yield x, y


def members(people: int) -> list[int]:
    """The people of a set, in order."""
    found = []
    while people:
        lowest = people & -people
        found.append(lowest.bit_length() - 1)
        people ^= lowest
    return found


def grow(stream: Stream, people: int, children: int, marriage: float) -> Kin:
    """A family of about so many people: founders, then generations that marry and have children.

    Nobody marries kin, so no two relations ever hold between the same two people.
    """
    male: list[bool] = []
    up: list[int] = []
    down: list[int] = []
    wed: list[int] = []
    clan: list[int] = []

    def person(is_male: bool, clans: int, parents: int = 0) -> int:
        male.append(is_male)
        up.append(parents)
        down.append(0)
        wed.append(0)
        clan.append(clans)
        return len(male) - 1

    def marry(one: int, other: int) -> None:
        wed[one], wed[other] = 1 << other, 1 << one
        brood = 0
        both = clan[one] | clan[other]
        for _ in range(1 + stream.below(children)):
            if len(male) >= people:
                break
            child = person(stream.random() < 0.5, both, 1 << one | 1 << other)
            brood |= 1 << child
            single.append(child)
        down[one] = down[other] = brood

    single: list[int] = []
    for founder in range(2):
        couple = person(True, 1 << founder), person(False, 1 << founder)
        marry(*couple)
    newcomers = 2
    unmarried: list[int] = []
    while len(male) < people:
        if not single:
            # Too few married for a family of that size: ask the others again.
            single, unmarried = unmarried, []
        one = single.pop(0)
        if stream.random() >= marriage:
            unmarried.append(one)
            continue
        matches = [p for p in single if male[p] != male[one] and not clan[p] & clan[one]]
        if matches and stream.random() < 0.5:
            other = stream.choice(matches)
            single.remove(other)
        else:
            other = person(not male[one], 1 << newcomers)
            newcomers += 1
        marry(one, other)
    return _complete(male, up, down, wed)


def _complete(male: list[bool], up: list[int], down: list[int], wed: list[int]) -> Kin:
    side = []
    for person, parents in enumerate(up):
        brood = down[members(parents)[0]] if parents else 0
        side.append(brood & ~(1 << person))
    steps = {"up": up, "down": down, "side": side, "wed": wed}
    related = []
    between = {}
    for person in range(len(male)):
        row = []
        for predicate, paths in enumerate(RELATIONS.values()):
            found = 0
            for path in paths:
                reached = 1 << person
                for step in path:
                    links, beyond = steps[step], 0
                    for place in members(reached):
                        beyond |= links[place]
                    reached = beyond
                found |= reached
            row.append(found)
            for other in members(found):
                between[person, other] = predicate
        related.append(tuple(row))
    near = tuple(reduce(or_, row) for row in related)
    return Kin(tuple(male), tuple(related), near, between)
