"""Semantics of the spatial world: things in cells of a grid, at most one in each cell."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product

from ..semantics import Situation, chain_names, walk_chain

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
    """Return the direction of cell y from cell x: exactly one, or none if they are equal."""
    signs = tuple((end > start) - (end < start) for start, end in zip(x, y, strict=True))
    return frozenset(name for name, sign in DIRECTIONS.items() if sign == signs)


@dataclass(frozen=True, eq=False)
class GridSemantics:
    """Directions, interpreted in grids.

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
        """Return all placements of the chain's things, with steps no longer than the chain."""
        names = chain_names(len(chain), closed=closed)
        return tuple(
            Situation(
                relations=directions(cells[0], cells[-1]),
                reverse_relations=directions(cells[-1], cells[0]),
                size=len(set(cells)),
                facts=tuple(f"{n} is at {c}" for n, c in zip(names, cells, strict=True)),
            )
            for _, cells in walk_chain(len(chain), ((0, 0),), chain, closed, _step)
        )


def _step(reach: int, cell: Cell, direction: str) -> Iterator[tuple[int, Cell]]:
    (column, row), (right, up) = cell, DIRECTIONS[direction]
    amounts = range(1, reach + 1)
    for across, along in product(amounts if right else [0], amounts if up else [0]):
        yield reach, (column + across * right, row + along * up)


GRID = GridSemantics()
