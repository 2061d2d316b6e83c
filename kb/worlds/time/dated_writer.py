"""Sentences that state a relation of two events by clock times of one day or dates of one year."""

import re
from functools import cache
from itertools import combinations, product
from typing import Final

from ....seed import Stream
from ....tables import load_tables
from ..stories import word_lists
from .intervals import RELATIONS, Interval, relation

_DAY: Final = range(6 * 12, 23 * 12)
"""Clock times that are used, every five minutes from 6:00 to 23:00."""
_YEAR: Final = range(306)
"""Days of a year that are used, from 1 March on: earlier ones depend on leap years."""
_MONTHS: Final = (
    *(("March", 31), ("April", 30), ("May", 31), ("June", 30), ("July", 31)),
    *(("August", 31), ("September", 30), ("October", 31), ("November", 30), ("December", 31)),
)
_SPREAD: Final = {"day": (60, 3), "year": (36, 3)}
"""Maximum and minimum number of moments between two times of a sentence: the events of
`events.yaml` last from a quarter of an hour to five hours, or from three days to five weeks."""


def render_dated(x: str, predicate: str, y: str, stream: Stream) -> tuple[str, str]:
    """Return a sentence whose times entail the predicate from x to y, and the name of its frame."""
    frames = _frames()
    scale = _scales().get(x) or _scales().get(y) or ("day", "year")[stream.below(2)]
    order = _orders()[predicate]
    ranks = 1 + max(*order[0], *order[1])
    every = _DAY if scale == "day" else _YEAR
    spread, step = _SPREAD[scale]
    first = every.start + stream.below(len(every) - spread)
    moments = sorted(stream.sample(range(first, first + spread + 1, step), ranks))
    clauses = []
    for event, (start, end) in zip((x, y), order, strict=True):
        span = frames["spans"][stream.below(len(frames["spans"]))]
        text = span.replace("{event}", event)
        text = text.replace("{start}", _moment(scale, moments[start]))
        text = text.replace("{end}", _moment(scale, moments[end]))
        clauses.append(text.replace("{length}", _length(scale, moments[end] - moments[start])))
    if stream.below(2):
        clauses.reverse()
    number = stream.below(len(frames[scale]))
    text = frames[scale][number]
    for name, clause in zip(("one", "two"), clauses, strict=True):
        text = text.replace(f"{{{name}}}", clause)
        text = text.replace(f"{{{name.capitalize()}}}", clause[0].upper() + clause[1:])
    return text, f"by:{scale}-{number + 1}"


def _frames() -> dict[str, list[str]]:
    frames: dict[str, list[str]] = load_tables(__package__, "dates.yaml")
    return frames


def dated_words() -> frozenset[str]:
    """Return all words of dated sentences except months, which are capitalised."""
    frames = _frames()
    texts = [*frames["day"], *frames["year"], *frames["spans"]]
    plain = re.sub(r"\{\w+\}", " ", " ".join(texts)).lower()
    return frozenset(re.findall(r"[a-z]+", plain)) | {
        *("noon", "minute", "minutes", "hour", "hours", "day", "days", "week", "weeks")
    }


@cache
def _scales() -> dict[str, str]:
    """Return how the times of each event are stated: by clock times of a day, or by dates."""
    events = word_lists("time", "events.yaml")
    return dict.fromkeys(events["hours"], "day") | dict.fromkeys(events["days"], "year")


@cache
def _orders() -> dict[str, tuple[Interval, Interval]]:
    """Return intervals of x and y for each relation, by ranks without gaps."""
    orders: dict[str, tuple[Interval, Interval]] = {}
    for x, y in product(combinations(range(4), 2), repeat=2):
        ranks = {*x, *y}
        if ranks == set(range(len(ranks))):
            orders[relation(x, y)] = x, y
    assert set(orders) == set(RELATIONS.values())
    return orders


def _moment(scale: str, moment: int) -> str:
    if scale == "day":
        return f"{moment // 12}:{moment % 12 * 5:02}"
    for month, days in _MONTHS:
        if moment < days:
            return f"noon on {moment + 1} {month}"
        moment -= days
    raise AssertionError("no such day")


def _length(scale: str, length: int) -> str:
    if scale == "year":
        return _plural(length // 7, "week") if length % 7 == 0 else _plural(length, "day")
    hours, minutes = length // 12, length % 12 * 5
    parts = [_plural(hours, "hour")] * (hours > 0) + [_plural(minutes, "minute")] * (minutes > 0)
    return " and ".join(parts)


def _plural(count: int, unit: str) -> str:
    return f"{count} {unit}" if count == 1 else f"{count} {unit}s"
