"""Chains of facts that imply a target, by backward chaining in a family.

References: K. Sinha et al., CLUTRR (2019), section 3.2.2 of the thesis: for k - 1 times, draw a
subgoal uniformly, then a rule that resolves it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from ...kb.rules import RuleTable
from ...seed import Stream
from .family import PREDICATES, Kin, members

Fact = tuple[int, int, int]
"""(x, predicate, y), all numbers: y is that to x."""


@dataclass(frozen=True)
class Derivation:
    """A path of facts from x to y, and the rule applications that take the target apart."""

    facts: list[Fact]
    steps: list[tuple[Fact, Fact, Fact]]


class Chainer:
    """Backward chaining over one rule table."""

    def __init__(self, rules: RuleTable) -> None:
        number = {name: at for at, name in enumerate(PREDICATES)}
        self._inverse = [number[rules.inverses[name]] for name in PREDICATES]
        self._heads = [
            [
                number[rules.heads[first, second][0]] if (first, second) in rules.heads else -1
                for second in PREDICATES
            ]
            for first in PREDICATES
        ]
        self._bodies = [
            [(number[first], number[second]) for first, second in rules.bodies.get(name, ())]
            for name in PREDICATES
        ]

    def proofs(self, facts: list[Fact]) -> int:
        """How many proofs a chain in a family has: bracketings that every rule agrees with.

        Between two people of a family at most one relation holds, so each stretch of the chain
        composes to one predicate or to none, and only the ways need counting.
        """
        heads, size = self._heads, len(facts)
        composed = [[facts[at][1]] for at in range(size)]
        ways = [[1] for _ in range(size)]
        for length in range(2, size + 1):
            for start in range(size - length + 1):
                found, count = -1, 0
                row, row_ways = composed[start], ways[start]
                for cut in range(length - 1):
                    first = row[cut]
                    if first >= 0:
                        rest = length - cut - 2
                        second = composed[start + cut + 1][rest]
                        if second >= 0:
                            head = heads[first][second]
                            if head >= 0:
                                found = head
                                count += row_ways[cut] * ways[start + cut + 1][rest]
                row.append(found)
                row_ways.append(count)
        return ways[0][-1]

    def detours(self, kin: Kin, facts: list[Fact], taken: int) -> Iterator[int]:
        """People not taken through whom some fact of the chain could be taken apart further."""
        related, inverse = kin.related, self._inverse
        for x, head, y in facts:
            for first, second in self._bodies[head]:
                yield from members(related[x][first] & related[y][inverse[second]] & ~taken)

    def derive(
        self, kin: Kin, target: Fact, length: int, taken: int, stream: Stream
    ) -> Derivation | None:
        """Take the target apart into so many facts through people not taken, if it can be done."""
        related, inverse, bodies, random = kin.related, self._inverse, self._bodies, stream.random
        facts, steps = [target], []
        while len(facts) < length:
            # Subgoals that cannot be resolved are set aside, and the others drawn from evenly.
            open_goals = list(range(len(facts)))
            while open_goals:
                at = open_goals.pop(int(random() * len(open_goals)))
                x, head, y = goal = facts[at]
                ways = []
                for first, second in bodies[head]:
                    between = related[x][first] & related[y][inverse[second]] & ~taken
                    if between:
                        ways.append((first, second, between))
                if ways:
                    first, second, between = ways[int(random() * len(ways))]
                    among = members(between)
                    z = among[int(random() * len(among))]
                    taken |= 1 << z
                    before, after = (x, first, z), (z, second, y)
                    facts[at : at + 1] = (before, after)
                    steps.append((goal, before, after))
                    break
            else:
                return None
        steps.reverse()
        return Derivation(facts, steps)
