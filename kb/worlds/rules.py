"""The rules of a world, looked up by number: what facts give, along a chain or all together.

References: chains are put together as in D. H. Younger, Recognition and parsing of context-free
languages in time n^3, Information and Control 10 (1967), with compositions for grammar.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from ...errors import NotFound
from ...seed import Stream
from .fact import Fact
from .world import World


class Rules:
    """Rules that compose two facts to one; predicates are numbers, in the order of the world.

    `heads` has (first, second, head) of each rule in their order, `bodies` for each head what gives
    it, and `inverse` for each predicate its inverse, or -1. `onward` has for each predicate what
    may come after it and what both give, `backward` what may come before it, in the same order.
    `gives` has the head of two, or -1, by the first predicate and then by the second, `follows` by
    the second and then by the first. `word` has the number of the word for each predicate and
    gender: cousin is one whatever the gender.
    """

    def __init__(
        self,
        predicates: tuple[str, ...],
        rules: Iterable[tuple[str, str, str]],
        inverses: Mapping[str, str],
        words: Iterable[Sequence[str]] = (),
    ) -> None:
        self.predicates = predicates
        numbers: dict[str, int] = {}
        self.word = [[numbers.setdefault(w, len(numbers)) for w in each] for each in words]
        self.number = {name: n for n, name in enumerate(predicates)}
        self.inverse = [self.number.get(inverses.get(name, ""), -1) for name in predicates]
        self.heads: dict[tuple[int, int, int], None] = {}
        self.bodies: list[list[tuple[int, int]]] = [[] for _ in predicates]
        self.onward: list[list[tuple[int, int]]] = [[] for _ in predicates]
        self.backward: list[list[tuple[int, int]]] = [[] for _ in predicates]
        self.ambiguous: list[tuple[int, int]] = []
        self.follows = [[-1] * len(predicates) for _ in predicates]
        self.gives = [[-1] * len(predicates) for _ in predicates]
        self.in_order, before = True, (-1, -1)
        """Whether the rules are sorted by the number of the first predicate, then of the second."""
        for names in rules:
            first, second, head = [self.number[name] for name in names]
            self.heads[first, second, head] = None
            self.in_order, before = self.in_order and before < (first, second), (first, second)
            self.bodies[head].append((first, second))
            self.onward[first].append((second, head))
            self.backward[second].append((first, head))
            if self.follows[second][first] >= 0:
                self.ambiguous.append((first, second))
            self.gives[first][second] = self.follows[second][first] = head
        # What some rule concludes can be an answer, and what some rule rests on can be told.
        self.concluded = frozenset([head for _, _, head in self.heads])
        self.premised = frozenset([part for *body, _ in self.heads for part in body])
        inverse = self.inverse
        self.turns = all(
            (inverse[second], inverse[first], inverse[head]) in self.heads
            for first, second, head in self.heads
        )
        """Whether what follows one way follows the other way round, too."""
        self.units = [p for p in range(len(predicates)) if self._is_unit(p)]
        """What changes nothing, before or after anything: with it, all can be taken apart."""
        # A table on the object and not `cache`, which compiled code calls slowly.
        self._proofs: dict[tuple[int, ...], dict[int, int]] = {}

    def _is_unit(self, predicate: int) -> bool:
        for other in range(len(self.predicates)):
            before, after = (predicate, other, other), (other, predicate, other)
            if before not in self.heads or after not in self.heads:
                return False
        return True

    @classmethod
    def of(cls, world: World, ruleset: str | None = None) -> "Rules":
        """Those of a world's rule set, by default its default one."""
        inverses = {name: world.inverse(name) or "" for name in world.predicates}
        return cls(tuple(world.predicates), world.compositions(ruleset), inverses, world.words)

    def derive(self, chain: Sequence[str]) -> frozenset[str]:
        """Every predicate, by name, that a chain of them can be put together to."""
        for name in chain:
            if name not in self.number:
                names = ", ".join(self.predicates)
                raise NotFound(f"no predicate {name!r} in this world; choose from {names}")
        heads = self.proofs(tuple([self.number[name] for name in chain]))
        return frozenset([self.predicates[head] for head in heads])

    def closure(self, facts: Iterable[Fact]) -> set[Fact]:
        """All that follows from facts, these included, by rules and inverses."""
        closed: set[Fact] = set()
        onward: dict[str, list[Fact]] = {}
        into: dict[str, list[Fact]] = {}
        ahead = list(facts)
        while ahead:
            fact = ahead.pop()
            x, name, y = fact
            # Names denote distinct entities, so nothing is related to itself.
            if fact in closed or x == y:
                continue
            closed.add(fact)
            onward.setdefault(x, []).append(fact)
            into.setdefault(y, []).append(fact)
            inverse = self.inverse[self.number[name]]
            if inverse >= 0:
                ahead.append((y, self.predicates[inverse], x))
            for _, second, z in onward.get(y, ()):
                ahead += [(x, head, z) for head in self.derive((name, second))]
            for z, first, _ in into.get(x, ()):
                ahead += [(z, head, y) for head in self.derive((first, name))]
        return closed

    def proofs(self, clause: tuple[int, ...]) -> dict[int, int]:
        """For each predicate that a chain can be put together to, in how many ways."""
        if len(clause) > _REMEMBERED:
            return self._count(clause)
        counts = self._proofs.get(clause)
        if counts is None:
            if len(self._proofs) >= _MOST_REMEMBERED:
                self._proofs.clear()
            counts = self._proofs[clause] = self._count(clause)
        return counts

    def _count(self, clause: tuple[int, ...]) -> dict[int, int]:
        chart = None if self.ambiguous or not clause else self.chart(clause)
        if chart is None:
            return self._count_all(clause)
        gives, ways = chart
        return {gives[-1][0]: ways[-1][0]} if gives[-1][0] >= 0 else {}

    def chart(self, clause: tuple[int, ...]) -> tuple[list[list[int]], list[list[int]]] | None:
        """What each stretch of a chain gives, or -1, and in how many ways: by its end and start.

        None where a stretch gives two things, as it may by unsound rules.
        """
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
                follows, proofs = self.follows[given[start]], times[start]
                firsts, before = gives[start - 1], ways[start - 1]
                for origin, first in enumerate(firsts):
                    head = follows[first] if first >= 0 else -1
                    if head >= 0:
                        if -1 != given[origin] != head:
                            return None
                        given[origin] = head
                        times[origin] = times[origin] + before[origin] * proofs
            gives.append(given)
            ways.append(times)
        return gives, ways

    def steps(self, gives: list[list[int]], stream: Stream) -> list[tuple[int, int, int]]:
        """Put a chain together by its chart: start, middle, end of each step, last first."""
        steps: list[tuple[int, int, int]] = []
        ahead = [(0, len(gives))]
        while ahead:
            start, end = ahead.pop()
            if end - start < 2:
                continue
            # A loop, not a comprehension: compiled, that would make a closure each time.
            cuts: list[int] = []
            for cut in range(start + 1, end):
                first, second = gives[cut - 1][start], gives[end - 1][cut]
                if (
                    first >= 0
                    and second >= 0
                    and self.follows[second][first] == gives[end - 1][start]
                ):
                    cuts.append(cut)
            cut = cuts[stream.below(len(cuts))]
            steps.append((start, cut, end))
            ahead.append((start, cut))
            ahead.append((cut, end))
        return steps

    def _count_all(self, clause: tuple[int, ...]) -> dict[int, int]:
        """The same where a stretch may give one thing or another, as it may by unsound rules."""
        size = len(clause)
        spans: dict[tuple[int, int], dict[int, int]] = {
            (start, start + 1): {predicate: 1} for start, predicate in enumerate(clause)
        }
        for length in range(2, size + 1):
            for start in range(size - length + 1):
                counts: dict[int, int] = {}
                for cut in range(start + 1, start + length):
                    before, after = spans[start, cut], spans[cut, start + length]
                    for first, second, head in self.heads:
                        if first in before and second in after:
                            proofs = before[first] * after[second]
                            counts[head] = counts.get(head, 0) + proofs
                spans[start, start + length] = counts
        return spans.get((0, size), {})

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
_MOST_REMEMBERED: Final = 200_000
"""So many chains at most: where predicates are many, short ones are too many as well."""


def rule_name(body: Sequence[str], head: str) -> str:
    """How a rule is written in proofs and findings."""
    return f"{body[0]} . {body[1]} -> {head}"
