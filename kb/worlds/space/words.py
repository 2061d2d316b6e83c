"""The sections of a world file that steps decide: predicates, their words, and parts of these.

There are too many to be written down.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import permutations

from .steps import Grid, Square

_NUMBERS = ("zero", "one", "two", "three", "four")
_BEYOND = ("five", "six", "seven", "eight", "nine", "ten")
_DIRECTIONS = (("north", "south"), ("east", "west"), ("up", "down"))
_OVER = {"up": "above", "down": "below"}
_TOGETHER = "in the same square as"
_ALSO_TOGETHER = (
    "in the same square",
    "the same square as",
    "the same square",
    "in the same place as",
    "in the same place",
    "at the same place as",
    "at the same place",
    "the same place",
    "same place",
    "overlap",
    "overlapping",
)


def sections(grid: Grid, questions: Mapping[str, str]) -> dict[str, dict[str, object]]:
    """All of them; the questions are for the parts."""
    said = {name: list(dict.fromkeys(_phrases(grid, of))) for name, of in grid.offsets.items()}
    return {
        "predicates": {name: _predicate(grid, name, phrases[0]) for name, phrases in said.items()},
        "aliases": {own: also for own, *also in said.values()},
        "parts": {
            "direction": _part(grid, questions, "direction", _direction),
            "distance": _part(grid, questions, "distance", _distance)
            | {"others": _no_distances(grid)},
        },
    }


def _predicate(grid: Grid, name: str, words: str) -> dict[str, object]:
    back = grid.predicate([-steps for steps in grid.offsets[name]])
    return {"words": words} | ({"symmetric": True} if back == name else {"inverse": back})


def _phrases(grid: Grid, offset: Square) -> Iterator[str]:
    """The ways to say so many steps, the world's own first."""
    if not any(offset):
        yield from (_TOGETHER, "same square", *_ALSO_TOGETHER)
        return
    ways = _ways(offset)
    for digits in (False, True):
        parts = [
            f"{_amount(grid, abs(steps), digits)} {way}"
            for steps, way in zip(filter(None, offset), ways, strict=True)
        ]
        if ways[0] in _OVER:
            yield from (f"{parts[0].rsplit(maxsplit=1)[0]} {_OVER[ways[0]]}",)
            yield from (f"{parts[0]} from", parts[0])
            continue
        ending = "from" if ways[-1] in _OVER else "of"
        for several in _diagonal(grid, offset, parts, ways):
            for order in permutations(several):
                *others, last = order
                whole = f"{', '.join(others)} and {last}" if others else last
                yield from (f"{whole} {ending}", whole)


def _ways(offset: Square) -> list[str]:
    """The directions in which there are any steps."""
    return [
        directions[steps < 0]
        for steps, directions in zip(offset, _DIRECTIONS, strict=False)
        if steps
    ]


def _diagonal(grid: Grid, offset: Square, parts: list[str], ways: list[str]) -> Iterator[list[str]]:
    """The parts with as many steps north and east in one, where these are counted, and apart."""
    if abs(offset[0]) == abs(offset[1]) in range(1, grid.far):
        for dash in ("-", ""):
            yield [f"{parts[0]}{dash}{ways[1]}", *parts[2:]]
    yield parts


def _amount(grid: Grid, steps: int, digits: bool) -> str:
    number = min(steps, grid.counted)
    said = str(number) if digits else _NUMBERS[number]
    more = "more than " if steps > grid.counted else ""
    return f"{more}{said} step{'s' * (steps != 1)}"


def _part(
    grid: Grid,
    questions: Mapping[str, str],
    name: str,
    answer: Callable[[Grid, Square], tuple[str, list[str]]],
) -> dict[str, object]:
    """A question for a part, which predicates have which answer, and other words for answers."""
    answers: dict[str, list[str]] = {}
    aliases: dict[str, list[str]] = {}
    for predicate, offset in grid.offsets.items():
        own, also = answer(grid, offset)
        answers.setdefault(own, []).append(predicate)
        aliases[own] = also
    return {"question": questions[name], "answers": answers, "aliases": aliases}


def _direction(grid: Grid, offset: Square) -> tuple[str, list[str]]:
    """What direction that is, and other words for it."""
    *level, last = _ways(offset) or [""]
    if not last:
        return "same square", [*_ALSO_TOGETHER, "no direction"]
    if last not in _OVER:
        return _on_the_level([*level, last])
    if not level:
        return last, [_OVER[last], f"step {last}", f"step {_OVER[last]}", f"straight {last}"]
    own, also = _on_the_level(level)
    if len(level) == 2:
        also.append(f"{level[0]}, {level[1]}")
    turned = [f"{last} and {other}" for other in (own, *also)]
    return f"{own} and {last}", [f"{other} and {last}" for other in also] + turned


def _on_the_level(ways: list[str]) -> tuple[str, list[str]]:
    if len(ways) == 1:
        return ways[0], [f"step {ways[0]}", f"due {ways[0]}"]
    (up, along), whole = ways, "".join(ways)
    also = [whole, f"{up} {along}", f"{up} and {along}", f"{along} and {up}", up[0] + along[0]]
    return f"{up}-{along}", [*also, f"step {up}-{along}", f"step {whole}"]


def _distance(grid: Grid, offset: Square) -> tuple[str, list[str]]:
    """How far that is, and other words for it."""
    steps = max(map(abs, offset))
    if steps <= grid.counted:
        own, unit = _NUMBERS[steps], f"step{'s' * (steps != 1)}"
        none = ["none", "no steps"] if not steps else []
        return own, [str(steps), f"{own} {unit}", f"{steps} {unit}", *none]
    also = []
    for most, least in ((str(steps - 1), str(steps)), (_NUMBERS[steps - 1], _NUMBERS[steps])):
        also += [f"more than {most}", f"more than {most} steps", f"over {most}"]
        also += [f"at least {least}", f"{least} or more"]
    own = f"more than {_NUMBERS[grid.counted]}"
    return own, [other for other in also if other != own]


def _no_distances(grid: Grid) -> list[str]:
    """Numbers that are no answer."""
    numbers = list(enumerate((*_NUMBERS, *_BEYOND)))
    told = range(0 if grid.shared else 1, grid.far)
    return [said for n, word in numbers if n not in told for said in (word, str(n))]
