"""What directions mean: things in cells of a grid, no two things in one cell."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product

from ..semantics import Situation, chain_names

Cell = tuple[int, int]

# (x, r, y), "y is r of x", holds iff y's column and row less x's have these signs.
DIRECTIONS: dict[str, Cell] = {
    "left": (-1, 0),
    "right": (1, 0),
    "above": (0, 1),
    "below": (0, -1),
    "upper-left": (-1, 1),
    "upper-right": (1, 1),
    "lower-left": (-1, -1),
    "lower-right": (1, -1),
}


def directions(x: Cell, y: Cell) -> frozenset[str]:
    """The direction in which cell y lies from cell x: exactly one, or none from itself."""
    signs = tuple((end > start) - (end < start) for start, end in zip(x, y, strict=True))
    return frozenset(name for name, sign in DIRECTIONS.items() if sign == signs)


@dataclass(frozen=True, eq=False)
class GridSemantics:
    """Directions judged in grids.

    Why its situations suffice: directions only compare columns with columns and rows with rows.
    Take any placement of the n + 1 things of a chain and put each column's rank among the
    columns in use in its place, and likewise for rows: no comparison changes, and every
    step now covers at most n columns and n rows. `situations` tries all such steps.
    """

    @property
    def predicates(self) -> frozenset[str]:
        """The eight directions."""
        return frozenset(DIRECTIONS)

    @cache  # noqa: B019 - one instance, lives forever
    def situations(self, chain: tuple[str, ...], *, closed: bool = False) -> tuple[Situation, ...]:
        """All placements of the chain's things, steps no longer than the chain."""
        names = chain_names(len(chain), closed=closed)
        return tuple(
            Situation(
                relations=directions(cells[0], cells[-1]),
                back=directions(cells[-1], cells[0]),
                size=len(set(cells)),
                facts=tuple(f"{n} is at {c}" for n, c in zip(names, cells, strict=True)),
            )
            for cells in _walks(((0, 0),), chain, len(chain), closed)
        )


def _walks(
    cells: tuple[Cell, ...], chain: tuple[str, ...], reach: int, closed: bool
) -> Iterator[tuple[Cell, ...]]:
    if not chain:
        yield cells
        return
    (column, row), (right, up) = cells[-1], DIRECTIONS[chain[0]]
    amounts = range(1, reach + 1)
    for across, along in product(amounts if right else [0], amounts if up else [0]):
        cell = (column + across * right, row + along * up)
        returning = closed and len(chain) == 1
        if (cell == cells[0]) if returning else (cell not in cells):
            yield from _walks((*cells, cell), chain[1:], reach, closed)


GRID = GridSemantics()
