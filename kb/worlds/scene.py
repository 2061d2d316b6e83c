"""The scene that stories are taken from: people or things, and what holds between any two."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Final

UNSTATED: Final = 2
"""The number of no stated gender, after those of women and of men."""


@dataclass(frozen=True, eq=False)
class Scene:
    """Everyone of a family, or every thing in a place.

    Between two of them at most one predicate holds. Predicates are numbers, and sets of people
    are whole numbers with a bit for each, so that they meet in one operation.
    """

    gender: tuple[int, ...]
    """Of each: 0 female, 1 male, 2 not stated."""
    related: tuple[tuple[int, ...], ...]
    """For each person and predicate, those who are so related to the person."""
    near: tuple[int, ...]
    """For each person, all who are related to that person at all."""
    between: tuple[tuple[int, ...], ...]
    """For each two people the predicate that holds from the one to the other, or -1."""

    @classmethod
    def of(cls, gender: Sequence[int], related: Sequence[tuple[int, ...]]) -> "Scene":
        """Look everything else up once."""
        between = []
        for row in related:
            line = [-1] * len(related)
            for predicate, relatives in enumerate(row):
                for relative in members(relatives) if relatives else ():
                    line[relative] = predicate
            between.append(tuple(line))
        near = tuple(reduce(or_, row) for row in related)
        return cls(tuple(gender), tuple(related), near, tuple(between))

    @classmethod
    def where(
        cls, relation: Callable[[int, int], str | None], size: int, predicates: Sequence[str]
    ) -> "Scene":
        """A scene without genders: `relation(x, y)` names the predicate from x to y, if any."""
        number = {name: n for n, name in enumerate(predicates)}
        related = []
        for x in range(size):
            row = [0] * len(number)
            for y in range(size):
                predicate = relation(x, y) if x != y else None
                if predicate is not None:
                    row[number[predicate]] |= 1 << y
            related.append(tuple(row))
        return cls.of([0] * size, related)

    def pairs(self) -> list[list[tuple[int, int]]]:
        """For each predicate all (x, y) where y is that to x."""
        pairs: list[list[tuple[int, int]]] = [[] for _ in self.related[0]]
        for x, row in enumerate(self.between):
            for y, predicate in enumerate(row):
                if predicate >= 0:
                    pairs[predicate].append((x, y))
        return pairs


def mirrored(genders: Sequence[int]) -> list[int]:
    """Men for women and women for men."""
    return [gender if gender == UNSTATED else 1 - gender for gender in genders]


def members(people: int) -> list[int]:
    """The people of a set, in order."""
    numbers = []
    while people:
        lowest = people & -people
        numbers.append(lowest.bit_length() - 1)
        people ^= lowest
    return numbers
