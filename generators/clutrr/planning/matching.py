"""Search for different ways to match a story with a scene: two prove its answer undetermined."""

from collections.abc import Sequence
from typing import Final

from ....kb.worlds.scene import Scene, members
from ..story import IndexedFact

_MAX_STEPS_PER_ENDS: Final = 2000
"""People tried for those of a story, once its ends are fixed."""
_MAX_ENDS: Final = 100
"""Pairs of people tried for the ends of a story."""
_MAX_STEPS: Final = 10 * _MAX_STEPS_PER_ENDS
"""People tried in all; a story that is not soon proved undetermined is given up."""


def is_undetermined(
    scene: Scene, gender: Sequence[int], chain: Sequence[IndexedFact], others: Sequence[IndexedFact]
) -> bool:
    """Return whether all facts can be true of people whose ends are related in different ways.

    True is proved by two matches in the scene; False proves nothing.
    """
    by_gender = [0, 0, 0]
    for person, number in enumerate(scene.gender):
        by_gender[number] |= 1 << person
    near, apart = _connected_first(chain, others)
    facts, last = near + apart, len(chain)
    candidates = _consistent(scene, facts, [by_gender[number] for number in gender])
    relations: set[int] = set()
    ends_left, steps_left = _MAX_ENDS, _MAX_STEPS
    for first in members(candidates[0]):
        reached = 1 << first
        for n, (_, predicate, _) in enumerate(chain):
            reached = _related(scene, reached, predicate) & candidates[n + 1]
        for end in members(reached & ~(1 << first)):
            relation = scene.between[first][end]
            if relation in relations:
                continue
            if ends_left == 0 or steps_left <= 0:
                return False
            fixed = candidates.copy()
            fixed[0], fixed[last] = 1 << first, 1 << end
            fixed = _all_different(scene, near, _consistent(scene, near, fixed))
            search = _Backtracking(scene, facts, fixed)
            if all(fixed) and search.match(0, 0):
                relations.add(relation)
                if len(relations) > 1:
                    return True
            ends_left -= 1
            steps_left -= _MAX_STEPS_PER_ENDS - search.steps_left
    return False


def _connected_first(
    chain: Sequence[IndexedFact], others: Sequence[IndexedFact]
) -> tuple[list[IndexedFact], list[IndexedFact]]:
    """Separate the facts connected to the chain from those about people who fit anywhere.

    If the latter were matched first, the former would be tried again for each of their matches.
    """
    known, near = set(range(len(chain) + 1)), list(chain)
    apart: list[IndexedFact] = []
    for x, predicate, y in others:
        if x in known or y in known:
            known |= {x, y}
            near.append((x, predicate, y))
        else:
            apart.append((x, predicate, y))
    return near, apart


def _related(scene: Scene, people: int, predicate: int) -> int:
    """Return all who are that to one of these people."""
    related = 0
    for person in members(people):
        related |= scene.related[person][predicate]
    return related


def _consistent(scene: Scene, facts: list[IndexedFact], candidates: list[int]) -> list[int]:
    """Return the candidates for each person that are consistent with candidates for the others.

    The facts have no cycle, so the rest matches as a whole, except for people used twice.
    """
    candidates, before = candidates.copy(), [0]
    while candidates != before:
        before = candidates.copy()
        for x, predicate, y in facts:
            candidates[y] &= _related(scene, candidates[x], predicate)
        for x, predicate, y in reversed(facts):
            among = candidates[x]
            for person in members(among):
                if not scene.related[person][predicate] & candidates[y]:
                    among ^= 1 << person
            candidates[x] = among
    return candidates


def _all_different(scene: Scene, facts: list[IndexedFact], candidates: list[int]) -> list[int]:
    """Remove sole candidates from all other people, repeatedly; [0] where two share one."""
    settled = -1
    while True:
        sole = 0
        for people in candidates:
            if people & (people - 1) == 0:
                if sole & people or not people:
                    return [0]
                sole |= people
        if sole == settled:
            return candidates
        settled = sole
        left: list[int] = []
        for people in candidates:
            left.append(people if people & (people - 1) == 0 else people & ~sole)
        candidates = _consistent(scene, facts, left)


class _Backtracking:
    """Backtracking search that matches the people of a story with different people of a scene."""

    def __init__(self, scene: Scene, facts: list[IndexedFact], candidates: list[int]) -> None:
        self.scene, self.facts, self.candidates = scene, facts, candidates
        self.people = [-1] * len(candidates)
        self.steps_left = _MAX_STEPS_PER_ENDS

    def match(self, number: int, used: int) -> bool:
        """Return whether the facts from this number on were matched within the step limit."""
        if number == len(self.facts):
            return True
        x, predicate, y = self.facts[number]
        people, related = self.people, self.scene.related
        if people[x] < 0 and people[y] < 0:
            return self._try_each(x, self.candidates[x], number, used)
        if people[x] < 0:
            among = 0
            for person in members(self.candidates[x]):
                if related[person][predicate] >> people[y] & 1:
                    among |= 1 << person
            return self._try_each(x, among, number, used)
        among = related[people[x]][predicate] & self.candidates[y]
        if people[y] < 0:
            return self._try_each(y, among, number, used)
        return among >> people[y] & 1 == 1 and self.match(number + 1, used)

    def _try_each(self, who: int, among: int, number: int, used: int) -> bool:
        """Try each of some people for one of the story, and go on with the same fact."""
        for person in members(among & ~used):
            self.steps_left -= 1
            if self.steps_left < 0:
                return False
            self.people[who] = person
            if self.match(number, used | 1 << person):
                return True
            self.people[who] = -1
        return False
