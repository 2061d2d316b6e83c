"""What steps mean: places in the squares of a map without end, or in the cubes of a block."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import accumulate, product
from operator import getitem, sub

from ..semantics import Situation, chain_names

Square = tuple[int, ...]
"""How far north and how far east; of a cube, also how far up."""

_SAME = "same"
_OPEN = 99  # no number of steps
_LETTERS = (("n", "s"), ("e", "w"), ("u", "d"))


@dataclass(frozen=True)
class Grid:
    """Rows and columns, and in a block also layers, all without end, and what steps mean there.

    So many steps are counted, and all others are more. Places may share a square where `shared`.

    Why its situations suffice: predicates only compare rows with rows, columns with columns and
    layers with layers. Take any placement of the n + 1 places of a chain. Where two rows that
    follow each other among those in use are further apart than is counted, move all that lies
    beyond until they are one more than that apart: what was more still is. Now the rows in use, n +
    1 at most, span no more than n times that, and so does every step; likewise on the other lines.
    All such steps are tried on each line. Of those that have the same places level and the ends as
    far apart, as far as that is counted, one is kept: predicates tell nothing else.
    """

    lines: int = 2
    counted: int = 3
    shared: bool = False

    @property
    def far(self) -> int:
        """So many steps stand for all that are not counted."""
        return self.counted + 1

    @cached_property
    def offsets(self) -> dict[str, Square]:
        """For each predicate the steps north, east and perhaps up, the nearest first."""
        steps = range(-self.far, self.far + 1)
        every = sorted(product(steps, repeat=self.lines), key=_nearness)
        named = {self.predicate(offset): offset for offset in every}
        named.pop("", None)
        return named

    @property
    def predicates(self) -> frozenset[str]:
        """All of them."""
        return frozenset(self.offsets)

    def predicate(self, offset: Sequence[int]) -> str:
        """What holds from one square to another that lies so much further north and so on."""
        name = ""
        for steps, (there, back) in zip(offset, _LETTERS, strict=False):
            if steps:
                amount = str(abs(steps)) if abs(steps) <= self.counted else "+"
                name += (there if steps > 0 else back) + amount
        return name or (_SAME if self.shared else "")

    def relation(self, x: Square, y: Square) -> str | None:
        """What holds from square x to square y, if anything."""
        offset = tuple(map(sub, y, x))
        relation = self._relations_by_offset.get(offset)
        if relation is None:
            relation = self._relations_by_offset[offset] = self.predicate(offset)
        return relation or None

    @cached_property
    def _relations_by_offset(self) -> dict[Square, str]:
        """Those that were looked up: scenes ask for few, again and again."""
        return {}

    def compositions(self) -> Iterator[tuple[str, str, str]]:
        """First, second and head of every rule: steps are added, on each line by themselves."""
        names = {offset: name for name, offset in self.offsets.items()}
        for first, one in self.offsets.items():
            sums = [self._sums[steps] for steps in one]
            for second, other in self.offsets.items():
                head = names.get(tuple(map(getitem, sums, other)))
                if head:
                    yield first, second, head

    @cached_property
    def _sums(self) -> dict[int, dict[int, int]]:
        """Steps added up on one line, or _OPEN where that leaves open how many they are.

        More than are counted and some back may be any number, and more and none back are more.
        """
        sums: dict[int, dict[int, int]] = {}
        for one, other in product(range(-self.far, self.far + 1), repeat=2):
            back = one * other < 0 and self.far in (abs(one), abs(other))
            added = _OPEN if back else max(-self.far, min(self.far, one + other))
            sums.setdefault(one, {})[other] = added
        return sums

    @cache  # noqa: B019 - few instances, which live forever
    def situations(self, chain: tuple[str, ...], *, closed: bool = False) -> tuple[Situation, ...]:
        """All placements of the chain's places, once of all that are alike."""
        names = chain_names(len(chain), closed=closed)
        things = len(set(names))
        steps = zip(*(self.offsets[name] for name in chain), strict=True)
        found = []
        for lines in product(*(_placed(line, self.far, closed) for line in steps)):
            squares = tuple(zip(*lines, strict=True))
            if self.shared or len(set(squares)) == things:
                found.append(
                    Situation(
                        relations=self._relations(squares[0], squares[-1]),
                        back=self._relations(squares[-1], squares[0]),
                        size=things,
                        facts=tuple(f"{n} is at {s}" for n, s in zip(names, squares, strict=True)),
                    )
                )
        return tuple(found)

    def _relations(self, x: Square, y: Square) -> frozenset[str]:
        return frozenset({self.relation(x, y)} - {None})  # type: ignore[arg-type]


def _nearness(offset: Square) -> tuple[int, int, list[int], list[int]]:
    """By distance, straight before askew, north before east, north before south."""
    lengths = list(map(abs, offset))
    askew = len(offset) - offset.count(0)
    return max(lengths), askew, [-length for length in lengths], [-steps for steps in offset]


@cache
def _placed(steps: tuple[int, ...], far: int, closed: bool) -> tuple[tuple[int, ...], ...]:
    """Where the places of a chain may be on one line, once of all that are alike."""
    found: dict[tuple[int, ...], tuple[int, ...]] = {}
    for amounts in product(*(_amounts(number, far, far * len(steps)) for number in steps)):
        places = tuple(accumulate(amounts, initial=0))
        if not closed or not places[-1]:
            apart = max(-far, min(far, places[-1]))
            found.setdefault((apart, *(places.index(place) for place in places)), places)
    return tuple(found.values())


def _amounts(steps: int, far: int, reach: int) -> range:
    """All that the steps of a predicate on one line may be."""
    if abs(steps) < far:
        return range(steps, steps + 1)
    return range(far, reach + 1) if steps > 0 else range(-reach, 1 - far)


MAP = Grid()
OVERLAP = Grid(shared=True)
BLOCK = Grid(lines=3, counted=2)
