"""Frames of space read back by a small grammar, and none missing where some are held out."""

import re
from functools import cache

import pytest

from relsmith import Stream
from relsmith.templates.bank import find_bank
from relsmith.templates.lint import lint
from relsmith.templates.statistics import render
from relsmith.templates.stitcher import Stitcher

NAMES = ["mill", "chapel", "lake", "bakery"]  # no frame says these otherwise, of things either
NAME = rf"the ({'|'.join(NAMES)})\b"
WORLDS = ("space", "space-overlap", "space-3d")
worlds = pytest.mark.parametrize("world", WORLDS)


@cache
def stitcher_of(world):
    return Stitcher(find_bank(world))


@cache
def words_of(world):
    return {name: entry.word() for name, entry in find_bank(world).world.predicates.items()}


NUMBER = r"(?:one step|(?:two|three|more than two|more than three) steps)"
WAY = "(?:north|south|east|west)(?:-east|-west)?"
STEP = f"{NUMBER} (?:{WAY}|up|down)"
SAID = re.compile(
    rf"\b({STEP}(?:(?:, {STEP})? and {STEP})? (?:of|from)|{NUMBER} (?:above|below)|"
    rf"in the same square as) (?:{NAME}|(it)\b)",
    re.IGNORECASE,
)


def read(text):
    """All facts (x, word, y), "y is so of x", of a text that states them in the world's words.

    What lies there is the place named last before, or where that is the one it is seen from, the
    place named next.
    """
    facts = []
    for said in SAID.finditer(text):
        before = re.findall(NAME, text[: said.start()], re.IGNORECASE)
        after = re.findall(NAME, text[said.end() :], re.IGNORECASE)
        x = said[2] or before[-2]
        y = before[-1] if before and before[-1] != x else after[0]
        facts.append((x, said[1].lower(), y))
    return facts


def plain(world, frame):
    """Return whether the frame states its facts in the words of the world."""
    return len(frame.predicates[0]) == len(words_of(world))


@pytest.mark.parametrize(
    ("world", "length", "least"),
    [
        *[(world, *some) for world in WORLDS[:2] for some in ((1, 45), (2, 25), (3, 20))],
        *[("space-3d", *some) for some in ((1, 36), (2, 20), (3, 16))],
    ],
)
def test_frames_that_state_any_relation_are_read_back(world, length, least):
    frames = [f for f in find_bank(world).frames if plain(world, f) and len(f.predicates) == length]
    assert len(frames) >= least
    words, names, stream = words_of(world), NAMES[: length + 1], Stream("clauses", length)
    for frame in frames:
        for number in range(60):
            clause = [stream.choice(list(words)) for _ in range(length)]
            if "same" in words and number < length:
                clause[number] = "same"
            text = render(stitcher_of(world), frame, False, clause, (None,) * (length + 1), names)
            told = [
                (x, words[name], y) for x, name, y in zip(names, clause, names[1:], strict=False)
            ]
            assert sorted(read(text)) == sorted(told), (frame.id, text)


