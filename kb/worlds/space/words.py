"""Generated parts of the space worlds: predicates and their words."""

from collections.abc import Iterator
from itertools import permutations

from .steps import Grid, Square

_NUMBERS = ("zero", "one", "two", "three", "four")
_DIRECTIONS = (("north", "south"), ("east", "west"), ("up", "down"))
_OVER = {"up": "above", "down": "below"}
_TOGETHER = "in the same square as"
_ALSO_TOGETHER = (
    *("in the same square", "the same square as", "the same square"),
    *("in the same place as", "in the same place", "at the same place as", "at the same place"),
    *("the same place", "same place", "overlap", "overlapping"),
)


def sections(grid: Grid) -> dict[str, dict[str, object]]:
    """Return the generated sections of a world file."""
    phrases = {name: list(dict.fromkeys(_phrases(grid, of))) for name, of in grid.offsets.items()}
    return {
        "predicates": {name: _predicate(grid, name, own) for name, (own, *_) in phrases.items()},
        "aliases": {own: also for own, *also in phrases.values()},
    }


def _predicate(grid: Grid, name: str, words: str) -> dict[str, object]:
    back = grid.predicate([-steps for steps in grid.offsets[name]])
    return {"words": words} | ({"symmetric": True} if back == name else {"inverse": back})


def _phrases(grid: Grid, offset: Square) -> Iterator[str]:
    """Yield phrases for an offset, the world's own first."""
    if not any(offset):
        yield from (_TOGETHER, "same square", *_ALSO_TOGETHER)
        return
    directions = _directions(offset)
    for digits in (False, True):
        parts = [
            f"{_amount(grid, abs(steps), digits)} {way}"
            for steps, way in zip(filter(None, offset), directions, strict=True)
        ]
        if directions[0] in _OVER:
            yield f"{parts[0].rsplit(maxsplit=1)[0]} {_OVER[directions[0]]}"
            yield from (f"{parts[0]} from", parts[0])
            continue
        ending = "from" if directions[-1] in _OVER else "of"
        for several in _diagonal(grid, offset, parts, directions):
            for order in permutations(several):
                *others, last = order
                whole = f"{', '.join(others)} and {last}" if others else last
                yield from (f"{whole} {ending}", whole)


def _directions(offset: Square) -> list[str]:
    return [
        directions[steps < 0]
        for steps, directions in zip(offset, _DIRECTIONS, strict=False)
        if steps
    ]


def _diagonal(
    grid: Grid, offset: Square, parts: list[str], directions: list[str]
) -> Iterator[list[str]]:
    """Yield the parts with equal counted steps north and east joined, and then separate."""
    if abs(offset[0]) == abs(offset[1]) in range(1, grid.far):
        for dash in ("-", ""):
            yield [f"{parts[0]}{dash}{directions[1]}", *parts[2:]]
    yield parts


def _amount(grid: Grid, steps: int, digits: bool) -> str:
    number = min(steps, grid.max_counted)
    amount = str(number) if digits else _NUMBERS[number]
    more = "more than " if steps > grid.max_counted else ""
    return f"{more}{amount} step{'s' * (steps != 1)}"
