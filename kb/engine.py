"""The rule engine: what follows from facts, and every way in which a chain composes.

It knows nothing of any world. Inside, predicates are numbers, a set of predicates is an int
with a bit for each, and two sets compose by one look into a table.

References: chains are derived as in D. H. Younger, Recognition and parsing of context-free
languages in time n^3, Information and Control 10 (1967), with compositions for grammar.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence

from ..errors import NotFound
from .proof import Fact, Proof, Step
from .rules import INVERSE, RuleTable, rule_name


class Engine:
    """Derives facts and chains by one rule table."""

    def __init__(self, rules: RuleTable) -> None:
        self.rules = rules
        self._bit = {name: 1 << n for n, name in enumerate(rules.predicates)}
        self._composed: dict[int, int] = {}

    def derive(self, chain: Sequence[str]) -> frozenset[str]:
        """Every predicate that some bracketing of the chain derives from its first to last."""
        return self._names(self._chart(chain)[0][-1]) if chain else frozenset()

    def count(self, chain: Sequence[str]) -> dict[str, int]:
        """How many proofs of each predicate the chain has: bracketings, and rules for each."""
        size = len(chain)
        spans = {(i, i + 1): {name: 1} for i, name in enumerate(chain)}
        for length in range(2, size + 1):
            for i in range(size - length + 1):
                span: dict[str, int] = {}
                for k in range(i + 1, i + length):
                    for first, m in spans[i, k].items():
                        for second, n in spans[k, i + length].items():
                            for head in self.rules.heads.get((first, second), ()):
                                span[head] = span.get(head, 0) + m * n
                spans[i, i + length] = span
        return spans.get((0, size), {})

    def proofs(self, entities: Sequence[str], chain: Sequence[str], head: str) -> Iterator[Proof]:
        """Every proof that the last entity along the chain is the head of the first."""
        chart, bit = self._chart(chain), self._bit

        def trees(i: int, j: int, goal: str) -> Iterator[Proof]:
            if j == i + 1:
                yield []
                return
            for k in range(i + 1, j):
                here, there = chart[i][k - i - 1], chart[k][j - k - 1]
                for first, second in self.rules.bodies.get(goal, ()):
                    if not (here & bit[first] and there & bit[second]):
                        continue
                    step = Step(
                        conclusion=(entities[i], goal, entities[j]),
                        premises=[
                            (entities[i], first, entities[k]),
                            (entities[k], second, entities[j]),
                        ],
                        rule=rule_name((first, second), goal),
                    )
                    for before in trees(i, k, first):
                        for after in trees(k, j, second):
                            yield [*before, *after, step]

        if chart and chart[0][-1] & self._known(head):
            yield from trees(0, len(chain), head)

    def closure(self, facts: Iterable[Fact]) -> dict[Fact, Step | None]:
        """All that follows from facts by rules and inverses, with a step for what is not given.

        What follows does not depend on the order of the facts; which step is noted may.
        """
        known: dict[Fact, Step | None] = {}
        onward: dict[str, list[Fact]] = {}
        into: dict[str, list[Fact]] = {}
        ahead: deque[tuple[Fact, Step | None]] = deque((fact, None) for fact in facts)
        while ahead:
            fact, step = ahead.popleft()
            x, name, y = fact
            # Names denote distinct entities, so nothing is related to itself.
            if fact in known or x == y:
                continue
            known[fact] = step
            onward.setdefault(x, []).append(fact)
            into.setdefault(y, []).append(fact)
            if inverse := self.rules.inverses.get(name):
                back = (y, inverse, x)
                ahead.append((back, Step(conclusion=back, premises=[fact], rule=INVERSE)))
            pairs = [(fact, after) for after in onward.get(y, ())]
            pairs += [(before, fact) for before in into.get(x, ())]
            for before, after in pairs:
                body = (before[1], after[1])
                for head in self.rules.heads.get(body, ()):
                    new = (before[0], head, after[2])
                    if new not in known:
                        rule = rule_name(body, head)
                        premises = [before, after]
                        ahead.append((new, Step(conclusion=new, premises=premises, rule=rule)))
        return known

    def prove(self, facts: Iterable[Fact], goal: Fact) -> Proof | None:
        """A proof of the goal by rules and inverses: empty if given, None if there is none."""
        known = self.closure(facts)
        if goal not in known:
            return None
        proof: dict[Fact, Step] = {}

        def collect(fact: Fact) -> None:
            step = known[fact]
            if step and fact not in proof:
                for premise in step["premises"]:
                    collect(premise)
                proof[fact] = step

        collect(goal)
        return list(proof.values())

    def _chart(self, chain: Sequence[str]) -> list[list[int]]:
        """For each entity of the chain, what the next, the one after … are to it, as bits."""
        size, width, composed = len(chain), len(self._bit), self._composed
        rows = [[self._known(name)] for name in chain]
        # columns[j] holds the same for entity j + 1 as seen from entity j, j - 1, …
        columns = [[row[0]] for row in rows]
        for length in range(1, size):
            for row, column in zip(rows, columns[length:], strict=False):
                found = 0
                for first, second in zip(row, reversed(column), strict=True):
                    if first and second:
                        key = first << width | second
                        if key not in composed:
                            composed[key] = self._compose(first, second)
                        found |= composed[key]
                row.append(found)
                column.append(found)
        return rows

    def _compose(self, first: int, second: int) -> int:
        return sum(
            {
                self._bit[head]
                for a in self._names(first)
                for b in self._names(second)
                for head in self.rules.heads.get((a, b), ())
            }
        )

    def _known(self, name: str) -> int:
        if name not in self._bit:
            known = ", ".join(self._bit)
            raise NotFound(f"no predicate {name!r} in this world; choose from {known}")
        return self._bit[name]

    def _names(self, bits: int) -> frozenset[str]:
        return frozenset(name for name, bit in self._bit.items() if bits & bit)
