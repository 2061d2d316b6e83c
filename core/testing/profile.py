"""How much effort tests spend: one named profile, `quick`, `full` or `search`.

The environment variable RELSMITH_PROFILE names it; without it, tests are quick. Numbers in tests
are those of `full`, written `scaled(300)`; `quick` runs a tenth, `search` ten times as many.
Products such as world x option are thinned by `thinned(...)`, which keeps all but in `quick`.
"""

import os
from collections.abc import Iterable
from typing import Final, Literal, TypeVar

from ..errors import InvalidOption

T = TypeVar("T")

Profile = Literal["quick", "full", "search"]
VARIABLE: Final = "RELSMITH_PROFILE"
FACTORS: Final[dict[Profile, float]] = {"quick": 0.1, "full": 1, "search": 10}


def profile() -> Profile:
    """Return the profile that the environment names."""
    name = os.environ.get(VARIABLE) or "quick"
    if name not in FACTORS:
        raise InvalidOption(f"{VARIABLE}: expected {', '.join(FACTORS)}, but got {name!r}")
    return name


def scaled(full: int, least: int = 1) -> int:
    """Scale a number of examples, rows or kills to the profile; never below `least`."""
    return max(least, round(full * FACTORS[profile()]))


def thinned(values: Iterable[T], least: int = 1) -> list[T]:
    """Return all values, or in `quick` a tenth of them, evenly spread, the first always.

    Whatever the profile, there are at least `least` of them, as far as there are so many.
    """
    every = list(values)
    if profile() != "quick" or len(every) <= least:
        return every
    count = max(least, -(-len(every) // 10))
    return [every[n * len(every) // count] for n in range(count)]
