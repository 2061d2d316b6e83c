"""Parser of sentences that state the times of two events, independent of dated_writer.py.

They only share the sentences of dates.yaml; days are counted by Python's calendar.
"""

import re
from datetime import date, datetime, timedelta
from functools import cache

from ....tables import load_tables
from .judge import word_for

_NAME = r"[\w@'-]+"
_CLOCK = r"(?:1?\d|2[0-3]):[0-5]\d"
_NOON = r"noon on [1-9]\d? [A-Z][a-z]+"
_LENGTH = r"\d+ [a-z]+(?: and \d+ [a-z]+)?"


def parse_dated(text: str, x: str, y: str) -> tuple[str, str] | None:
    """Return the name of the frame, and the word of "y ... x" that the times entail.

    None if the text does not state valid times of these two.
    """
    for scale, number, frame in _frames():
        match = frame.fullmatch(text)
        if match is None:
            continue
        times = {}
        for clause in (match["one"], match["two"]):
            parsed = _span(clause[0].lower() + clause[1:], scale)
            if parsed is None:
                return None
            times[parsed[0]] = parsed[1:]
        if set(times) != {x, y}:
            return None
        word = word_for(*times[y], *times[x])
        return (f"by:{scale}-{number}", word) if word else None
    return None


def _frame_file() -> dict[str, list[str]]:
    frames: dict[str, list[str]] = load_tables(__package__, "dates.yaml")
    return frames


@cache
def _frames() -> tuple[tuple[str, int, re.Pattern[str]], ...]:
    """Return the frames as patterns, with their scale and number."""
    patterns = []
    for scale in ("day", "year"):
        for number, frame in enumerate(_frame_file()[scale], 1):
            pattern = re.escape(frame)
            for slot in ("one", "two"):
                for name, article in ((slot, "the"), (slot.capitalize(), "The")):
                    pattern = pattern.replace(
                        rf"\{{{name}\}}", f"(?P<{slot}>{article} {_NAME} .+?)"
                    )
            patterns.append((scale, number, re.compile(pattern)))
    return tuple(patterns)


@cache
def _spans(scale: str) -> tuple[re.Pattern[str], ...]:
    """Return the clauses about one event as patterns."""
    moment = _CLOCK if scale == "day" else _NOON
    slots = {"event": _NAME, "start": moment, "end": moment, "length": _LENGTH}
    patterns = []
    for span in _frame_file()["spans"]:
        pattern = re.escape(span)
        for slot, meant in slots.items():
            pattern = pattern.replace(rf"\{{{slot}\}}", f"(?P<{slot}>{meant})")
        patterns.append(re.compile(pattern))
    return tuple(patterns)


def _span(clause: str, scale: str) -> tuple[str, datetime, datetime] | None:
    """Return the event of a clause, its start and its end; None if they are not valid."""
    for span in _spans(scale):
        match = span.fullmatch(clause)
        if match is None:
            continue
        slots = match.groupdict()
        try:
            start, end = (
                _moment(slots[name]) if slots.get(name) else None for name in ("start", "end")
            )
            length = _length(slots["length"], scale) if slots.get("length") else None
        except (ValueError, KeyError):  # no such day, or no such unit
            return None
        if start is None and end is not None and length is not None:
            start = end - length
        if end is None and start is not None and length is not None:
            end = start + length
        if (
            start is None
            or end is None
            or start >= end
            or _period(start, scale) != _period(end, scale)
        ):
            return None
        return slots["event"], start, end
    return None


def _period(moment: datetime, scale: str) -> date:
    return moment.date() if scale == "day" else date(moment.year, 1, 1)


_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)


def _moment(text: str) -> datetime:
    """Parse a date in a year that is no leap year, or a clock time on some day of it."""
    if ":" in text:
        hour, minute = map(int, text.split(":"))
        return datetime(2001, 7, 1, hour, minute)
    _, _, day, month = text.split()
    return datetime(2001, 1 + _MONTHS.index(month), int(day), 12)


_UNITS = {"day": {"hour": 60, "minute": 1}, "year": {"week": 60 * 24 * 7, "day": 60 * 24}}


def _length(text: str, scale: str) -> timedelta:
    minutes = 0
    for part in text.split(" and "):
        count, unit = part.split()
        single = unit if count == "1" else unit.removesuffix("s")
        if (unit == single) != (count == "1") or count.startswith("0"):
            raise ValueError
        minutes += int(count) * _UNITS[scale][single]
    return timedelta(minutes=minutes)
