"""Events with stated times are parsed back, by a parser that shares no code."""

import re
from datetime import date, timedelta
from importlib.resources import files

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from relsmith import Stream
from relsmith.kb.worlds.time import dated_writer, with_dates, world
from relsmith.kb.worlds.time.dated_parser import parse_dated
from relsmith.kb.worlds.time.dated_writer import render_dated
from relsmith.kb.worlds.time.intervals import relation
from relsmith.testing.profile import scaled

WORD = {name: entry.word() for name, entry in world().predicates.items()}
TOLD = yaml.safe_load((files("relsmith.kb.worlds.time") / "dates.yaml").read_text(encoding="utf-8"))
EVENTS = world().story_spec.names.female
names = st.lists(st.sampled_from(["fair", "@entity-3", "@entity-31", *EVENTS]), min_size=2)


@settings(max_examples=scaled(400))
@given(st.integers(), names.filter(lambda some: some[0] != some[1]), st.sampled_from(sorted(WORD)))
def test_dated_sentences_are_parsed_back(seed, some, predicate):
    x, y = some[:2]
    text, template = render_dated(x, predicate, y, Stream("dates", seed))
    assert parse_dated(text, x, y) == (template, WORD[predicate])
    assert parse_dated(text, y, x) == (template, WORD[world().inverse(predicate)])
    assert parse_dated(text, x, "other") is None


def minutes(text):
    """Return the moments of a clause: minutes since midnight, or days of the year."""
    months = "January February March April May June July August September October November December"
    length = sum(
        int(count) * {"minute": 1, "hour": 60, "day": 1, "week": 7}[unit]
        for count, unit in re.findall(r"(\d+) (minute|hour|day|week)", text)
    )
    at = [int(hour) * 60 + int(minute) for hour, minute in re.findall(r"(\d+):(\d+)", text)]
    for day, month in re.findall(r"noon on (\d+) (\w+)", text):
        at.append((date(2023, months.split().index(month) + 1, int(day)) - date(2023, 1, 1)).days)
    if len(at) == 2:
        return tuple(at)
    until = re.search(r"ended at|until", text)
    return (at[0] - length, at[0]) if until else (at[0], at[0] + length)


def test_times_agree_with_a_third_computation():
    stream = Stream("third")
    for predicate in sorted(WORD) * 12:
        x, y = stream.sample(EVENTS, 2)
        text, _ = render_dated(x, predicate, y, stream)
        first = min(text.lower().index(f"the {x}"), text.lower().index(f"the {y}"))
        second = max(text.lower().index(f"the {x}"), text.lower().index(f"the {y}"))
        one, two = minutes(text[first:second]), minutes(text[second:])
        turned = text.lower().index(f"the {x}") == second
        assert relation(*((two, one) if turned else (one, two))) == predicate, text


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (
            "On one and the same day, the fair lasted from 9:00 to 10:30, and the ball began at "
            "10:30 and lasted 1 hour.",
            "began exactly at the end of",
        ),
        (
            "These two fell on one day: the ball ended at 10:00 after 1 hour and 5 minutes; the "
            "fair went on for 55 minutes until 9:50.",
            "began at the same time as but ended later than",
        ),
        (
            "The fair lasted from noon on 28 May to noon on 3 June. In the same year, the ball "
            "began at noon on 27 May and lasted 1 week.",
            "began earlier than but ended at the same time as",
        ),
        (
            "It was the same year for both: the fair went on for 2 weeks until noon on 1 July, and "
            "the ball ended at noon on 17 June after 30 days.",
            "ended exactly at the start of",
        ),
    ],
)
def test_by_example(text, word):
    assert parse_dated(text, "fair", "ball")[1] == word


RIGHT = (
    "On one and the same day, the fair lasted from 9:00 to 10:30, and the ball began at 10:30 and "
    "lasted 1 hour."
)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("On one and the same day", "On different days"),
        ("9:00", "25:00"),
        ("9:00", "11:00"),
        ("9:00", "noon on 3 May"),
        ("1 hour", "1 fortnight"),
        ("1 hour", "0 hours"),
        ("1 hour", "1 hours"),
        ("1 hour", "2 hour"),
        ("1 hour", "2 days"),
        ("1 hour", "15 hours"),
        ("9:00", "09:00"),
        ("the ball", "the fair"),
        ("the ball", "the vote"),
        ("10:30 and lasted", "10:30 or lasted"),
        ("1 hour.", "1 hour. The vote began at 9:00 and lasted 1 hour."),
    ],
)
def test_other_sentences_are_not_parsed_as_times(old, new):
    assert parse_dated(RIGHT, "fair", "ball") is not None
    assert old in RIGHT
    assert parse_dated(RIGHT.replace(old, new), "fair", "ball") is None
    by_dates = RIGHT.replace("same day", "same year").replace("9:00", "noon on 31 June")
    assert parse_dated(by_dates, "fair", "ball") is None


def test_days_of_the_year_are_those_of_the_calendar():
    for number in dated_writer._YEAR:
        day = date(2001, 3, 1) + timedelta(days=number)
        assert dated_writer._moment("year", number) == f"noon on {day.day} {day:%B}"
    assert day == date(2001, 12, 31)


def test_everything_but_the_sentences_equals_time():
    ours = with_dates()
    assert ours.ruleset() == world().ruleset()
    assert ours.predicates == world().predicates
    assert ours.aliases == world().aliases
    assert ours.conventions != world().conventions
