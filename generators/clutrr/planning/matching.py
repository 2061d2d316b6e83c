"""Whether a story fits a scene in more ways than one: then its answer is open."""

from collections.abc import Sequence
from typing import Final

from ....kb.worlds.scene import Scene, members

Link = tuple[int, int, int]
"""A fact by number, (x, predicate, y): y is that to x."""

_STEPS: Final = 2000
"""So many people are tried for those of a story, once its ends are fixed."""
_ENDS: Final = 100
"""So many pairs of people are tried for its ends."""
_ALL_STEPS: Final = 10 * _STEPS
"""So many people are tried in all; a story that is open, but not soon seen to be, is given up."""


def is_open(
    scene: Scene, gender: Sequence[int], chain: Sequence[Link], noise: Sequence[Link]
) -> bool:
    """Whether all that is told can be true of people whose ends are related in different ways.

    Two ways are proof enough. That none was found proves nothing.
    """
    alike = [0, 0, 0]
    for person, its in enumerate(scene.gender):
        alike[its] |= 1 << person
    near, others = _parts(chain, noise)
    facts, last = near + others, len(chain)
    fitting = _narrowed(scene, facts, [alike[its] for its in gender])
    relations: set[int] = set()
    ends, steps = _ENDS, _ALL_STEPS
    for first in members(fitting[0]):
        reached = 1 << first
        for n, (_, predicate, _) in enumerate(chain):
            reached = _related(scene, reached, predicate) & fitting[n + 1]
        for end in members(reached & ~(1 << first)):
            relation = scene.between[first][end]
            if relation in relations:
                continue
            if ends == 0 or steps <= 0:
                return False
            fixed = fitting.copy()
            fixed[0], fixed[last] = 1 << first, 1 << end
            fixed = _apart(scene, near, _narrowed(scene, near, fixed))
            placing = _Placing(scene, facts, fixed)
            if all(fixed) and placing.succeeds():
                relations.add(relation)
                if len(relations) > 1:
                    return True
            ends -= 1
            steps -= _STEPS - placing.left
    return False


def _parts(chain: Sequence[Link], noise: Sequence[Link]) -> tuple[list[Link], list[Link]]:
    """The facts that people connect to the chain, and those of others, who fit anywhere.

    Were others placed first, whoever is connected would be tried anew for each of their places.
    """
    known, near = set(range(len(chain) + 1)), list(chain)
    others: list[Link] = []
    for x, predicate, y in noise:
        if x in known or y in known:
            known |= {x, y}
            near.append((x, predicate, y))
        else:
            others.append((x, predicate, y))
    return near, others


def _related(scene: Scene, people: int, predicate: int) -> int:
    """All who are that to somebody of these people."""
    related = 0
    for person in members(people):
        related |= scene.related[person][predicate]
    return related


def _narrowed(scene: Scene, facts: list[Link], fitting: list[int]) -> list[int]:
    """Of those who fit each person of a story, those who fit beside some who fit the others.

    Facts make no circle, so what is left fits as a whole, but for people taken twice.
    """
    fitting, before = fitting.copy(), [0]
    while fitting != before:
        before = fitting.copy()
        for x, predicate, y in facts:
            fitting[y] &= _related(scene, fitting[x], predicate)
        for x, predicate, y in reversed(facts):
            among = fitting[x]
            for person in members(among):
                if not scene.related[person][predicate] & fitting[y]:
                    among ^= 1 << person
            fitting[x] = among
    return fitting


def _apart(scene: Scene, facts: list[Link], fitting: list[int]) -> list[int]:
    """What is left where whoever fits one person alone is taken, so that it fits no other."""
    settled = -1
    while True:
        alone = 0
        for people in fitting:
            if people & (people - 1) == 0:
                if alone & people or not people:
                    return [0]
                alone |= people
        if alone == settled:
            return fitting
        settled = alone
        left: list[int] = []
        for people in fitting:
            left.append(people if people & (people - 1) == 0 else people & ~alone)
        fitting = _narrowed(scene, facts, left)


class _Placing:
    """Takes people of the scene for those of a story, nobody for two, fact by fact."""

    def __init__(self, scene: Scene, facts: list[Link], fitting: list[int]) -> None:
        self.scene, self.facts, self.fitting = scene, facts, fitting
        self.people = [-1] * len(fitting)
        self.left = _STEPS

    def succeeds(self) -> bool:
        """Whether a way was found soon."""
        return self._fact(0, 0)

    def _fact(self, number: int, taken: int) -> bool:
        if number == len(self.facts):
            return True
        x, predicate, y = self.facts[number]
        people, related = self.people, self.scene.related
        if people[x] < 0 and people[y] < 0:
            return self._somebody(x, self.fitting[x], number, taken)
        if people[x] < 0:
            among = 0
            for person in members(self.fitting[x]):
                if related[person][predicate] >> people[y] & 1:
                    among |= 1 << person
            return self._somebody(x, among, number, taken)
        among = related[people[x]][predicate] & self.fitting[y]
        if people[y] < 0:
            return self._somebody(y, among, number, taken)
        return among >> people[y] & 1 == 1 and self._fact(number + 1, taken)

    def _somebody(self, who: int, among: int, number: int, taken: int) -> bool:
        """Try each of some people for one of the story, and go on with the same fact."""
        for person in members(among & ~taken):
            self.left -= 1
            if self.left < 0:
                return False
            self.people[who] = person
            if self._fact(number, taken | 1 << person):
                return True
            self.people[who] = -1
        return False
