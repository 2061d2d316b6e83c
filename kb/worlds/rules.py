"""Composition rules of a world, indexed by predicate number, and what they derive from facts.

References: chains are composed as in D. H. Younger, Recognition and parsing of context-free
languages in time n^3, Information and Control 10 (1967), with compositions for grammar.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from ...errors import NotFound
from ...seed import Stream
from .world import World


class RuleIndex:
    """Rules that compose two relations; predicates are numbers, in the order of the world.

    `compositions` has (first, second, head) of each rule in order, `bodies` the (first, second) by
    head, `inverse` the inverse of each predicate or -1. `by_first` has (second, head) by first and
    `by_second` (first, head) by second, in the same order. `composed[first][second]` is the head or
    -1, `composed_by_second[second][first]` the same transposed. `word_ids` has the number of the
    word by predicate and gender; words that are the same for all genders share one.
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
        self.word_ids = [[numbers.setdefault(w, len(numbers)) for w in each] for each in words]
        self.number = {name: n for n, name in enumerate(predicates)}
        self.inverse = [self.number.get(inverses.get(name, ""), -1) for name in predicates]
        self.compositions: dict[tuple[int, int, int], None] = {}
        self.bodies: list[list[tuple[int, int]]] = [[] for _ in predicates]
        self.by_first: list[list[tuple[int, int]]] = [[] for _ in predicates]
        self.by_second: list[list[tuple[int, int]]] = [[] for _ in predicates]
        self.ambiguous: list[tuple[int, int]] = []
        self.composed_by_second = [[-1] * len(predicates) for _ in predicates]
        self.composed = [[-1] * len(predicates) for _ in predicates]
        self.is_sorted, before = True, (-1, -1)
        """True if the rules are sorted by first, then by second predicate."""
        for names in rules:
            first, second, head = [self.number[name] for name in names]
            self.compositions[first, second, head] = None
            self.is_sorted, before = self.is_sorted and before < (first, second), (first, second)
            self.bodies[head].append((first, second))
            self.by_first[first].append((second, head))
            self.by_second[second].append((first, head))
            if self.composed_by_second[second][first] >= 0:
                self.ambiguous.append((first, second))
            self.composed[first][second] = self.composed_by_second[second][first] = head
        # Only head predicates can be answers; only body predicates can be stated in a chain.
        self.head_predicates = frozenset([head for _, _, head in self.compositions])
        self.body_predicates = frozenset([part for *body, _ in self.compositions for part in body])
        inverse = self.inverse
        self.is_inverse_closed = all(
            (inverse[second], inverse[first], inverse[head]) in self.compositions
            for first, second, head in self.compositions
        )
        """True if every rule is there with its mirror image."""
        self.is_commutative = self.composed == self.composed_by_second
        """True if the order of facts does not matter."""
        self.identities = [p for p in range(len(predicates)) if self._is_identity(p)]
        """Predicates that change nothing, composed with any other before or after them."""
        # A table on the object and not `cache`, which compiled code calls slowly.
        self._proofs: dict[tuple[int, ...], dict[int, int]] = {}

    def _is_identity(self, predicate: int) -> bool:
        for other in range(len(self.predicates)):
            before, after = (predicate, other, other), (other, predicate, other)
            if before not in self.compositions or after not in self.compositions:
                return False
        return True

    @classmethod
    def from_world(cls, world: World, ruleset: str | None = None) -> "RuleIndex":
        """Index a rule set of a world, by default its default one."""
        inverses = {name: world.inverse(name) or "" for name in world.predicates}
        return cls(tuple(world.predicates), world.compositions(ruleset), inverses, world.words)

    def derive(self, chain: Sequence[str]) -> frozenset[str]:
        """Return every predicate, by name, that a chain of predicates composes to."""
        for name in chain:
            if name not in self.number:
                names = ", ".join(self.predicates)
                raise NotFound(f"no predicate {name!r} in this world; choose from {names}")
        heads = self.count_proofs(tuple([self.number[name] for name in chain]))
        return frozenset([self.predicates[head] for head in heads])

    def count_proofs(self, clause: tuple[int, ...]) -> dict[int, int]:
        """Return the number of proofs of each predicate that a chain composes to."""
        if len(clause) > _MAX_CACHED_LENGTH:
            return self._count_clause(clause)
        counts = self._proofs.get(clause)
        if counts is None:
            if len(self._proofs) >= _MAX_CACHED_CHAINS:
                self._proofs.clear()
            counts = self._proofs[clause] = self._count_clause(clause)
        return counts

    def _count_clause(self, clause: tuple[int, ...]) -> dict[int, int]:
        chart = None if self.ambiguous or not clause else self.chart(clause)
        if chart is None:
            return self._count_ambiguous(clause)
        heads, counts = chart
        return {heads[-1][0]: counts[-1][0]} if heads[-1][0] >= 0 else {}

    def chart(self, clause: tuple[int, ...]) -> tuple[list[list[int]], list[list[int]]] | None:
        """Return the head of each subchain, or -1, and its number of proofs, by end and start.

        None if a subchain composes to two predicates, as it may by unsound rules.
        """
        heads: list[list[int]] = []
        counts: list[list[int]] = []
        for end, predicate in enumerate(clause):
            row, row_counts = [-1] * (end + 1), [0] * (end + 1)
            row[end], row_counts[end] = predicate, 1
            # Subchains that start later are complete before they are composed with earlier ones.
            for start in range(end, 0, -1):
                if row[start] < 0:
                    continue
                composed, proofs = self.composed_by_second[row[start]], row_counts[start]
                firsts, before = heads[start - 1], counts[start - 1]
                for origin, first in enumerate(firsts):
                    head = composed[first] if first >= 0 else -1
                    if head >= 0:
                        if -1 != row[origin] != head:
                            return None
                        row[origin] = head
                        row_counts[origin] = row_counts[origin] + before[origin] * proofs
            heads.append(row)
            counts.append(row_counts)
        return heads, counts

    def _count_ambiguous(self, clause: tuple[int, ...]) -> dict[int, int]:
        """Count proofs where a subchain may compose to several predicates."""
        size = len(clause)
        spans: dict[tuple[int, int], dict[int, int]] = {
            (start, start + 1): {predicate: 1} for start, predicate in enumerate(clause)
        }
        for length in range(2, size + 1):
            for start in range(size - length + 1):
                counts: dict[int, int] = {}
                for cut in range(start + 1, start + length):
                    before, after = spans[start, cut], spans[cut, start + length]
                    for first, second, head in self.compositions:
                        if first in before and second in after:
                            proofs = before[first] * after[second]
                            counts[head] = counts.get(head, 0) + proofs
                spans[start, start + length] = counts
        return spans.get((0, size), {})

    def sample_proof(
        self, clause: tuple[int, ...], head: int, stream: Stream
    ) -> list[tuple[int, int, int]]:
        """Sample a proof of the head: start, middle, end of each step, the last step first."""
        if len(clause) == 1:
            return []
        ways = [
            (cut, first, second)
            for first, second in self.bodies[head]
            for cut in range(1, len(clause))
            if first in self.count_proofs(clause[:cut])
            and second in self.count_proofs(clause[cut:])
        ]
        cut, first, second = stream.choice(ways)
        return [
            (0, cut, len(clause)),
            *self.sample_proof(clause[:cut], first, stream),
            *(
                (start + cut, middle + cut, end + cut)
                for start, middle, end in self.sample_proof(clause[cut:], second, stream)
            ),
        ]


_MAX_CACHED_LENGTH: Final = 6
"""Longer chains are not cached: there are too many, and few recur."""
_MAX_CACHED_CHAINS: Final = 200_000
