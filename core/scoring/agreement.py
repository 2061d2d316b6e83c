"""How far people agree beyond chance, whatever they were asked."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


def krippendorff_alpha(units: Iterable[Mapping[T, int]]) -> float | None:
    """Krippendorff's alpha for names (nominal data): 1 is agreement, 0 what chance would give.

    A unit says how often each value was given to it; how many people gave one may differ, and a
    unit with fewer than two values says nothing. None where no pair of values could differ.
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
