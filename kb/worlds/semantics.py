"""The protocol by which a world gives its predicates a meaning, and checks that use it."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

M = TypeVar("M")
T = TypeVar("T", bound=Hashable)


@dataclass(frozen=True)
class Situation:
    """A model in which a chain of facts holds, and all relations between its two ends."""

    relations: frozenset[str]
    reverse_relations: frozenset[str]
    size: int
    facts: tuple[str, ...]

    @classmethod
    def between(
        cls,
        relation: Callable[[T, T], str | None],
        ends: Sequence[T],
        size: int,
        facts: Iterable[str],
    ) -> "Situation":
        """Make a situation where at most one relation holds from the first to the last."""
        there, back = relation(ends[0], ends[-1]), relation(ends[-1], ends[0])
        return cls(
            frozenset([there] if there else []),
            frozenset([back] if back else []),
            size,
            tuple(facts),
        )


class Semantics(Protocol):
    """A meaning for predicates, given as situations to check rather than rules to trust."""

    @property
    def predicates(self) -> frozenset[str]:
        """The predicates that have a meaning."""

    def situations(self, chain: tuple[str, ...], *, closed: bool = False) -> Sequence[Situation]:
        """Situations for p0 -chain[0]-> p1 … pn, enough to refute any head that can be refuted.

        All of p0 … pn are distinct, except that a closed chain ends where it began.
        """


def entailed(semantics: Semantics, chain: tuple[str, ...]) -> frozenset[str]:
    """Return the predicates entailed from first to last; none where the chain cannot hold."""
    situations = semantics.situations(chain)
    if not situations:
        return frozenset()
    return frozenset.intersection(*(situation.relations for situation in situations))


def chain_names(length: int, *, closed: bool = False) -> tuple[str, ...]:
    """Name the things of a chain: X, then Z or Z1, Z2, …, then Y (X again if closed)."""
    middle = ["Z"] if length == 2 else [f"Z{n}" for n in range(1, length)]
    return ("X", *middle, "X" if closed else "Y")


def walk_chain(
    model: M,
    things: tuple[T, ...],
    chain: tuple[str, ...],
    closed: bool,
    step: Callable[[M, T, str], Iterable[tuple[M, T]]],
) -> Iterator[tuple[M, tuple[T, ...]]]:
    """Yield models with the distinct things along a chain, the first of whom are given.

    `step` yields the models and things that a predicate leads to. A closed chain returns to its
    first thing.
    """
    if not chain:
        yield model, things
        return
    returning = closed and len(chain) == 1
    for grown, thing in step(model, things[-1], chain[0]):
        if (thing == things[0]) if returning else (thing not in things):
            yield from walk_chain(grown, (*things, thing), chain[1:], closed, step)


def smallest(situations: Iterable[Situation]) -> Situation | None:
    """Return the situation with the fewest members, ties broken alphabetically."""
    return min(situations, key=lambda situation: (situation.size, situation.facts), default=None)


def counterexample(semantics: Semantics, body: tuple[str, ...], head: str) -> Situation | None:
    """Return a smallest situation in which the body holds and the head does not."""
    return smallest(s for s in semantics.situations(body) if head not in s.relations)
