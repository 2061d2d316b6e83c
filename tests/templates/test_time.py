"""Frames of time read back by a small grammar, and none missing where some are held out."""

import re
from itertools import combinations, product

import pytest

from relsmith import Stream
from relsmith.kb.worlds.time.judge import WORDS
from relsmith.templates.bank import find_bank
from relsmith.templates.statistics import render
from relsmith.templates.stitcher import Stitcher

BANK = find_bank("time")
STITCHER = Stitcher(BANK)
WORD = {name: predicate.word() for name, predicate in BANK.world.predicates.items()}
EVENTS = ["parade", "concert", "regatta", "blizzard"]
NAME = rf"the ({'|'.join(EVENTS)})\b"
SAID = re.compile(rf"\b({'|'.join(sorted(WORDS, key=len, reverse=True))}) {NAME}", re.IGNORECASE)


def read(text):
    """All facts (x, word, y), "y ... x", of a text that states them in these words.

    What began or ended so is the event named last before; or, of a riddle that asks for something,
    the one named next.
    """
    facts = []
    for said in SAID.finditer(text):
        before = re.findall(NAME, text[: said.start()], re.IGNORECASE)
        after = re.findall(NAME, text[said.end() :], re.IGNORECASE)
        facts.append((said[2].lower(), said[1].lower(), (before or after[:1])[-1].lower()))
    return facts


def plain(frame):
    """Return whether the frame states its facts in the words of the world."""
    return len(frame.predicates[0]) == len(WORD)


@pytest.mark.parametrize("length", [1, 2, 3])
def test_frames_that_state_any_relation_are_read_back(length):
    frames = [f for f in BANK.frames if plain(f) and len(f.predicates) == length]
    assert len(frames) >= 20
    events = EVENTS[: length + 1]
    stream = Stream("read back", length)
    every = list(product(WORD, repeat=length))
    for frame in frames:
        for clause in every if length < 3 else stream.sample(every, 60):
            text = render(STITCHER, frame, False, clause, (None,) * (length + 1), events)
            told = [
                (x, WORD[name], y) for x, name, y in zip(events, clause, events[1:], strict=False)
            ]
            assert sorted(read(text)) == sorted(told), (frame.id, text)


