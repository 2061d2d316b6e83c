"""Templates, clauses and names that are held out of the split `train`."""

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

from ....errors import InvalidOption
from ....kb.worlds.rules import RuleIndex
from ....kb.worlds.stories import NamePool
from ....seed import Stream
from ....splits import TRAIN
from ..options import HELD_OUT_SHARES

_MAX_CLAUSE_LENGTH, _MAX_CLAUSES_PER_LENGTH = 6, 8000
"""Beyond these, searching for each clause would take too long."""

Clause = tuple[str, ...]
IndexedClause = tuple[int, ...]
"""The predicates along a chain, by number."""


class HoldOut(NamedTuple):
    """Templates, clauses (with their answers) and names that only other splits have."""

    templates: frozenset[str] = frozenset()
    clauses: frozenset[tuple[str, Clause]] = frozenset()
    names: frozenset[str] = frozenset()

    def listed(self) -> dict[str, list[str]]:
        """Return all that is not empty as the manifest lists it."""
        lists = {
            "templates": sorted(self.templates),
            "clauses": sorted({format_clause(clause) for _, clause in self.clauses}),
            "names": sorted(self.names),
        }
        return {name: values for name, values in lists.items() if values}


class SplitClauses(NamedTuple):
    """The clauses that a split may have.

    It has none that is in `excluded` and, where `only` has clauses for a length and an answer, no
    others.
    """

    excluded: frozenset[IndexedClause] = frozenset()
    only: Mapping[tuple[int, int], list[IndexedClause]] = MappingProxyType({})

    def answers(self, k: int, among: frozenset[int]) -> frozenset[int]:
        """Return the answers that the split can have for chains of k facts."""
        return frozenset([answer for length, answer in self.only if length == k]) or among

    def answers_stating(self, k: int, predicate: int) -> list[int]:
        """Return the answers of those required chains that state a predicate."""
        return [
            answer
            for (length, answer), clauses in self.only.items()
            if length == k and any(predicate in clause for clause in clauses)
        ]

    def tellable_predicates(self, k: int, among: frozenset[int]) -> frozenset[int]:
        """Return the predicates that the split can state in chains of k facts."""
        return frozenset([p for p in among if self.answers_stating(k, p)]) or among


def split_clauses(held_out: HoldOut, rules: RuleIndex, split: str) -> SplitClauses:
    """Return the clauses of a split: train has none that is held out, other splits only those."""
    number = rules.number
    clauses: dict[tuple[int, int], list[IndexedClause]] = {}
    for answer, clause in sorted(held_out.clauses):
        indexed = tuple([number[name] for name in clause])
        clauses.setdefault((len(clause), number[answer]), []).append(indexed)
    if split == TRAIN:
        return SplitClauses(excluded=frozenset([c for some in clauses.values() for c in some]))
    return SplitClauses(only=clauses)


def format_clause(clause: Clause | list[str]) -> str:
    """Return a clause as the manifest has it."""
    return " . ".join(clause)


def check_splits(splits: tuple[str, ...]) -> None:
    """Raise InvalidOption unless there is a split to hold something out of."""
    if TRAIN not in splits:
        raise InvalidOption(
            f"hold_out and train_k need a split called {TRAIN!r}, but got {', '.join(splits)}; "
            f"write for example --split train=5000,test=100"
        )


def clauses_held_out(
    rules: RuleIndex, lengths: list[int], occurs: Callable[[str, Clause], bool], *parts: str | int
) -> frozenset[tuple[str, Clause]]:
    """Sample a tenth of the clauses for each answer and length above two, at least one.

    Clauses of two facts are never held out, since nothing else teaches the rules. Clauses that
    do not occur, like somebody's husband's wife, do not count.
    """
    out: set[tuple[str, Clause]] = set()
    by_length = _clauses(rules, max(lengths))
    for length in lengths:
        for answer, clauses in zip(rules.predicates, by_length[length], strict=True):
            if length > 2:
                stream = Stream("held out clauses", *parts, length, answer)
                present = [clause for clause in sorted(clauses) if occurs(answer, clause)]
                if len(present) > 1:
                    count = max(1, round(HELD_OUT_SHARES["clauses"] * len(present)))
                    out.update((answer, clause) for clause in stream.sample(present, count))
    return frozenset(out)


@cache
def max_clause_length(rules: RuleIndex) -> int:
    """Return the length up to which clauses can be held out."""
    for length in range(2, _MAX_CLAUSE_LENGTH + 1):
        if sum(map(len, _clauses(rules, length)[length])) > _MAX_CLAUSES_PER_LENGTH:
            return length - 1
    return _MAX_CLAUSE_LENGTH


def _clauses(rules: RuleIndex, max_length: int) -> list[list[set[Clause]]]:
    """Return every clause, by its length and the number of its answer."""
    by_length: list[list[set[Clause]]] = [[], [{(name,)} for name in rules.predicates]]
    for length in range(2, max_length + 1):
        by_length.append(
            [
                {
                    before + after
                    for first, second in bodies
                    for cut in range(1, length)
                    for before in by_length[cut][first]
                    for after in by_length[length - cut][second]
                }
                for bodies in rules.bodies
            ]
        )
    return by_length


def names_held_out(pool: NamePool, *parts: str | int) -> frozenset[str]:
    """Sample a share of the names of each gender."""
    stream = Stream("held out names", *parts)
    return frozenset(
        name
        for kind in pool
        for name in stream.sample(sorted(kind), round(HELD_OUT_SHARES["names"] * len(kind)))
    )
