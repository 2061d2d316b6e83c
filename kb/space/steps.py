"""What steps mean: places in squares of a map without end, no two places in one square."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product

from ..semantics import Situation, chain_names

Square = tuple[int, int]
"""How far north and how far east."""

COUNTED = 3
"""So many steps are counted; all others are more."""
FAR = COUNTED + 1

_LETTERS = (("n", "s"), ("e", "w"))


def predicate(north: int, east: int) -> str:
    """What holds from one square to another that lies so much further north and east."""
    name = ""
    for steps, (there, back) in zip((north, east), _LETTERS, strict=True):
        if steps:
            amount = str(abs(steps)) if abs(steps) <= COUNTED else "+"
            name += (there if steps > 0 else back) + amount
    return name


def relation(x: Square, y: Square) -> str | None:
    """What holds from square x to square y: one predicate, or nothing from a square to itself."""
    return predicate(y[0] - x[0], y[1] - x[1]) or None


_STEPS = range(-FAR, FAR + 1)
OFFSETS: dict[str, Square] = {
    predicate(north, east): (north, east) for north, east in product(_STEPS, repeat=2)
}
"""For each predicate the steps north and east; one more than is counted stands for all beyond."""
del OFFSETS[""]


def compositions() -> Iterator[tuple[str, str, str]]:
    """First, second and head of every rule: steps are added, north and east each by themselves."""
    for (first, (north, east)), (second, (more_north, more_east)) in product(
        OFFSETS.items(), repeat=2
    ):
        up, along = _sum(north, more_north), _sum(east, more_east)
        if up is not None and along is not None and (up or along):
            yield first, second, predicate(up, along)


def _sum(one: int, other: int) -> int | None:
    """Steps added up on one line; None where that leaves open how many they are.

    More than three steps and some back may be any number, and more than three and none back are
    more than three.
    """
    far, near = (one, other) if abs(one) == FAR else (other, one)
    if abs(far) == FAR and far * near < 0:
        return None
    return max(-FAR, min(FAR, one + other))


@dataclass(frozen=True, eq=False)
class MapSemantics:
    """Steps judged on maps.

    Why its situations suffice: predicates only compare rows with rows and columns with columns.
    Take any placement of the n + 1 places of a chain. Where two rows that follow each other among
    those in use are more than four apart, move all that lies beyond until they are four apart: what
    was more than three still is. Now the rows in use, n + 1 at most, span 4 n at most, and so does
    every step; likewise the columns. `situations` tries all such steps.
    """

    @property
    def predicates(self) -> frozenset[str]:
        """All of them."""
        return frozenset(OFFSETS)

    @cache  # noqa: B019 - one instance, lives forever
    def situations(self, chain: tuple[str, ...], *, closed: bool = False) -> tuple[Situation, ...]:
        """All placements of the chain's places, steps no longer than four times the chain."""
        names = chain_names(len(chain), closed=closed)
        return tuple(
            Situation(
                relations=_relations(squares[0], squares[-1]),
                back=_relations(squares[-1], squares[0]),
                size=len(set(squares)),
                facts=tuple(f"{n} is at {s}" for n, s in zip(names, squares, strict=True)),
            )
            for squares in _walks(((0, 0),), chain, FAR * len(chain), closed)
        )


def _relations(x: Square, y: Square) -> frozenset[str]:
    return frozenset({relation(x, y)} - {None})  # type: ignore[arg-type]


def _walks(
    squares: tuple[Square, ...], chain: tuple[str, ...], reach: int, closed: bool
) -> Iterator[tuple[Square, ...]]:
    if not chain:
        yield squares
        return
    row, column = squares[-1]
    up, along = OFFSETS[chain[0]]
    for north, east in product(_amounts(up, reach), _amounts(along, reach)):
        square = (row + north, column + east)
        returning = closed and len(chain) == 1
        if (square == squares[0]) if returning else (square not in squares):
            yield from _walks((*squares, square), chain[1:], reach, closed)


def _amounts(steps: int, reach: int) -> range:
    """All that the steps of a predicate on one line may be."""
    if abs(steps) < FAR:
        return range(steps, steps + 1)
    return range(FAR, reach + 1) if steps > 0 else range(-reach, 1 - FAR)


MAP = MapSemantics()