# What a sentence says of starts and ends, by what stands in it. {0} and {1} are the two events; on
# the right stand comparisons of moments, as in "e0<s1": the end of the first is before the start of
# the second. Together they must leave just one of the thirteen relations possible.
SAYINGS = {
    r"time passed between the end of {0} and the start of {1}": "e0<s1",
    r"after the end of {0} there was a gap, and only after that gap did {1} begin": "e0<s1",
    r"first {0} came to its end, and only after some time did {1} begin": "e0<s1",
    r"{0} came first; it had been over for a while when {1} began": "e0<s1",
    r"when {1} began, {0} had been over for some time": "e0<s1",
    r"slept from the end of {0} to the start of {1}": "e0<s1",
    r"after {0} came a pause, and only after that pause {1}": "e0<s1",
    r"for a nap between the end of {0} and the start of {1}": "e0<s1",
    r"{1} did not begin until some time after {0} had ended": "e0<s1",
    r"first {0} was over, then there was a break, and then {1} began": "e0<s1",
    r"at the very moment at which {0} ended, {1} began": "e0=s1",
    r"^the end of {0} was the start of {1}": "e0=s1",
    r"the same stroke of the clock ended {0} and opened {1}": "e0=s1",
    r"without a moment in between, {1} followed {0}": "e0=s1",
    r"one signal marked both the end of {0} and the start of {1}": "e0=s1",
    r"{1} began the instant that {0} ended": "e0=s1",
    r"no time at all passed between the end of {0} and the start of {1}": "e0=s1",
    r"the last second of {0} ran out, the first second of {1} began": "e0=s1",
    r"the moment that ended {0} was the one that opened {1}": "e0=s1",
    r"{1} started precisely when {0} stopped": "e0=s1",
    r"{0} was the first to begin and the first to end, but": "s0<s1 e0<e1",
    r"but for a while {1} went on beside it": "s1<e0 s0<e1",
    r"{1} began while {0} was going on": "s0<s1 s1<e0",
    r"{0} was going on, and went on beyond its end": "e0<e1",
    r"the last part of {0} ran beside the first part of {1}": "s0<s1 s1<e0 e0<e1",
    r"{0} had begun first and was still going on when {1} began": "s0<s1 s1<e0",
    r"{0} .* {1} began, but ended first, too": "e0<e1",
    r"both the start and the end of {0} came before those of {1}": "s0<s1 e0<e1",
    r"{1}, but for some time the two went on together": "s1<e0 s0<e1",
    r"for a while both went on at once, {0}, .* and {1}": "s1<e0 s0<e1",
    r"{0}, which began first and ended first, and {1}": "s0<s1 e0<e1",
    r"{1} went on after the end of {0}": "e0<e1",
    r"{0}, in the middle of which it had begun": "s0<s1 s1<e0",
    r"in the middle of {0} {1} began": "s0<s1 s1<e0",
    r"{0} {1} began, and of the two it was the later to end": "e0<e1",
    r"^{0} ended while {1}, .* was going on": "s1<e0 e0<e1",
    r"{1}, the later of the two to begin, was": "s0<s1",
    r"part of {0} was over when {1} began; the rest": "s0<s1 s1<e0",
    r"{0} was over .* the rest was over some time before that one ended": "e0<e1",
    r"{0} began together with {1} and was over first": "s0=s1 e0<e1",
    r"one signal opened {1} and {0}": "s0=s1",
    r"{1} and {0}, of which the latter was the first to end": "e0<e1",
    r"{0} coincided with the first part of {1}": "s0=s1 e0<e1",
    r"at one and the same moment {1} and {0} began": "s0=s1",
    r"{1} and {0} began, and the latter ended first": "e0<e1",
    r"{1} lasted longer than {0}, and the two began at the same moment": "s0=s1 e0<e1",
    r"{0} did not last as long as {1}, though they began at the same instant": "s0=s1 e0<e1",
    r"two things began at the same moment, {0} and {1}": "s0=s1",
    r"{0} and {1}, and ended one after the other, in that order": "e0<e1",
    r"{0} shared its start with {1} but not its end, which came earlier": "s0=s1 e0<e1",
    r"{1} and {0} began at the same instant": "s0=s1",
    r"when only one of them was still going on, it was {1}": "e0<e1",
    r"begun at the very same moment as {1}, {0} was": "s0=s1",
    r"{0} was the first of the two to end": "e0<e1",
    r"the whole of {0} fell within {1}, touching neither its start nor its end": "s1<s0 e0<e1",
    r"{1} began before {0} and went on after it": "s1<s0 e0<e1",
    r"somewhere in the middle of {1}, {0} both began and ended": "s1<s0 e0<e1",
    r"{1} was going on before, throughout and after {0}": "s1<s0 e0<e1",
    r"of {1} and {0}, the former was the first to begin and the last to end": "s1<s0 e0<e1",
    r"both the start and the end of {0} fell between those of {1}": "s1<s0 e0<e1",
    r"^{0} began while {1} was going on and ended while it still was": "s1<s0 e0<e1",
    r"{1} enclosed the whole of {0}, with time to spare at both ends": "s1<s0 e0<e1",
    r"first {1} began, then {0}; then": "s1<s0",
    r"{1} .* {0}; then the second of the two ended, and only then the first": "e0<e1",
    r"before {0} began and after it had ended, there was {1}": "s1<s0 e0<e1",
    r"{1} and {0} ended together": "e0=e1",
    r"{1} and {0} .* though the latter had begun later": "s1<s0",
    r"{0} coincided exactly with the last part of {1}": "s1<s0 e0=e1",
    r"one signal ended {1} and {0}": "e0=e1",
    r"{1} and {0}, of which the former was the first to begin": "s1<s0",
    r"{1} lasted longer than {0}, and the two ended at the same moment": "s1<s0 e0=e1",
    r"{0} did not last as long as {1}, though they ended at the same instant": "s1<s0 e0=e1",
    r"{0} and {1} ended at once, although the former had begun later": "s1<s0 e0=e1",
    r"{0} shared its end with {1} but not its start, which came later": "s1<s0 e0=e1",
    r"^{0} began while {1} was going on, and both": "s1<s0",
    r"{0} .* {1} was going on, and both stopped at one and the same instant": "e0=e1",
    r"{1} was in full swing when {0} began": "s1<s0",
    r"{1} .* {0} began, and one moment saw the end of both": "e0=e1",
    r"{0}, begun later than {1}, was over": "s1<s0",
    r"{0}, .* {1}, was over at the very moment when that was": "e0=e1",
    r"{0} and {1} began together and ended together": "s0=s1 e0=e1",
    r"not an instant of {0} fell outside {1}, nor the other way round": "s0=s1 e0=e1",
    r"one signal opened {0} and {1}, and another ended both": "s0=s1 e0=e1",
    r"{0} and {1} filled exactly the same stretch of time": "s0=s1 e0=e1",
    r"timed {0} timed {1} as well: same start, same end": "s0=s1 e0=e1",
    r"the times of {0} and {1} are the same, start and end alike": "s0=s1 e0=e1",
    r"at every moment either both {0} and {1} were going on or neither was": "s0=s1 e0=e1",
    r"{0} started at the same instant as {1}, and both stopped at one and the same": "s0=s1 e0=e1",
    r"in time {0} and {1} coincide exactly": "s0=s1 e0=e1",
    r"{0} shared both its start and its end with {1}": "s0=s1 e0=e1",
    r"neither of the two, {0} and {1}, began or ended before the other": "s0=s1 e0=e1",
}


