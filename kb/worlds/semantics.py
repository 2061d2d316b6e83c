"""What a semantics must offer so that rules can be judged, and the judgements made of it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Situation:
    """A situation in which a chain of facts holds, and all that holds between its ends."""

    relations: frozenset[str]
    back: frozenset[str]
    size: int
    facts: tuple[str, ...]


class Semantics(Protocol):
    """A meaning for predicates, given as situations to check rather than rules to trust."""

    @property
    def predicates(self) -> frozenset[str]:
        """The predicates it gives a meaning to."""

    def situations(self, chain: tuple[str, ...], *, closed: bool = False) -> Sequence[Situation]:
        """Situations for p0 -chain[0]-> p1 … pn, enough to refute any head that can be refuted.

        All of p0 … pn are distinct, except that a closed chain ends where it began.
        """


def entailed(semantics: Semantics, chain: tuple[str, ...]) -> frozenset[str]:
    """The predicates that hold from first to last in every situation of a possible chain."""
    situations = semantics.situations(chain)
    if not situations:
        return frozenset()
    return frozenset.intersection(*(situation.relations for situation in situations))


def chain_names(length: int, *, closed: bool = False) -> tuple[str, ...]:
    """Names for the things of a chain: X, then Z or Z1, Z2, …, then Y (X again if closed)."""
    middle = ["Z"] if length == 2 else [f"Z{n}" for n in range(1, length)]
    return ("X", *middle, "X" if closed else "Y")


def smallest(situations: Iterable[Situation]) -> Situation | None:
    """The situation with the fewest members, the first in the alphabet if there are several."""
    return min(situations, key=lambda situation: (situation.size, situation.facts), default=None)


def counterexample(semantics: Semantics, body: tuple[str, ...], head: str) -> Situation | None:
    """A smallest situation in which the body holds and the head does not."""
    return smallest(s for s in semantics.situations(body) if head not in s.relations)
