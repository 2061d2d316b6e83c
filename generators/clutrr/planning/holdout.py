"""Templates, clauses and names that are held out of the split `train`."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import NamedTuple

from ....errors import InvalidOption
from ....kb.worlds.rules import RuleIndex
from ....kb.worlds.stories import NamePool
from ....seed import Stream
from ....splits import TRAIN
from ....templates.bank import Bank
from ....templates.stitcher import held_out as frames_held_out

SHARES: Mapping[str, float] = {"templates": 0.2, "clauses": 0.1, "names": 0.3}
"""The shares held out; those of templates and clauses are the thesis's."""
_MAX_CLAUSE_LENGTH, _MAX_CLAUSES_PER_LENGTH = 6, 8000
"""Beyond these, searching for each clause would take too long."""

Clause = tuple[str, ...]


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
                count = max(1, round(SHARES["clauses"] * len(present))) if len(present) > 1 else 0
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
        for name in stream.sample(sorted(kind), round(SHARES["names"] * len(kind)))
    )


def templates_held_out(bank: Bank, *parts: str | int) -> frozenset[str]:
    """Sample a share of the templates, evenly from those that state the same facts."""
    return frames_held_out(bank, SHARES["templates"], *parts)
