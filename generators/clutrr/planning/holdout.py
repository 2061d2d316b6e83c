"""What the split `train` never sees: templates, clauses, names, and other numbers of facts."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import NamedTuple

from ....errors import InvalidOption
from ....kb.worlds.rules import Rules
from ....kb.worlds.stories import Pool
from ....seed import Stream
from ....splits import TRAIN
from ....templates.bank import Bank
from ....templates.stitcher import held_out as frames_held_out

SHARES: Mapping[str, float] = {"templates": 0.2, "clauses": 0.1, "names": 0.3}
"""How much is held out: of templates and clauses as much as in the thesis."""
_LONGEST, _MOST_CLAUSES = 6, 8000
"""Of longer clauses, and of more of a length, there are too many to look for each."""

Clause = tuple[str, ...]


class HoldOut(NamedTuple):
    """What other splits have to themselves; clauses come with their answers."""

    templates: frozenset[str] = frozenset()
    clauses: frozenset[tuple[str, Clause]] = frozenset()
    names: frozenset[str] = frozenset()

    def listed(self) -> dict[str, list[str]]:
        """All of it as a manifest has it, but for what is empty."""
        every = {
            "templates": sorted(self.templates),
            "clauses": sorted({written(clause) for _, clause in self.clauses}),
            "names": sorted(self.names),
        }
        return {what: values for what, values in every.items() if values}


def written(clause: Clause | list[str]) -> str:
    """A clause as a manifest has it."""
    return " . ".join(clause)


def check_splits(splits: tuple[str, ...]) -> None:
    """Something can be held out only where there is a split to hold it out of."""
    if TRAIN not in splits:
        raise InvalidOption(
            f"hold_out and train_k need a split called {TRAIN!r}, but got {', '.join(splits)}; "
            f"write for example --split train=5000,test=100"
        )


def clauses_held_out(
    rules: Rules, lengths: list[int], occurs: Callable[[str, Clause], bool], *parts: str | int
) -> frozenset[tuple[str, Clause]]:
    """A tenth of the clauses of each length above two, for every answer alike and at least one.

    Clauses of two facts are never held out, since nothing else teaches the rules. Clauses that
    do not occur, like the husband's wife of somebody, do not count.
    """
    out: set[tuple[str, Clause]] = set()
    by_length = _clauses(rules, max(lengths))
    for length in lengths:
        for answer, clauses in zip(rules.predicates, by_length[length], strict=True):
            if length > 2:
                stream = Stream("held out clauses", *parts, length, answer)
                there = [clause for clause in sorted(clauses) if occurs(answer, clause)]
                count = max(1, round(SHARES["clauses"] * len(there))) if len(there) > 1 else 0
                out.update((answer, clause) for clause in stream.sample(there, count))
    return frozenset(out)


@cache
def longest(rules: Rules) -> int:
    """How many facts clauses may have so that there are not too many of them."""
    for length in range(2, _LONGEST + 1):
        if sum(map(len, _clauses(rules, length)[length])) > _MOST_CLAUSES:
            return length - 1
    return _LONGEST


def _clauses(rules: Rules, longest: int) -> list[list[set[Clause]]]:
    """Every clause, by the number of its facts and that of the answer that rules make of it."""
    by_length: list[list[set[Clause]]] = [[], [{(name,)} for name in rules.predicates]]
    for length in range(2, longest + 1):
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


def names_held_out(pool: Pool, *parts: str | int) -> frozenset[str]:
    """A share of the names of each gender."""
    stream = Stream("held out names", *parts)
    return frozenset(
        name
        for kind in pool
        for name in stream.sample(sorted(kind), round(SHARES["names"] * len(kind)))
    )


def templates_held_out(bank: Bank, *parts: str | int) -> frozenset[str]:
    """A share of the templates, evenly from those that state the same facts."""
    return frames_held_out(bank, SHARES["templates"], *parts)
