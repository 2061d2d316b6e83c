"""Generated parts of the space worlds: predicates, their words, and part questions."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import permutations

from ..questions import PartQuestion
from .steps import Grid, Square

_NUMBERS = ("zero", "one", "two", "three", "four")
_BEYOND = ("five", "six", "seven", "eight", "nine", "ten")
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


def part_questions(
    grid: Grid, texts: Mapping[str, str], solve: Callable[[str, str], str]
) -> Iterator[PartQuestion]:
    """Yield the part questions with these texts; `solve` answers them by part and word."""
    for name, text in texts.items():
        answers: dict[str, tuple[str, ...]] = {}
        aliases: dict[str, tuple[str, ...]] = {}
        for predicate, offset in grid.offsets.items():
            own, also = PARTS[name](grid, offset)
            answers[own] = (*answers.get(own, ()), predicate)
            aliases[own] = tuple(also)
        others = tuple(_no_distances(grid)) if name == "distance" else ()
        yield PartQuestion(name, text, answers, partial(solve, name), aliases, others)


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


def _direction(grid: Grid, offset: Square) -> tuple[str, list[str]]:
    *level, last = _directions(offset) or [""]
    if not last:
        return "same square", [*_ALSO_TOGETHER, "no direction"]
    if last not in _OVER:
        return _horizontal([*level, last])
    if not level:
        return last, [_OVER[last], f"step {last}", f"step {_OVER[last]}", f"straight {last}"]
    own, also = _horizontal(level)
    if len(level) == 2:
        also.append(f"{level[0]}, {level[1]}")
    turned = [f"{last} and {other}" for other in (own, *also)]
    return f"{own} and {last}", [f"{other} and {last}" for other in also] + turned


def _horizontal(directions: list[str]) -> tuple[str, list[str]]:
    if len(directions) == 1:
        return directions[0], [f"step {directions[0]}", f"due {directions[0]}"]
    (up, along), whole = directions, "".join(directions)
    also = [whole, f"{up} {along}", f"{up} and {along}", f"{along} and {up}", up[0] + along[0]]
    return f"{up}-{along}", [*also, f"step {up}-{along}", f"step {whole}"]


def _distance(grid: Grid, offset: Square) -> tuple[str, list[str]]:
    steps = max(map(abs, offset))
    if steps <= grid.max_counted:
        own, unit = _NUMBERS[steps], f"step{'s' * (steps != 1)}"
        none = ["none", "no steps"] if not steps else []
        return own, [str(steps), f"{own} {unit}", f"{steps} {unit}", *none]
    also = []
    for most, least in ((str(steps - 1), str(steps)), (_NUMBERS[steps - 1], _NUMBERS[steps])):
        also += [f"more than {most}", f"more than {most} steps", f"over {most}"]
        also += [f"at least {least}", f"{least} or more"]
    own = f"more than {_NUMBERS[grid.max_counted]}"
    return own, [other for other in also if other != own]


PARTS = {"direction": _direction, "distance": _distance}
"""By part, the function that returns its answer for an offset, and synonyms."""


def _no_distances(grid: Grid) -> list[str]:
    """Return numbers that are no answer."""
    numbers = list(enumerate((*_NUMBERS, *_BEYOND)))
    answers = range(0 if grid.shared else 1, grid.far)
    return [text for n, word in numbers if n not in answers for text in (word, str(n))]
