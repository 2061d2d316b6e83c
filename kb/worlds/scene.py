"""Scenes that stories are sampled from: people or things, and the relations between them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Final

UNSTATED_NUMBER: Final = 2
"""Gender number of people whose gender is not stated; 0 is female, 1 male."""


@dataclass(frozen=True, eq=False)
class Scene:
    """All people or things that stories are sampled from, and the relations between them.

    At most one predicate holds from one to another. Predicates are numbers, and sets of people
    are bitmasks, so that they are intersected in one operation.
    """

    gender: tuple[int, ...]
    """By person: 0 female, 1 male, 2 not stated; or the number of a kind."""
    related: tuple[tuple[int, ...], ...]
    """By person x and predicate, the set of all y of whom the predicate holds from x."""
    neighbors: tuple[int, ...]
    """By person, the set of all who are related to that person."""
    between: tuple[tuple[int, ...], ...]
    """By person x and y, the predicate that holds from x to y, or -1."""

    @classmethod
    def from_related(cls, gender: Sequence[int], related: Sequence[tuple[int, ...]]) -> "Scene":
        """Make a scene from genders and, by person and predicate, sets of relatives."""
        between = []
        for row in related:
            line = [-1] * len(related)
            for predicate, relatives in enumerate(row):
                for relative in members(relatives) if relatives else ():
                    line[relative] = predicate
            between.append(tuple(line))
        neighbors = tuple(reduce(or_, row) for row in related)
        return cls(tuple(gender), tuple(related), neighbors, tuple(between))

    @classmethod
    def from_relation(
        cls, relation: Callable[[int, int], str | None], size: int, predicates: Sequence[str]
    ) -> "Scene":
        """Make a scene without genders; `relation(x, y)` is the predicate from x to y, or None."""
        number = {name: n for n, name in enumerate(predicates)}
        related = []
        for x in range(size):
            row = [0] * len(number)
            for y in range(size):
                predicate = relation(x, y) if x != y else None
                if predicate is not None:
                    row[number[predicate]] |= 1 << y
            related.append(tuple(row))
        return cls.from_related([0] * size, related)

    def pairs(self) -> list[list[tuple[int, int]]]:
        """By predicate, all (x, y) for which it holds."""
        pairs: list[list[tuple[int, int]]] = [[] for _ in self.related[0]]
        for x, row in enumerate(self.between):
            for y, predicate in enumerate(row):
                if predicate >= 0:
                    pairs[predicate].append((x, y))
        return pairs


def swapped_genders(genders: Sequence[int]) -> list[int]:
    """Swap male and female."""
    return [gender if gender == UNSTATED_NUMBER else 1 - gender for gender in genders]


def members(people: int) -> list[int]:
    """Return the people of a set in ascending order."""
    numbers = []
    while people:
        lowest = people & -people
        numbers.append(lowest.bit_length() - 1)
        people ^= lowest
    return numbers
