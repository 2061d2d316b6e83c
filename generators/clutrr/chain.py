"""Chains of facts that imply a target, by backward chaining in a scene.

References: K. Sinha et al., CLUTRR (2019), section 3.2.2 of the thesis: for k - 1 times, draw a
subgoal uniformly, then a rule that resolves it.
"""

from typing import Final

from ...errors import InvalidWorld
from ...kb.rules import RuleTable, rule_name
from ...kb.scene import Scene, members
from ...seed import Stream


class Rules:
    """A rule table by number: predicates in the order of the world, and at most one head a body."""

    def __init__(self, table: RuleTable) -> None:
        number = {name: at for at, name in enumerate(table.predicates)}
        size = range(len(table.predicates))
        self.predicates = table.predicates
        self.inverse = [number[table.inverses[name]] for name in table.predicates]
        self.bodies = [
            [(number[first], number[second]) for first, second in table.bodies.get(name, ())]
            for name in table.predicates
        ]
        self.heads = {(*body, head) for head in size for body in self.bodies[head]}
        # What some rule concludes can be an answer, and what some rule rests on can be told.
        self.concluded = frozenset([head for _, _, head in self.heads])
        self.premised = frozenset([part for *body, _ in self.heads for part in body])
        self._proofs: dict[tuple[int, ...], dict[int, int]] = {}
        # By the second predicate, then by the first.
        self._follows = [[-1] * len(size) for _ in size]
        self._names = [[""] * len(size) for _ in size]
        for first, second, head in self.heads:
            if self._follows[second][first] >= 0:
                raise InvalidWorld(
                    f"{table.predicates[first]} and {table.predicates[second]} have two heads; "
                    f"stories need rules that give one answer"
                )
            self._follows[second][first] = head
            body = (table.predicates[first], table.predicates[second])
            self._names[second][first] = rule_name(body, table.predicates[head])

    def name(self, first: int, second: int) -> str:
        """How the rule for a body is written."""
        return self._names[second][first]

    def proofs(self, clause: tuple[int, ...]) -> dict[int, int]:
        """For each predicate that a chain can be put together to, in how many ways."""
        if len(clause) > _REMEMBERED:
            return self._count(clause)
        found = self._proofs.get(clause)
        if found is None:
            found = self._proofs[clause] = self._count(clause)
        return found

    def _count(self, clause: tuple[int, ...]) -> dict[int, int]:
        # For each place what the stretches that end there give, by where they start, and how often.
        gives: list[list[int]] = []
        ways: list[list[int]] = []
        for end, predicate in enumerate(clause):
            given, times = [-1] * (end + 1), [0] * (end + 1)
            given[end], times[end] = predicate, 1
            # What starts later is complete before what is put together with it starts earlier.
            for start in range(end, 0, -1):
                if given[start] < 0:
                    continue
                follows, here = self._follows[given[start]], times[start]
                firsts, before = gives[start - 1], ways[start - 1]
                for origin, first in enumerate(firsts):
                    head = follows[first] if first >= 0 else -1
                    if head >= 0:
                        if -1 != given[origin] != head:
                            return self._count_all(clause)
                        given[origin] = head
                        times[origin] = times[origin] + before[origin] * here
            gives.append(given)
            ways.append(times)
        return {gives[-1][0]: ways[-1][0]} if gives[-1][0] >= 0 else {}

    def _count_all(self, clause: tuple[int, ...]) -> dict[int, int]:
        """The same where a stretch may give one thing or another, as it may by unsound rules."""
        size = len(clause)
        spans: dict[tuple[int, int], dict[int, int]] = {
            (at, at + 1): {predicate: 1} for at, predicate in enumerate(clause)
        }
        for length in range(2, size + 1):
            for start in range(size - length + 1):
                end, found = start + length, spans.setdefault((start, start + length), {})
                for cut in range(start + 1, end):
                    for first, before in spans[start, cut].items():
                        for second, after in spans[cut, end].items():
                            head = self._follows[second][first]
                            if head >= 0:
                                found[head] = found.get(head, 0) + before * after
        return spans[0, size]

    def proof(
        self, clause: tuple[int, ...], head: int, stream: Stream
    ) -> list[tuple[int, int, int]]:
        """Put a chain together to the head somehow: start, middle, end of each step, last first."""
        if len(clause) == 1:
            return []
        ways = [
            (cut, first, second)
            for first, second in self.bodies[head]
            for cut in range(1, len(clause))
            if first in self.proofs(clause[:cut]) and second in self.proofs(clause[cut:])
        ]
        cut, first, second = stream.choice(ways)
        return [
            (0, cut, len(clause)),
            *self.proof(clause[:cut], first, stream),
            *(
                (start + cut, middle + cut, end + cut)
                for start, middle, end in self.proof(clause[cut:], second, stream)
            ),
        ]


