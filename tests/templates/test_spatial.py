"""Spatial frames read back by a small grammar, and none missing where some are held out."""

import re
from itertools import product

import pytest

from relsmith import Stream
from relsmith.kb.worlds.spatial.judge import WORDS
from relsmith.templates.bank import find_bank
from relsmith.templates.statistics import render
from relsmith.templates.stitcher import Stitcher

BANK = find_bank("spatial")
STITCHER = Stitcher(BANK)
WORD = {name: predicate.word() for name, predicate in BANK.world.predicates.items()}
THINGS = ["lamp", "kettle", "vase", "clock"]
NAME = rf"the ({'|'.join(THINGS)})\b"
SAID = re.compile(
    rf"\b({'|'.join(sorted(WORDS, key=len, reverse=True))}) (?:{NAME}|(it)\b)", re.IGNORECASE
)


def read(text):
    """All facts (x, word, y), "y is so of x", of a text that states them in these words.

    What lies there is the thing named last before, or where that is the one it is seen from, or
    none, the thing named next.
    """
    facts = []
    for said in SAID.finditer(text):
        before = re.findall(NAME, text[: said.start()], re.IGNORECASE)
        after = re.findall(NAME, text[said.end() :], re.IGNORECASE)
        x = said[2] or before[-2]
        y = before[-1] if before and before[-1] != x else after[0]
        facts.append((x, said[1].lower(), y))
    return facts


def plain(frame):
    """Return whether the frame states its facts in the words of the world."""
    return len(frame.predicates[0]) == len(WORD)


@pytest.mark.parametrize("length", [1, 2, 3])
def test_frames_that_state_any_direction_are_read_back(length):
    frames = [f for f in BANK.frames if plain(f) and len(f.predicates) == length]
    assert len(frames) >= 20
    things = THINGS[: length + 1]
    for frame in frames:
        for clause in product(WORD, repeat=length):
            text = render(STITCHER, frame, False, clause, (None,) * (length + 1), things)
            told = [
                (x, WORD[name], y) for x, name, y in zip(things, clause, things[1:], strict=False)
            ]
            assert sorted(read(text)) == sorted(told), (frame.id, text)


# Each says where the first thing lies from the second.
PHRASES = {
    "left": [
        r"{0} and {1} are in one row, {0} further left",
        r"left of {1}, in the same row, sits {0}",
        r"the row from {0} to the right and you will come to {1}",
        r"{1} lies in the same row as {0}, but on its right",
        r"from left to right, .* comes to {0} before {1}",
        r"the row that holds {1} also holds {0}, further to the left",
        r"the row from {1} towards the left and {0} turns up",
        r"{0} and {1} stand level with each other, {1} to the right",
        r"level with {1}, but nearer to the left edge, is {0}",
        r"one straight row .*: on the right {1}, on the left {0}",
        r"to reach {1} from {0}, stay in the row and go right",
    ],
    "above": [
        r"{0} hangs straight above {1}",
        r"straight below {0}, in the same column, is {1}",
        r"going up the column from {1}, one comes to {0}",
        r"{1} and {0} share a column, and {0} is higher up",
        r"from {0} would point straight down at {1}",
        r"{1} underneath {0}, in the same column",
        r"to reach {0} from {1}, stay in the column and go up",
        r"one column contains both, {0} over {1}",
        r"from {0} would run straight down the column towards {1}",
        r"straight up the column of {1} and you will arrive at {0}",
        r"further down the column that holds {0} comes {1}",
    ],
    "upper-left": [
        r"{0} is higher than {1} and also further left",
        r"down and to the right of {0} sits {1}",
        r"from {1} to {0}, go up and then left",
        r"{1} is lower than {0}, and further to the right",
        r"further up and further left than {1}: that is where {0} lies",
        r"down and to the right, joins {0} to {1}",
        r"{0} has a higher place than {1}, one nearer to the left edge",
        r"walks left from {1}, turns upwards, and so reaches {0}",
    ],
}
SIDES = {"left": "right", "right": "left"}
PHRASES["upper-right"] = [
    re.sub("left|right", lambda side: SIDES[side[0]], phrase) for phrase in PHRASES["upper-left"]
]


def test_frames_for_one_direction_say_just_that():
    names = ["the lamp", "the kettle"]
    unread = []
    for frame in BANK.frames:
        if plain(frame):
            continue
        ((name,),) = frame.predicates
        text = render(STITCHER, frame, False, [name], (None, None), ["lamp", "kettle"]).lower()
        # (lamp, name, kettle): the kettle lies so from the lamp.
        meant = {
            direction
            for direction, phrases in PHRASES.items()
            for phrase in phrases
            if re.search(phrase.format(*reversed(names)), text)
        }
        if meant != {name}:
            unread.append((frame.id, name, meant, text))
    assert not unread


def test_realized_facts_are_parsed_back_in_either_direction():
    stream = Stream("spatial")
    only = Stitcher(BANK, only=[frame.id for frame in BANK.frames if plain(frame)])
    for _ in range(300):
        x, y = stream.sample(THINGS, 2)
        name = stream.choice(sorted(WORD))
        (line,) = only.realize_path([x, y], (None, name, None), stream)
        back = BANK.world.inverse(name)
        assert read(line.text) in ([(x, WORD[name], y)], [(y, WORD[back], x)]), line.text
