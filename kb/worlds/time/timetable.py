"""Two events told by clock times of one day or by dates of one year, so that a relation holds."""

import re
from functools import cache
from importlib.resources import files
from itertools import combinations, product
from typing import Final

import yaml

from ....seed import Stream
from .intervals import RELATIONS, Interval, relation

_DAY: Final = range(6 * 12, 23 * 12)
"""Moments of a day that are told, every five minutes from six to eleven."""
_YEAR: Final = range(306)
"""Noons of a year from the first of March on: before, it would matter which year it is."""
_MONTHS: Final = (
    *(("March", 31), ("April", 30), ("May", 31), ("June", 30), ("July", 31)),
    *(("August", 31), ("September", 30), ("October", 31), ("November", 30), ("December", 31)),
)
_CLOSE: Final = {"day": 60, "year": 45}
"""All that is told lies within so many moments, so that it takes a look to compare them."""


def dated(x: str, predicate: str, y: str, stream: Stream) -> tuple[str, str]:
    """A sentence by which y is that to x, and the name of its frame."""
    told, long = _frames(), _long()
    if x in long or y in long:
        scale = "year"
    elif x in _events() and y in _events():
        scale = "day"
    else:
        scale = ("day", "year")[stream.below(2)]
    order = _orders()[predicate]
    ranks = 1 + max(*order[0], *order[1])
    every = _DAY if scale == "day" else _YEAR
    first = every.start + stream.below(len(every) - _CLOSE[scale])
    moments = sorted(stream.sample(range(first, first + _CLOSE[scale]), ranks))
    clauses = []
    for event, (start, end) in zip((x, y), order, strict=True):
        span = told["spans"][stream.below(len(told["spans"]))]
        text = span.replace("{event}", event)
        text = text.replace("{start}", _moment(scale, moments[start]))
        text = text.replace("{end}", _moment(scale, moments[end]))
        clauses.append(text.replace("{length}", _length(scale, moments[end] - moments[start])))
    if stream.below(2):
        clauses.reverse()
    number = stream.below(len(told[scale]))
    text = told[scale][number]
    for name, clause in zip(("one", "two"), clauses, strict=True):
        text = text.replace(f"{{{name}}}", clause)
        text = text.replace(f"{{{name.capitalize()}}}", clause[0].upper() + clause[1:])
    return text, f"by:{scale}-{number + 1}"


@cache
def _frames() -> dict[str, list[str]]:
    text = (files(__package__) / "dates.yaml").read_text(encoding="utf-8")
    loaded: dict[str, list[str]] = yaml.safe_load(text)
    return loaded


def words() -> frozenset[str]:
    """All words of sentences that tell times, but for months, which have a capital letter."""
    told = _frames()
    said = [*told["day"], *told["year"], *told["spans"]]
    plain = re.sub(r"\{\w+\}", " ", " ".join(said)).lower()
    return frozenset(re.findall(r"[a-z]+", plain)) | {
        *("noon", "minute", "minutes", "hour", "hours", "day", "days", "week", "weeks")
    }


@cache
def _long() -> frozenset[str]:
    return frozenset(str(_frames()["long"]).split())


@cache
def _events() -> frozenset[str]:
    text = (files(__package__) / "events.yaml").read_text(encoding="utf-8")
    return frozenset(yaml.safe_load(text)["events"].split())


@cache
def _orders() -> dict[str, tuple[Interval, Interval]]:
    """For each relation how x and y lie by ranks, none of them left out."""
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
        return _many(length // 7, "week") if length % 7 == 0 else _many(length, "day")
    hours, minutes = length // 12, length % 12 * 5
    parts = [_many(hours, "hour")] * (hours > 0) + [_many(minutes, "minute")] * (minutes > 0)
    return " and ".join(parts)


def _many(count: int, unit: str) -> str:
    return f"{count} {unit}" if count == 1 else f"{count} {unit}s"
