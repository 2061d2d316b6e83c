"""The effort of tests: one of the profiles `quick` (default), `full` and `search`.

Set it with the environment variable RELSMITH_PROFILE. Tests give a number of repetitions, as in
`scaled(300)`; `quick` runs a tenth of it, `full` half, `search` ten times as many. `thinned(...)`
keeps a tenth of parameter combinations in `quick`, else all.
"""

import os
from collections.abc import Iterable
from typing import Final, Literal, TypeVar

from ..errors import InvalidOption

T = TypeVar("T")

Profile = Literal["quick", "full", "search"]
VARIABLE: Final = "RELSMITH_PROFILE"
FACTORS: Final[dict[Profile, float]] = {"quick": 0.1, "full": 0.5, "search": 10}


def profile() -> Profile:
    """Return the current profile."""
    name = os.environ.get(VARIABLE) or "quick"
    if name not in FACTORS:
        raise InvalidOption(f"{VARIABLE}: expected {', '.join(FACTORS)}, but got {name!r}")
    return name


def scaled(count: int, least: int = 1) -> int:
    """Scale a number of repetitions to the profile, at least to `least`."""
    return max(least, round(count * FACTORS[profile()]))


def thinned(values: Iterable[T], least: int = 1) -> list[T]:
    """Return all values, or in `quick` an evenly spaced tenth, at least `least` of them."""
    every = list(values)
    if profile() != "quick" or len(every) <= least:
        return every
    count = max(least, -(-len(every) // 10))
    return [every[n * len(every) // count] for n in range(count)]
