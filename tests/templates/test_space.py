"""Frames of space read back by a small grammar, and none missing where some are held out."""

import re
from itertools import product

import pytest

from relsmith import Stream
from relsmith.templates.bank import find_bank
from relsmith.templates.lint import lint
from relsmith.templates.statistics import clauses, render
from relsmith.templates.stitcher import Stitcher, held_out

BANK = find_bank("space")
STITCHER = Stitcher(BANK)
WORD = {name: predicate.word() for name, predicate in BANK.world.predicates.items()}
PLACES = ["mill", "chapel", "lake", "bakery"]
NAME = rf"the ({'|'.join(PLACES)})\b"
STEPS = r"(?:one step|(?:two|three|more than three) steps)"
SAID = re.compile(
    rf"\b({STEPS} (?:north|south|east|west)(?:-east|-west)?(?: and {STEPS} (?:east|west))? of) "
    rf"(?:{NAME}|(it)\b)",
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


def plain(frame):
    """Whether the frame tells its facts in the words of the world."""
    return len(frame.predicates[0]) == len(WORD)


@pytest.mark.parametrize(("length", "least"), [(1, 45), (2, 25), (3, 20)])
def test_frames_that_state_any_relation_are_read_back(length, least):
    frames = [f for f in BANK.frames if plain(f) and len(f.predicates) == length]
    assert len(frames) >= least
    places, stream = PLACES[: length + 1], Stream("clauses", length)
    every = list(product(WORD, repeat=length)) if length < 3 else []
    for frame in frames:
        for _ in range(60):
            clause = stream.choice(every) if every else [stream.choice(list(WORD)) for _ in "abc"]
            text = render(STITCHER, frame, False, clause, (None,) * (length + 1), places)
            told = [
                (x, WORD[name], y) for x, name, y in zip(places, clause, places[1:], strict=False)
            ]
            assert sorted(read(text)) == sorted(told), (frame.id, text)


NUMBERS = {"one": 1, "two": 2, "three": 3, "more than three": 4, "second": 2, "third": 3}
NUMBERS |= {"a single square": 2, "two squares": 3, "further away than three": 4, "": 1}
N = f"(?P<n>{'|'.join(filter(None, NUMBERS))})"
D, E = "(?P<d>[a-z]+(?:-[a-z]+)?)", "(?P<e>[a-z]+)"
X, Y = "the (?P<x>mill|chapel)", "the (?P<y>mill|chapel)"
# How frames tell one relation: N steps in the direction D, and M (or as many) in the direction E,
# lead from X to Y.
PHRASES = [
    f"{Y} lies in the very next square to the {D} of {X}",
    f"{N} steps? straight {D} from {X} takes you to {Y}",
    f"from {X} it is {N} steps straight {D} to {Y}",
    f"take {N} steps straight {D} from {X} and you are at {Y}",
    f"leave {X} on its {D} side, and the first square that you enter is that of {Y}",
    f"squares of {X} and {Y} share an edge, on the {D} side of the (?P=x)",
    f"leaves {X}, walks straight {D}, and on the {N} step arrives at {Y}",
    f"straight to the {D} of {X}, with {N} in between, lies {Y}",
    f"{Y} lies straight to the {D} of {X}, and {N} steps",
    f"walk straight {D} from {X}, and after {N} steps you come to {Y}",
    f"go {N} steps? {D} from {X} and (?:as many|(?P=n) step) {E}, and you are at {Y}",
    f"from {X}, {N} steps? {D} leads? to {Y}",
    f"squares of {X} and {Y} touch at a corner only, the {D} one of the (?P=x)",
    f"leaves {X} and keeps to the diagonal, {N} steps? {D}, until {Y} is reached",
    f"from {X}, .* walks {N} steps? {D}, then (?P<m>one|two|three) steps? {E}, and stops at {Y}",
    f"the way from {X} to {Y} is {N} steps? {D} and (?P<m>one|two|three) steps? {E}",
]
ALONG = {"north": (1, 0), "south": (-1, 0), "east": (0, 1), "west": (0, -1)}


def walked(text):
    """All (x, steps north, steps east, y) that the phrases find in a text."""
    found = set()
    for phrase in PHRASES:
        for match in re.finditer(phrase, text.lower()):
            said = match.groupdict()
            steps = NUMBERS[said.get("n") or ""]
            turns = [(steps, name) for name in said["d"].split("-")]
            if said.get("e"):
                turns.append((NUMBERS[said.get("m") or said.get("n")], said["e"]))
            north, east = (sum(n * ALONG[name][axis] for n, name in turns) for axis in (0, 1))
            found.add((said["x"], north, east, said["y"]))
    return found


def meant(name):
    """Steps north and east by the letters of a predicate."""
    way = {"n": (1, 0), "s": (-1, 0), "e": (0, 1), "w": (0, -1)}
    parts = re.findall(r"([nsew])([123+])", name)
    return tuple(
        sum(way[letter][axis] * (4 if n == "+" else int(n)) for letter, n in parts)
        for axis in (0, 1)
    )


def test_frames_for_one_relation_say_just_that():
    unread, count = [], 0
    for frame in BANK.frames:
        if plain(frame):
            continue
        count += 1
        ((name,),) = frame.predicates
        text = render(STITCHER, frame, False, [name], (None, None), ["mill", "chapel"])
        north, east = meant(name)
        # (mill, name, chapel): the chapel lies so from the mill, and the mill the other way.
        told = walked(text)
        either = {("mill", north, east, "chapel")}, {("chapel", -north, -east, "mill")}
        if told not in either:
            unread.append((frame.id, name, told, text))
    assert not unread
    assert count == 70


def test_lint_finds_nothing():
    assert lint(BANK) == []
    assert len(BANK.frames) >= 120


@pytest.mark.parametrize("side", ["hold_out", "only"])
def test_a_fifth_held_out_leaves_no_hole_on_either_side(side):
    chains = clauses(BANK)[::50]
    for seed in range(5):
        out = held_out(BANK, 0.2, "space", seed)
        stitcher = Stitcher(BANK, **{side: out})
        least = {"hold_out": 16, "only": 4}[side]
        for chain in chains:
            found = {frame.id for frame, _ in stitcher.clause(chain, (None,) * (len(chain) + 1))}
            assert len(found) >= least, (seed, chain)


def test_what_the_stitcher_tells_is_read_back_whichever_way_round_it_got_the_fact():
    stream = Stream("space")
    for _ in range(400):
        x, y = stream.sample(PLACES[:2], 2)
        name = stream.choice(sorted(WORD))
        (line,) = STITCHER.along([x, y], (None, name, None), stream)
        if line.template.startswith("walks"):
            north, east = meant(name)
            assert walked(line.text) in ({(x, north, east, y)}, {(y, -north, -east, x)}), line.text
        else:
            back = BANK.world.inverse(name)
            assert read(line.text) in ([(x, WORD[name], y)], [(y, WORD[back], x)]), line.text