_REMEMBERED: Final = 6
"""Of longer chains there are too many to remember, and few come twice."""


class Chain:
    """People from one end to the other, and the steps (x, z, y) that took the target apart."""

    __slots__ = ("people", "steps")

    def __init__(self, people: list[int], steps: list[tuple[int, int, int]]) -> None:
        self.people, self.steps = people, steps


class Chainer:
    """Backward chaining by some rules in one scene."""

    def __init__(self, rules: Rules, scene: Scene) -> None:
        self.rules, self.scene = rules, scene
        self.pairs = [list(scene.pairs(p)) for p in range(len(rules.predicates))]
        size = len(scene.male)
        self._ways: list[list[_Ways | None]] = [[None] * size for _ in range(size)]

    def ways(self, x: int, y: int) -> "_Ways":
        """For each rule that resolves what holds from x to y, those it could go through."""
        found = self._ways[x][y]
        if found is None:
            scene, inverse = self.scene, self.rules.inverse
            sets = [
                scene.related[x][first] & scene.related[y][inverse[second]]
                for first, second in self.rules.bodies[scene.between[x][y]]
            ]
            everyone = 0
            for people in sets:
                everyone |= people
            found = self._ways[x][y] = (everyone, [people for people in sets if people])
        return found

    def derive(self, x: int, y: int, length: int, taken: int, stream: Stream) -> Chain | None:
        """Take what holds from x to y apart into so many facts through people not taken."""
        known, free = self._ways, ~taken
        people = [x, y]
        steps: list[tuple[int, int, int]] = []
        while len(people) <= length:
            at = stream.below(len(people) - 1)
            x, y = people[at], people[at + 1]
            everyone, sets = known[x][y] or self.ways(x, y)
            if not everyone & free:
                # A subgoal that cannot be resolved: draw evenly from those that can.
                goals = [
                    n
                    for n, one in enumerate(people[:-1])
                    if self.ways(one, people[n + 1])[0] & free
                ]
                if not goals:
                    return None
                at = goals[stream.below(len(goals))]
                x, y = people[at], people[at + 1]
                sets = self.ways(x, y)[1]
            among = [through & free for through in sets if through & free]
            through = among[stream.below(len(among))] if len(among) > 1 else among[0]
            if through & (through - 1):
                several = members(through)
                z = several[stream.below(len(several))]
            else:
                z = through.bit_length() - 1
            free &= ~(1 << z)
            people.insert(at + 1, z)
            steps.append((x, z, y))
        steps.reverse()
        return Chain(people, steps)

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
        return Chain(people, steps)

    def path(self, clause: tuple[int, ...], stream: Stream) -> list[int] | None:
        """People along whom the clause holds, none of them twice."""
        starts = list(dict.fromkeys(x for x, _ in self.pairs[clause[0]]))
        stream.shuffle(starts)
        for start in starts:
            found = self._along(clause, [start], 1 << start, stream)
            if found:
                return found
        return None

    def _along(
        self, clause: tuple[int, ...], people: list[int], taken: int, stream: Stream
    ) -> list[int] | None:
        if len(people) > len(clause):
            return people
        others = members(self.scene.related[people[-1]][clause[len(people) - 1]] & ~taken)
        stream.shuffle(others)
        for other in others:
            found = self._along(clause, [*people, other], taken | 1 << other, stream)
            if found:
                return found
        return None

    def detours(self, people: list[int], taken: int) -> int:
        """Those not taken through whom some fact of a chain could be taken apart further."""
        found = 0
        for at in range(len(people) - 1):
            found |= self.ways(people[at], people[at + 1])[0]
        return found & ~taken


_Ways = tuple[int, list[int]]
"""Everyone that what holds between two people could go through, and the same by rule."""
