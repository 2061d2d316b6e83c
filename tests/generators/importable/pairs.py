"""Products of options that the profile thins."""

from collections.abc import Iterable
from typing import TypeVar

from relsmith.testing.profile import thinned

S = TypeVar("S")
T = TypeVar("T")


def in_turn(firsts: Iterable[S], seconds: Iterable[T]) -> list[tuple[S, T]]:
    """Return all pairs; in `quick` one for each first item, with the second items in turn."""
    some, others = list(firsts), list(seconds)
    every = [
        (first, others[(place + n) % len(others)])
        for place, first in enumerate(some)
        for n in range(len(others))
    ]
    return thinned(every, least=len(some))
