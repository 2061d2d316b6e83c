"""Frames of ordering read back by a small grammar, and none missing where some are held out."""

import re
from itertools import product

import pytest

from relsmith import Stream
from relsmith.kb.worlds.ordering.judge import WORDS
from relsmith.templates.bank import find_bank
from relsmith.templates.statistics import render
from relsmith.templates.stitcher import Stitcher

BANK = find_bank("ordering")
STITCHER = Stitcher(BANK)
WORD = {name: predicate.word() for name, predicate in BANK.world.predicates.items()}
PEOPLE = ["Ada", "Bilal", "Carmen", "Dmitri"]
NAME = rf"\b({'|'.join(PEOPLE)})\b"
SAID = re.compile(rf"\b({'|'.join(sorted(WORDS, key=len, reverse=True))})(?: {NAME})?", re.I)
# What stands before the comparison when the one who compares so is yet to be named.
RIDDLE = re.compile(r"(^who is|somebody who is|those who are|one who is) $", re.I)
LISTED = re.compile(rf"{NAME} among those who are $")


def read(text):
    """All facts (x, word, y), "y is word x", of a text that states them in these words.

    Who compares so is the one named last before, or in a riddle the one named next. With whom is
    named at once behind, or is the answer to "whom".
    """
    facts = []
    for said in SAID.finditer(text):
        ahead, behind = text[: said.start()], text[said.end() :]
        before, after = re.findall(NAME, ahead), re.findall(NAME, behind)
        listed = LISTED.search(ahead)
        y = listed[1] if listed else after[0] if RIDDLE.search(ahead) else before[-1]
        facts.append((said[2] or after[0], said[1].lower(), y))
    return facts


def plain(frame):
    """Return whether the frame states its facts in the words of the world."""
    return bool(frame.predicates) and len(frame.predicates[0]) == len(WORD)


@pytest.mark.parametrize("length", [1, 2, 3])
def test_frames_that_state_any_comparison_are_read_back(length):
    frames = [f for f in BANK.frames if plain(f) and len(f.predicates) == length]
    assert len(frames) >= 20
    people = PEOPLE[: length + 1]
    stream = Stream("read back", length)
    every = list(product(WORD, repeat=length))
    for frame in frames:
        for clause in every if length < 2 else stream.sample(every, 60):
            text = render(STITCHER, frame, False, clause, (None,) * (length + 1), people)
            told = [
                (x, WORD[name], y) for x, name, y in zip(people, clause, people[1:], strict=False)
            ]
            assert sorted(read(text)) == sorted(told), (frame.id, text)


# What a sentence says of the second compared with the first, by what stands in it.
PHRASES = {
    ">": [
        r"of {0} and {1}, the (taller|older|faster|stronger) is {1}\.",
        r"{1}'s (height|speed|strength) exceeds {0}'s",
        r"the mark for {1}'s (height) is above the mark for {0}'s",
        r"{0} would have to (grow|train) to be as \w+ as {1}",
        r"from head to (heel) there is more of {1} than of {0}",
        r"in (height|age|speed|strength) {0} is surpassed by {1}",
        r"{0} falls short of the (height|speed) of {1}",
        r"{1} was (born) before {0}\.",
        r"^{1} has (lived) longer than {0}",
        r"when {1} was (born), {0} was still to come",
        r"the first to be (born) was {1}, and {0} followed later",
        r"over any (distance) {1} needs less time than {0}",
        r"whenever {0} runs a (race) against {1}, {1} wins",
        r"{0} cannot keep up with the (speed) of {1}",
        r"(strength) was tested at the fair, and {0} came out below {1}",
        r"tested of their (strength), {1} came out above {0}",
    ],
    "=": [
        r"{0} and {1} (?:are of|have) exactly the same (height|age|speed|strength)",
        r"one mark on the door frame shows the (height) of {0} and of {1} alike",
        r"neither of the two, {0} and {1}, is (taller|older|faster|stronger) than the other",
        r"gives one and the same (height|speed) for {0} and for {1}",
        r"between {0} and {1} there is no difference in (height|age|speed|strength)",
        r"(?:measured|tested) for (height|strength), {0} and {1} come out exactly equal",
        r"{0} and {1} were (born) at the very same moment",
        r"at the moment at which {0} was (born), {1} was born, too",
        r"{1} has (lived) exactly as long as {0}",
        r"every (race) between {0} and {1} ends in a dead heat",
        r"over any (distance) {0} and {1} need exactly the same time",
        r"{0} and {1}, who matched their (strength) at the fair, turned out to be exactly equal",
        r"measured one and the same (strength) in {0} and in {1}",
    ],
    "<=": [
        r"^{0} is at least as (tall|old|fast|strong) as {1}\.",
        r"^{1} is either (shorter|younger|slower|weaker) than {0} or exactly as \w+\.",
        r"the (height|speed|strength) of {1} does not exceed that of {0}",
        r"the mark for {1}'s (height) is not above the mark for {0}'s",
        r"if one of the two, {0} and {1}, is the (taller|older|faster|stronger), it is {0}\.",
        r"in (height|age|speed|strength) {0} is not surpassed by {1}",
        r"can rule out that {1} is (taller|older|faster|stronger) than {0}",
        r"^{1} was not (born) before {0}",
        r"^{1} has not (lived) longer than {0}",
        r"^{1} cannot (outrun) {0}",
        r"over no (distance) does {1} need less time than {0}",
    ],
}
DIMENSIONS = {
    "height": "taller shorter tall height grow heel",
    "age": "older younger old age born lived",
    "speed": "faster slower fast speed race distance outrun",
    "strength": "stronger weaker strong strength train",
}
MEANT = {
    f"{sign} {dimension}": name
    for dimension, (more, _, same) in {
        "height": ("taller", "shorter", "as-tall"),
        "age": ("older", "younger", "as-old"),
        "speed": ("faster", "slower", "as-fast"),
        "strength": ("stronger", "weaker", "as-strong"),
    }.items()
    for sign, name in ((">", more), ("=", same), ("<=", f"not-{more}"))
}


def test_frames_for_one_comparison_say_just_that():
    unread, used = [], set()
    for frame in BANK.frames:
        if plain(frame) or not frame.predicates:
            continue
        ((name,),) = frame.predicates
        text = render(STITCHER, frame, False, [name], (None, None), ["Ada", "Bilal"]).lower()
        meant = set()
        for sign, phrases in PHRASES.items():
            for phrase in phrases:
                # (Ada, name, Bilal): Bilal is that, compared with Ada.
                for turned, two in ((False, ("ada", "bilal")), (True, ("bilal", "ada"))):
                    found = re.search(phrase.format(*two), text)
                    if found:
                        (about,) = [d for d, said in DIMENSIONS.items() if found[1] in said.split()]
                        meant.add((MEANT[f"{sign} {about}"], turned and sign != "="))
                        used.add(phrase)
        if meant != {(name, False)}:
            unread.append((frame.id, name, meant, text))
    assert not unread
    assert used == {phrase for phrases in PHRASES.values() for phrase in phrases}


def test_realized_facts_are_parsed_back_in_either_direction():
    stream = Stream("ordering")
    only = Stitcher(BANK, only=[frame.id for frame in BANK.frames if plain(frame)])
    for _ in range(300):
        x, y = stream.sample(PEOPLE, 2)
        name = stream.choice(sorted(WORD))
        (line,) = only.realize_path([x, y], (None, name, None), stream)
        back = BANK.world.inverse(name)
        assert read(line.text) in ([(x, WORD[name], y)], [(y, WORD[back], x)]), line.text
