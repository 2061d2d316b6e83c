"""What a sentence says of two events by their times, read without what told it.

It shares no code with timetable.py, only the sentences of dates.yaml; days are counted by Python's
calendar.
"""

import re
from datetime import date, datetime, timedelta
from functools import cache
from importlib.resources import files

import yaml

from .judge import word_for

_NAME = r"[\w@'-]+"
_CLOCK = r"(?:1?\d|2[0-3]):[0-5]\d"
_NOON = r"noon on [1-9]\d? [A-Z][a-z]+"
_LENGTH = r"\d+ [a-z]+(?: and \d+ [a-z]+)?"


def reckoned(text: str, x: str, y: str) -> tuple[str, str] | None:
    """The name of the frame, and the word that the times of x and y make true of "y ... x".

    None where the text tells no times of these two, or times that are none.
    """
    for scale, number, frame in _frames():
        match = frame.fullmatch(text)
        if match is None:
            continue
        told = {}
        for clause in (match["one"], match["two"]):
            said = _span(clause[0].lower() + clause[1:], scale)
            if said is None:
                return None
            told[said[0]] = said[1:]
        if set(told) != {x, y}:
            return None
        word = word_for(*told[y], *told[x])
        return (f"by:{scale}-{number}", word) if word else None
    return None


@cache
def _told() -> dict[str, list[str]]:
    text = (files(__package__) / "dates.yaml").read_text(encoding="utf-8")
    loaded: dict[str, list[str]] = yaml.safe_load(text)
    return loaded


@cache
def _frames() -> tuple[tuple[str, int, re.Pattern[str]], ...]:
    """The frames as patterns, with their scale and number."""
    patterns = []
    for scale in ("day", "year"):
        for number, frame in enumerate(_told()[scale], 1):
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
    """What may be said of an event, as patterns."""
    moment = _CLOCK if scale == "day" else _NOON
    slots = {"event": _NAME, "start": moment, "end": moment, "length": _LENGTH}
    patterns = []
    for span in _told()["spans"]:
        pattern = re.escape(span)
        for slot, meant in slots.items():
            pattern = pattern.replace(rf"\{{{slot}\}}", f"(?P<{slot}>{meant})")
        patterns.append(re.compile(pattern))
    return tuple(patterns)


def _span(clause: str, scale: str) -> tuple[str, datetime, datetime] | None:
    """Of which event a clause tells, when it started and when it ended."""
    for span in _spans(scale):
        match = span.fullmatch(clause)
        if match is None:
            continue
        said = match.groupdict()
        try:
            start, end = (
                _moment(said[name]) if said.get(name) else None for name in ("start", "end")
            )
            length = _length(said["length"], scale) if said.get("length") else None
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
            or _whole(start, scale) != _whole(end, scale)
        ):
            return None
        return said["event"], start, end
    return None


def _whole(moment: datetime, scale: str) -> date:
    """The day or the year in which a moment lies."""
    return moment.date() if scale == "day" else date(moment.year, 1, 1)


_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)


def _moment(text: str) -> datetime:
    """A moment of some year that is no leap year; a clock time on some day of it."""
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