def holding(said):
    """Return the relations of two events that are consistent with comparisons of moments."""
    left = set()
    for first, second in product(combinations(range(4), 2), repeat=2):
        at = {"s0": first[0], "e0": first[1], "s1": second[0], "e1": second[1]}
        if all(
            at[one] < at[other] if sign == "<" else at[one] == at[other]
            for one, sign, other in (re.fullmatch(r"(..)([<=])(..)", s).groups() for s in said)
        ):
            left.add(tuple((at[one] > at[other]) - (at[one] < at[other]) for one, other in MOMENTS))
    return left


MOMENTS = list(combinations(("s0", "e0", "s1", "e1"), 2))
MEANT = {
    "before": "e0<s1",
    "meets": "e0=s1",
    "overlaps": "s0<s1 s1<e0 e0<e1",
    "starts": "s0=s1 e0<e1",
    "during": "s1<s0 e0<e1",
    "finishes": "s1<s0 e0=e1",
    "equals": "s0=s1 e0=e1",
}


def test_frames_for_one_relation_say_just_that():
    names = ["the concert", "the parade"]
    unread, used = [], set()
    for frame in BANK.frames:
        if plain(frame):
            continue
        ((name,),) = frame.predicates
        text = render(STITCHER, frame, False, [name], (None, None), ["parade", "concert"]).lower()
        # (parade, name, concert): the concert is that to the parade.
        said = []
        for pattern, comparisons in SAYINGS.items():
            if re.search(pattern.format(*names), text):
                said += comparisons.split()
                used.add(pattern)
            elif re.search(pattern.format(*reversed(names)), text):
                said += comparisons.translate(str.maketrans("01", "10")).split()
                used.add(pattern)
        left = holding(said)
        if left != holding(MEANT[name].split()) or len(left) != 1:
            unread.append((frame.id, name, said, text))
    assert not unread
    assert used == set(SAYINGS)


def test_realized_facts_are_parsed_back_in_either_direction():
    stream = Stream("time")
    only = Stitcher(BANK, only=[frame.id for frame in BANK.frames if plain(frame)])
    for _ in range(300):
        x, y = stream.sample(EVENTS, 2)
        name = stream.choice(sorted(WORD))
        (line,) = only.realize_path([x, y], (None, name, None), stream)
        back = BANK.world.inverse(name)
        assert read(line.text) in ([(x, WORD[name], y)], [(y, WORD[back], x)]), line.text