NUMBERS = {"one": 1, "two": 2, "three": 3, "second": 2, "third": 3, "": 1}
NUMBERS |= {"a single square": 2, "two squares": 3, "a single cube": 2}
NUMBERS |= {"more than two": 3, "further away than two": 3}
NUMBERS |= {"more than three": 4, "further away than three": 4}
N = f"(?P<n>{'|'.join(sorted(filter(None, NUMBERS), key=len, reverse=True))})"
D, E = "(?P<d>[a-z]+(?:-[a-z]+)?)", "(?P<e>[a-z]+)"
X, Y = "the (?P<x>mill|chapel)", "the (?P<y>mill|chapel)"
# How frames tell one relation: N steps in the direction D, and M (or as many) in the direction E,
# lead from X to Y.
PHRASES = [
    f"{Y} lies in the very next (?:square|cube) to the {D} of {X}",
    f"{Y} lies in the very next cube {D} {X}",
    f"the cube of {Y} is right {D} that of {X}",
    f"{N} steps? straight {D} from {X} takes you to {Y}",
    f"from {X} it is {N} steps straight {D} to {Y}",
    f"take {N} steps straight {D} from {X} and you are at {Y}",
    f"leave {X} on its {D} side, and the first square that you enter is that of {Y}",
    f"squares of {X} and {Y} share an edge, on the {D} side of the (?P=x)",
    f"leaves {X}, walks straight {D}, and on the {N} step arrives at {Y}",
    f"straight to the {D} of {X}, with {N} in between, lies {Y}",
    f"straight {D} {X}, with {N} in between, lies {Y}",
    f"{Y} lies straight to the {D} of {X}, and {N} steps",
    f"{Y} lies straight {D} {X}, and {N} steps",
    f"(?:walk|climb) straight {D} from {X}, and after {N} steps you come to {Y}",
    f"go {N} steps? {D} from {X} and (?:as many|(?P=n) step) {E}, and you are at {Y}",
    f"from {X}, {N} steps? {D} leads? to {Y}",
    f"squares of {X} and {Y} touch at a corner only, the {D} one of the (?P=x)",
    f"leaves {X} and keeps to the diagonal, {N} steps? {D}, until {Y} is reached",
    f"from {X}, .* walks {N} steps? {D}, then (?P<m>one|two|three) steps? {E}, and stops at {Y}",
    f"the way from {X} to {Y} is {N} steps? {D} and (?P<m>one|two|three) steps? {E}",
]
ALONG = {
    "north": (1, 0, 0),
    "south": (-1, 0, 0),
    "east": (0, 1, 0),
    "west": (0, -1, 0),
    "up": (0, 0, 1),
    "above": (0, 0, 1),
    "down": (0, 0, -1),
    "below": (0, 0, -1),
}
TOGETHER = [
    f"{X} and {Y} share a square",
    f"no step between {X} and {Y}, for both are in one square",
    f"the very same square has both {X} and {Y} in it",
    f"takes no step at all to get from {X} to {Y}",
    f"a finger on the square of {X}, and it covers {Y}, too",
    f"{X} and {Y} have been drawn in the same square, for they are there",
    f"the square in which .* finds {X} is that of {Y}, too",
    f"reached the square of {X} has reached that of {Y}, for it is the same",
]


def walked(text):
    """Return all (x, steps north, steps east, steps up, y) in a text."""
    found = set()
    for phrase in TOGETHER:
        found |= {(m["x"], 0, 0, 0, m["y"]) for m in re.finditer(phrase, text.lower())}
    for phrase in PHRASES:
        for match in re.finditer(phrase, text.lower()):
            said = match.groupdict()
            steps = NUMBERS[said.get("n") or ""]
            turns = [(steps, name) for name in said["d"].split("-")]
            if said.get("e"):
                turns.append((NUMBERS[said.get("m") or said.get("n")], said["e"]))
            ways = [sum(n * ALONG[name][axis] for n, name in turns) for axis in range(3)]
            found.add((said["x"], *ways, said["y"]))
    return found


def meant(world, name):
    """Return the steps north, east and up of a predicate."""
    way = {
        letter: ALONG[word]
        for word in ALONG
        for letter in word[0]
        if word not in ("above", "below")
    }
    parts = re.findall(r"([nsewud])([123+])", name) if name != "same" else []
    far = 3 if world == "space-3d" else 4
    return tuple(
        sum(way[letter][axis] * (far if n == "+" else int(n)) for letter, n in parts)
        for axis in range(3)
    )


def either(world, name, x, y):
    """Return a fact in both directions."""
    ways = meant(world, name)
    return {(x, *ways, y)}, {(y, *(-way for way in ways), x)}


@pytest.mark.parametrize(("world", "frames"), zip(WORLDS, (70, 78, 28), strict=True))
def test_frames_for_one_relation_say_just_that(world, frames):
    unread, count = [], 0
    for frame in find_bank(world).frames:
        if plain(world, frame):
            continue
        count += 1
        ((name,),) = frame.predicates
        text = render(stitcher_of(world), frame, False, [name], (None, None), ["mill", "chapel"])
        # (mill, name, chapel): the chapel lies so from the mill, and the mill the other way.
        if walked(text) not in either(world, name, "mill", "chapel"):
            unread.append((frame.id, name, walked(text), text))
    assert not unread
    assert count == frames


@pytest.mark.parametrize(("world", "frames"), zip(WORLDS, (168, 176, 123), strict=True))
def test_lint_finds_nothing(world, frames):
    assert lint(find_bank(world)) == []
    assert len(find_bank(world).frames) == frames


@worlds
def test_realized_facts_are_parsed_back_in_either_direction(world):
    stream, words = Stream("space"), words_of(world)
    for _ in range(400):
        x, y = stream.sample(NAMES[:2], 2)
        name = stream.choice(sorted(words))
        (line,) = stitcher_of(world).realize_path([x, y], (None, name, None), stream)
        if line.template.startswith(("walks", "climbs", "together")):
            assert walked(line.text) in either(world, name, x, y), line.text
        else:
            back = find_bank(world).world.inverse(name)
            assert read(line.text) in ([(x, words[name], y)], [(y, words[back], x)]), line.text
