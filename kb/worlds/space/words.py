"""Generated parts of the space worlds: predicates and their words."""

from collections.abc import Iterator
from itertools import permutations

from .steps import Grid, Square

_NUMBERS = ("zero", "one", "two", "three", "four")
_DIRECTIONS = (("north", "south"), ("east", "west"))


def sections(grid: Grid) -> dict[str, dict[str, object]]:
    """Return the generated sections of a world file."""
    phrases = {name: list(dict.fromkeys(_phrases(grid, of))) for name, of in grid.offsets.items()}
    return {
        "predicates": {name: _predicate(grid, name, own) for name, (own, *_) in phrases.items()},
        "aliases": {own: also for own, *also in phrases.values()},
    }


def _predicate(grid: Grid, name: str, words: str) -> dict[str, object]:
    return {"words": words, "inverse": grid.predicate([-steps for steps in grid.offsets[name]])}


def _phrases(grid: Grid, offset: Square) -> Iterator[str]:
    """Yield phrases for an offset, the world's own first."""
    directions = [
        names[steps < 0] for steps, names in zip(offset, _DIRECTIONS, strict=True) if steps
    ]
    for digits in (False, True):
        parts = [
            f"{_amount(grid, abs(steps), digits)} {way}"
            for steps, way in zip(filter(None, offset), directions, strict=True)
        ]
        wholes = [" and ".join(order) for order in permutations(parts)]
        if abs(offset[0]) == abs(offset[1]) in range(1, grid.far):
            # Equal counted steps north and east are joined.
            wholes = [f"{parts[0]}{dash}{directions[1]}" for dash in ("-", "")] + wholes
        for whole in wholes:
            yield from (f"{whole} of", whole)


def _amount(grid: Grid, steps: int, digits: bool) -> str:
    number = min(steps, grid.max_counted)
    amount = str(number) if digits else _NUMBERS[number]
    more = "more than " if steps > grid.max_counted else ""
    return f"{more}{amount} step{'s' * (steps != 1)}"
