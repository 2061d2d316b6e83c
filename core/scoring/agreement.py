"""Agreement of annotators beyond chance."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


def krippendorff_alpha(units: Iterable[Mapping[T, int]]) -> float | None:
    """Return Krippendorff's alpha for nominal data: 1 is full agreement, 0 is chance.

    A unit maps each value to the number of annotators who gave it; units with fewer than two
    values are ignored. None if all values are equal.
    K. Krippendorff, Computing Krippendorff's Alpha-Reliability, 2011.
    """
    totals: Counter[T] = Counter()
    disagreed = 0.0
    for unit in units:
        counts = [count for count in unit.values() if count]
        given = sum(counts)
        if given < 2:
            continue
        totals.update(unit)
        alike = sum(count * (count - 1) for count in counts)
        disagreed += (given * (given - 1) - alike) / (given - 1)
    every = sum(totals.values())
    by_chance = every * every - sum(count * count for count in totals.values())
    if not by_chance:
        return None
    return 1 - (every - 1) * disagreed / by_chance
