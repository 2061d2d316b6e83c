"""Semantics of the space worlds: places in the squares of an infinite map.

Where no steps are counted, predicates are directions.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import accumulate, product
from operator import getitem, sub

from ..semantics import Situation, chain_names

Square = tuple[int, ...]
"""Coordinates: north and east."""

_UNDETERMINED = 99  # no number of steps
_LETTERS = (("n", "s"), ("e", "w"))


@dataclass(frozen=True, eq=False)
class Grid:
    """An infinite grid of rows and columns.

    Up to `max_counted` steps are counted, and all others are "more". No two places share a square.

    Why its situations suffice is in docs/space.md.
    """

    max_counted: int = 3
    named: Mapping[Square, str] | None = None
    """Predicates by offset; by default, they are named by directions and numbers of steps."""

    @property
    def far(self) -> int:
        """The number that represents all numbers of steps that are not counted."""
        return self.max_counted + 1

    @cached_property
    def offsets(self) -> dict[str, Square]:
        """By predicate, the steps north and east, the nearest first."""
        steps = range(-self.far, self.far + 1)
        every = self.named or sorted(product(steps, repeat=2), key=_nearness_key)
        named = {self.predicate(offset): offset for offset in every}
        named.pop("", None)
        return named

    @property
    def predicates(self) -> frozenset[str]:
        """All predicates of the grid."""
        return frozenset(self.offsets)

    def predicate(self, offset: Sequence[int]) -> str:
        """Return the predicate for an offset between two squares, or "" if there is none."""
        if self.named:
            far = self.far
            return self.named.get(tuple(max(-far, min(far, steps)) for steps in offset), "")
        name = ""
        for steps, (there, back) in zip(offset, _LETTERS, strict=True):
            if steps:
                amount = str(abs(steps)) if abs(steps) <= self.max_counted else "+"
                name += (there if steps > 0 else back) + amount
        return name

    def relation(self, x: Square, y: Square) -> str | None:
        """Return the predicate from square x to square y, if any."""
        offset = tuple(map(sub, y, x))
        relation = self._relations_by_offset.get(offset)
        if relation is None:
            relation = self._relations_by_offset[offset] = self.predicate(offset)
        return relation or None

    @cached_property
    def _relations_by_offset(self) -> dict[Square, str]:
        """Cache of `relation`: scenes ask for few offsets, again and again."""
        return {}

    def compositions(self) -> Iterator[tuple[str, str, str]]:
        """Yield (first, second, head) of every rule; steps are added on each axis separately."""
        names = {offset: name for name, offset in self.offsets.items()}
        for first, one in self.offsets.items():
            sums = [self._sums[steps] for steps in one]
            for second, other in self.offsets.items():
                head = names.get(tuple(map(getitem, sums, other)))
                if head:
                    yield first, second, head

    @cached_property
    def _sums(self) -> dict[int, dict[int, int]]:
        """Sums of steps on one axis, or _UNDETERMINED.

        "More" steps and some back may be any number; "more" and none back are "more".
        """
        sums: dict[int, dict[int, int]] = {}
        for one, other in product(range(-self.far, self.far + 1), repeat=2):
            back = one * other < 0 and self.far in (abs(one), abs(other))
            added = _UNDETERMINED if back else max(-self.far, min(self.far, one + other))
            sums.setdefault(one, {})[other] = added
        return sums

    @cache  # noqa: B019 - few instances, which live forever
    def situations(self, chain: tuple[str, ...], *, closed: bool = False) -> tuple[Situation, ...]:
        """Return all placements of the chain's places, one of all that are equivalent."""
        names = chain_names(len(chain), closed=closed)
        things = len(set(names))
        steps = zip(*(self.offsets[name] for name in chain), strict=True)
        found = []
        for lines in product(*(_positions(line, self.far, closed) for line in steps)):
            squares = tuple(zip(*lines, strict=True))
            if len(set(squares)) == things:
                facts = (f"{n} is at {s}" for n, s in zip(names, squares, strict=True))
                found.append(Situation.between(self.relation, squares, things, facts))
        return tuple(found)


def _nearness_key(offset: Square) -> tuple[int, int, list[int], list[int]]:
    """Sort key: distance, straight before diagonal, north before east, north before south."""
    lengths = list(map(abs, offset))
    diagonal = len(offset) - offset.count(0)
    return max(lengths), diagonal, [-length for length in lengths], [-steps for steps in offset]


@cache
def _positions(steps: tuple[int, ...], far: int, closed: bool) -> tuple[tuple[int, ...], ...]:
    """Return the positions of a chain's places on one axis, one of all that are equivalent."""
    found: dict[tuple[int, ...], tuple[int, ...]] = {}
    for amounts in product(*(_admitted_steps(number, far, far * len(steps)) for number in steps)):
        places = tuple(accumulate(amounts, initial=0))
        if not closed or not places[-1]:
            apart = max(-far, min(far, places[-1]))
            found.setdefault((apart, *(places.index(place) for place in places)), places)
    return tuple(found.values())


def _admitted_steps(steps: int, far: int, reach: int) -> range:
    """Return all numbers of steps that a predicate admits on one axis, the fewest first."""
    if abs(steps) < far:
        return range(steps, steps + 1)
    return range(far, reach + 1) if steps > 0 else range(-far, -reach - 1, -1)


# (x, r, y), "y is r of x", holds iff y's column and row less x's have these signs.
DIRECTIONS = Grid(
    max_counted=0,
    named={
        (-1, 0): "left",
        (1, 0): "right",
        (0, 1): "above",
        (0, -1): "below",
        (-1, 1): "upper-left",
        (1, 1): "upper-right",
        (-1, -1): "lower-left",
        (1, -1): "lower-right",
    },
)
MAP = Grid()
