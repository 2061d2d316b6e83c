"""Chains of facts that imply a target, by backward chaining in a scene.

References: K. Sinha et al., CLUTRR (2019), section 3.2.2 of the thesis: for k - 1 times, draw a
subgoal uniformly, then a rule that resolves it.
"""

from typing import Final

from ...errors import InvalidWorld
from ...kb.rules import Rules
from ...kb.scene import Scene, members
from ...seed import Stream

Chain = tuple[list[int], list[tuple[int, int, int]]]
"""People from one end to the other, and the steps (x, z, y) that took the target apart."""

_Ways = tuple[int, list[int]]
"""Everyone that what holds between two people could go through, and the same by rule."""


_MANY: Final = 3
"""What leads to so many answers leads to many."""


def fit_for_stories(rules: Rules) -> Rules:
    """The rules, if a chain has one answer by them."""
    names = rules.predicates
    for first, second in rules.ambiguous:
        raise InvalidWorld(
            f"{names[first]} and {names[second]} have two heads; "
            f"stories need rules that give one answer"
        )
    return rules


class Chainer:
    """Backward chaining by some rules in one scene.

    Ways between two people are noted as they are met: a list of lists, since a cache that hashes
    its arguments would take longer than most of what it spares.
    """

    def __init__(self, rules: Rules, scene: Scene) -> None:
        self.rules, self.scene = rules, scene
        self.pairs = [list(scene.pairs(p)) for p in range(len(rules.predicates))]
        size = len(scene.male)
        self._ways: list[list[_Ways | None]] = [[None] * size for _ in range(size)]

    def ways(self, x: int, y: int) -> _Ways:
        """For each rule that resolves what holds from x to y, those it could go through."""
        ways = self._ways[x][y]
        if ways is None:
            scene, inverse = self.scene, self.rules.inverse
            sets = [
                scene.related[x][first] & scene.related[y][inverse[second]]
                for first, second in self.rules.bodies[scene.between[x][y]]
            ]
            everyone = 0
            for people in sets:
                everyone |= people
            ways = self._ways[x][y] = (everyone, [people for people in sets if people])
        return ways

    def derive(self, x: int, y: int, length: int, taken: int, stream: Stream) -> Chain | None:
        """Take what holds from x to y apart into so many facts through people not taken."""
        noted, free = self._ways, ~taken
        people = [x, y]
        steps: list[tuple[int, int, int]] = []
        while len(people) <= length:
            goal = stream.below(len(people) - 1)
            x, y = people[goal], people[goal + 1]
            everyone, sets = noted[x][y] or self.ways(x, y)
            if not everyone & free:
                # A subgoal that cannot be resolved: draw evenly from those that can.
                goals = [
                    n
                    for n in range(len(people) - 1)
                    if self.ways(people[n], people[n + 1])[0] & free
                ]
                if not goals:
                    return None
                goal = goals[stream.below(len(goals))]
                x, y = people[goal], people[goal + 1]
                sets = self.ways(x, y)[1]
            among = [through & free for through in sets if through & free]
            through = among[stream.below(len(among))] if len(among) > 1 else among[0]
            if through & (through - 1):
                several = members(through)
                z = several[stream.below(len(several))]
            else:
                z = through.bit_length() - 1
            free &= ~(1 << z)
            people.insert(goal + 1, z)
            steps.append((x, z, y))
        steps.reverse()
        return people, steps

    def share(self, x: int, y: int, length: int, stream: Stream) -> Chain | None:
        """The same, but for one end, so that with other ends the rest has other answers."""
        scene, rules = self.scene, self.rules
        related, inverse = scene.related, rules.inverse
        last = stream.random() < 0.5
        ends: list[int] = []
        for first, second in rules.bodies[scene.between[x][y]]:
            shared = rules.onward[first] if last else rules.backward[second]
            if len({head for _, head in shared}) >= _MANY:
                through = related[x][first] & related[y][inverse[second]]
                if through:
                    ends.append(through)
        if not ends:
            return None
        several = members(ends[stream.below(len(ends))])
        z = several[stream.below(len(several))]
        taken = 1 << x | 1 << y | 1 << z
        chain = self.derive(x, z, length - 1, taken, stream) if last else None
        if not last:
            chain = self.derive(z, y, length - 1, taken, stream)
        if chain is None:
            return None
        people, steps = chain
        people.insert(len(people) if last else 0, y if last else x)
        steps.append((x, z, y))
        return people, steps

    def follow(self, clause: tuple[int, ...], head: int, stream: Stream) -> Chain | None:
        """People along whom the clause holds, if there are any, and a proof of the head from it."""
        people = self.path(clause, stream)
        if people is None:
            return None
        places, between = self.rules.proof(clause, head, stream), self.scene.between
        steps = [(people[a], people[b], people[c]) for a, b, c in reversed(places)]
        # Where rules do not always hold, what they conclude may not be so here.
        for x, z, y in steps:
            if (between[x][z], between[z][y], between[x][y]) not in self.rules.heads:
                return None
        return people, steps

    def path(self, clause: tuple[int, ...], stream: Stream) -> list[int] | None:
        """People along whom the clause holds, none of them twice."""
        starts = list(dict.fromkeys(x for x, _ in self.pairs[clause[0]]))
        stream.shuffle(starts)
        for start in starts:
            people = self._along(clause, [start], 1 << start, stream)
            if people:
                return people
        return None

    def _along(
        self, clause: tuple[int, ...], people: list[int], taken: int, stream: Stream
    ) -> list[int] | None:
        if len(people) > len(clause):
            return people
        following = members(self.scene.related[people[-1]][clause[len(people) - 1]] & ~taken)
        stream.shuffle(following)
        for person in following:
            whole = self._along(clause, [*people, person], taken | 1 << person, stream)
            if whole:
                return whole
        return None

    def detours(self, people: list[int], taken: int) -> int:
        """Those not taken through whom some fact of a chain could be taken apart further."""
        through = 0
        for n in range(len(people) - 1):
            through |= self.ways(people[n], people[n + 1])[0]
        return through & ~taken
