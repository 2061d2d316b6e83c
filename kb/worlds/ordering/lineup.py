"""Random people to compare, from whom stories are drawn."""

from typing import NamedTuple

from ....errors import InvalidOption
from ....seed import Stream
from .ranks import DIMENSIONS

_FEWEST = 8


class Standing(NamedTuple):
    """Where somebody stands in the dimension of a half.

    Of two on other floors it is told that one has more, of two on other steps of one floor only
    that one has not less, and of two on one step that both have as much.
    """

    floor: int
    step: int


class Lineup(NamedTuple):
    """Two halves of some people, each compared in a dimension of its own, and across in others."""

    dimensions: tuple[str, str]
    half: tuple[int, ...]
    """For each person, of which half."""
    standing: tuple[Standing, ...]
    across: dict[tuple[int, int], tuple[str, bool]]
    """What is told of one of either half: a dimension, and whether strictly."""
    higher: dict[str, int]
    """Which half has more in each dimension that is told across."""


def alike(people: int) -> int:
    """How many people of a half have as much as each other at least.

    `as-tall` follows from nothing but `as-tall` and `as-tall`, so two less are the facts that can
    lie between two such people and leave somebody for noise.
    """
    return min(people // 4 + 2, people // 2 - 1)


def line_up(stream: Stream, people: int) -> Lineup:
    """Put so many people into two halves, and rank each of them in one dimension.

    About half of a half stand together. The others stand two by two, on steps of the same floor
    and on other floors, above and below: so whoever is asked about mostly has as much as somebody,
    and what is told of these two does not give the answer away. Across, everybody of one half has
    more than everybody of the other, or as much: from two such comparisons nothing follows of two
    of one half. So between two people there is one dimension at most in which anything can follow.
    """
    if people < _FEWEST:
        raise InvalidOption(f"cannot line up {people} people; ask for {_FEWEST} or more")
    names = list(DIMENSIONS)
    stream.shuffle(names)
    numbers = list(range(people))
    stream.shuffle(numbers)
    half, standing = [0] * people, [Standing(0, 0)] * people
    halves = (numbers[: people // 2], numbers[people // 2 :])
    for which, several in enumerate(halves):
        others = several[alike(people) :]
        for person in several:
            half[person] = which
        for place, person in enumerate(others):
            standing[person] = _standing(place // 2 + which)
    higher = {name: stream.below(2) for name in names[2:]}
    across: dict[tuple[int, int], tuple[str, bool]] = {}
    for one in halves[0]:
        for other in halves[1]:
            ticket = stream.below(_TICKETS)
            if ticket < 4:
                across[one, other] = names[2 + ticket // 2], ticket % 2 == 0
    return Lineup((names[0], names[1]), tuple(half), tuple(standing), across, higher)


_TICKETS = 24
"""Of so many pairs across the halves, four are compared: in one dimension or the other, strictly
or not."""


def _standing(number: int) -> Standing:
    """A step above, a floor above, a step below, a floor below, and then further and further."""
    away = (number // 4 + 1) * (1 if number % 4 < 2 else -1)
    return Standing(0, away) if number % 2 == 0 else Standing(away, 0)


def relation(lineup: Lineup, x: int, y: int) -> str | None:
    """The predicate that is told from x to y, if any is."""
    if lineup.half[x] == lineup.half[y]:
        more, less, same = DIMENSIONS[lineup.dimensions[lineup.half[x]]]
        one, other = lineup.standing[x], lineup.standing[y]
        if one == other:
            return same
        if one.floor == other.floor:
            return f"not-{less}" if other > one else f"not-{more}"
        return more if other > one else less
    first = lineup.half[x] == 0
    told = lineup.across.get((x, y) if first else (y, x))
    if told is None:
        return None
    dimension, strictly = told
    more, less, _ = DIMENSIONS[dimension]
    if lineup.higher[dimension] == lineup.half[y]:
        return more if strictly else f"not-{less}"
    return less if strictly else f"not-{more}"
