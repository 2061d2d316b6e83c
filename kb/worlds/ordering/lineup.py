"""Random people to compare, from whom stories are sampled."""

from typing import NamedTuple

from ....errors import InvalidOption
from ....seed import Stream
from .ranks import DIMENSIONS

_MIN_PEOPLE = 8


class Standing(NamedTuple):
    """The position of a person in the dimension of their half.

    Facts about two people on different floors are strict ("taller"), on different steps of one
    floor weak ("not shorter"), and on one step equal ("as tall").
    """

    floor: int
    step: int


class Lineup(NamedTuple):
    """Two halves of people, each compared in its own dimension, and across in other dimensions."""

    dimensions: tuple[str, str]
    half: tuple[int, ...]
    """Half by person."""
    standing: tuple[Standing, ...]
    across: dict[tuple[int, int], tuple[str, bool]]
    """By pair of people of both halves, the dimension compared and whether strictly."""
    higher: dict[str, int]
    """By dimension compared across, the half that has more."""


def tied_people(people: int) -> int:
    """Return the minimum number of people of a half who are equal.

    `as-tall` follows only from `as-tall` and `as-tall`, so the chain between two such people has
    at most two facts less, which leaves somebody for noise.
    """
    return min(people // 4 + 2, people // 2 - 1)


def sample_lineup(stream: Stream, people: int) -> Lineup:
    """Split people into two halves, and rank each half in one dimension.

    About half of a half are equal. The others stand in pairs, on steps of the same floor and on
    other floors, above and below: so most query people equal somebody, and the end facts do not
    reveal the answer. Across, everybody of one half has more than everybody of the other, or as
    much, and two such comparisons entail nothing about two people of one half. So the facts entail
    a comparison of two people in at most one dimension.
    """
    if people < _MIN_PEOPLE:
        raise InvalidOption(f"cannot line up {people} people; ask for {_MIN_PEOPLE} or more")
    names = list(DIMENSIONS)
    stream.shuffle(names)
    numbers = list(range(people))
    stream.shuffle(numbers)
    half, standing = [0] * people, [Standing(0, 0)] * people
    halves = (numbers[: people // 2], numbers[people // 2 :])
    for which, several in enumerate(halves):
        others = several[tied_people(people) :]
        for person in several:
            half[person] = which
        for place, person in enumerate(others):
            standing[person] = _standing(place // 2 + which)
    higher = {name: stream.below(2) for name in names[2:]}
    across: dict[tuple[int, int], tuple[str, bool]] = {}
    for one in halves[0]:
        for other in halves[1]:
            ticket = stream.below(_CROSS_PAIR_ODDS)
            if ticket < 4:
                across[one, other] = names[2 + ticket // 2], ticket % 2 == 0
    return Lineup((names[0], names[1]), tuple(half), tuple(standing), across, higher)


_CROSS_PAIR_ODDS = 24
"""Four of this many pairs across the halves are compared: in one dimension or the other, strictly
or not."""


def _standing(number: int) -> Standing:
    """Return a step above, a floor above, a step below, a floor below, then further away."""
    away = (number // 4 + 1) * (1 if number % 4 < 2 else -1)
    return Standing(0, away) if number % 2 == 0 else Standing(away, 0)


def relation(lineup: Lineup, x: int, y: int) -> str | None:
    """Return the predicate from x to y, if any."""
    if lineup.half[x] == lineup.half[y]:
        more, less, same = DIMENSIONS[lineup.dimensions[lineup.half[x]]]
        one, other = lineup.standing[x], lineup.standing[y]
        if one == other:
            return same
        if one.floor == other.floor:
            return f"not-{less}" if other > one else f"not-{more}"
        return more if other > one else less
    first = lineup.half[x] == 0
    compared = lineup.across.get((x, y) if first else (y, x))
    if compared is None:
        return None
    dimension, strictly = compared
    more, less, _ = DIMENSIONS[dimension]
    if lineup.higher[dimension] == lineup.half[y]:
        return more if strictly else f"not-{less}"
    return less if strictly else f"not-{more}"
