"""Frames of time with instants read back by a small grammar, and none missing."""

import re
from itertools import combinations_with_replacement, pairwise, product

import pytest

from relsmith import Stream
from relsmith.kb.worlds.time.judge import POINTS as WORDS
from relsmith.templates.bank import find_bank
from relsmith.templates.statistics import clauses, render
from relsmith.templates.stitcher import Stitcher, held_out
from relsmith.testing.profile import scaled

BANK, TIME = find_bank("time-points"), find_bank("time")
STITCHER = Stitcher(BANK)
WORD = {name: predicate.word() for name, predicate in BANK.world.predicates.items()}
BETWEEN = {name: predicate.between for name, predicate in BANK.world.predicates.items()}
THINGS = ["parade", "concert", "flash", "gong"]
NAME = rf"the ({'|'.join(THINGS)})\b"
SAID = re.compile(rf"\b({'|'.join(sorted(WORDS, key=len, reverse=True))}) {NAME}", re.IGNORECASE)


def read(text):
    """All facts (x, word, y), "y ... x", of a text that states them in these words."""
    facts = []
    for said in SAID.finditer(text):
        before = re.findall(NAME, text[: said.start()], re.IGNORECASE)
        after = re.findall(NAME, text[said.end() :], re.IGNORECASE)
        facts.append((said[2].lower(), said[1].lower(), (before or after[:1])[-1].lower()))
    return facts


def test_it_has_the_frames_of_time_and_more():
    assert len(BANK.frames) >= len(TIME.frames) + 49
    assert {frame.id for frame in TIME.frames} < {frame.id for frame in BANK.frames}


@pytest.mark.parametrize("length", [1, 2, 3])
def test_frames_that_state_any_relation_are_read_back(length):
    frames = [
        f for f in BANK.frames if len(f.predicates[0]) == len(WORD) and len(f.predicates) == length
    ]
    assert len(frames) >= 20
    things, stream = THINGS[: length + 1], Stream("read back", length)
    every = [
        clause
        for clause in product(WORD, repeat=length)
        if all(BETWEEN[a][1] == BETWEEN[b][0] for a, b in pairwise(clause))
    ]
    for frame in frames:
        for clause in every if length == 1 else stream.sample(every, 60):
            text = render(STITCHER, frame, False, clause, (None,) * (length + 1), things)
            told = [
                (x, WORD[name], y) for x, name, y in zip(things, clause, things[1:], strict=False)
            ]
            assert sorted(read(text)) == sorted(told), (frame.id, text)


# What a sentence says, by what stands in it. i is the instant of the flash, j that of the gong, and
# s and e are the start and the end of the concert.
SAYINGS = {
    r"^first came the flash, and some time later the gong": "i<j",
    r"when the gong came, some time had passed since the flash": "i<j",
    r"between the flash, which was first, and the gong some time passed": "i<j",
    r"the gong was yet to come when the flash came": "i<j",
    r"of the two instants, that of the flash was before that of the gong": "i<j",
    r"the flash was gone for some time before the gong came": "i<j",
    r"after the flash there was a while of silence until the gong came": "i<j",
    r"the flash and the gong came at the very same instant": "i=j",
    r"neither a second nor .* one lay between the gong and the flash": "i=j",
    r"the instant of the flash was that of the gong": "i=j",
    r"to the fraction of a second, the gong and the flash coincided": "i=j",
    r"there was the flash, and at that very instant there was the gong, too": "i=j",
    r"neither of the two, the gong and the flash, came before the other": "i=j",
    r"the gong and the flash shared one instant": "i=j",
    r"time passed from the flash to the start of the concert": "i<s",
    r"the flash came, and only some time later did the concert begin": "i<s",
    r"when the flash came, the start of the concert was still ahead": "i<s",
    r"the concert let some time pass after the flash before it began": "i<s",
    r"^first there was the flash, then a pause, and then the concert began": "i<s",
    r"slept from the flash to the start of the concert": "i<s",
    r"^after the flash there was a gap, and only at its end did the concert begin": "i<s",
    r"at the very instant of the flash, the concert began": "i=s",
    r"the start of the concert fell on the flash exactly": "i=s",
    r"the concert had its start in the instant of the flash": "i=s",
    r"no time at all passed between the flash and the start of the concert": "i=s",
    r"the flash marked, to the split second, the start of the concert": "i=s",
    r"there was the flash, and at that very instant the concert began": "i=s",
    r"one and the same instant saw the flash and the start of the concert": "i=s",
    r"the flash came while the concert was going on": "s<i i<e",
    r"the concert was going on before the flash came, and it went on after that": "s<i i<e",
    r"the concert had begun before the flash came, and had not ended yet": "s<i i<e",
    r"part of the concert was over when the flash came, and part was still ahead": "s<i i<e",
    r"the flash fell within the concert, touching neither its start nor its end": "s<i i<e",
    r"before the flash the concert began, and after the flash it ended": "s<i i<e",
    r"after the start of the concert and some time before its end came the flash": "s<i i<e",
    r"at the very instant of the flash, the concert ended": "i=e",
    r"the end of the concert fell on the flash exactly": "i=e",
    r"the concert had its end in the instant of the flash": "i=e",
    r"no time at all passed between the end of the concert and the flash": "i=e",
    r"the flash marked, to the split second, the end of the concert": "i=e",
    r"there was the flash, and at that very instant the concert ended": "i=e",
    r"one and the same instant saw the flash and the end of the concert": "i=e",
    r"time passed from the end of the concert to the flash": "e<i",
    r"the concert ended, and only some time later came the flash": "e<i",
    r"when the flash came, the concert had been over for some time": "e<i",
    r"the flash did not come until some time after the end of the concert": "e<i",
    r"^first the concert was over, then there was a pause, and then came the flash": "e<i",
    r"slept from the end of the concert to the flash": "e<i",
    r"^after the end of the concert there was a gap, and only at its end came the flash": "e<i",
}
MEANT = {
    **{"earlier": "i<j", "at-once": "i=j"},
    **{"ahead": "i<s", "opens": "i=s", "amid": "s<i i<e", "closes": "i=e", "past": "e<i"},
}


def test_frames_for_one_relation_of_instants_say_just_that():
    used = set()
    for frame in BANK.frames:
        if frame.id in TIME.by_id:
            continue
        ((name,),) = frame.predicates
        things = ["gong" if BETWEEN[name][0] == "instant" else "concert", "flash"]
        text = render(STITCHER, frame, False, [name], (None, None), things).lower()
        fitting = [pattern for pattern in SAYINGS if re.search(pattern, text)]
        assert len(fitting) == 1, (frame.id, text)
        assert SAYINGS[fitting[0]] == MEANT[name], (frame.id, text)
        used.update(fitting)
    assert used == set(SAYINGS)


def test_each_meaning_is_one_relation():
    """Exactly one relation of an instant to another or to an event is meant."""
    kinds = {name: set() for name in MEANT}
    for at, (first, last) in product(range(3), combinations_with_replacement(range(3), 2)):
        value = {"i": at, "j": first, "s": first, "e": last}
        for name, meant in MEANT.items():
            instant = BETWEEN[name][0] == "instant"
            if (first == last) == instant and all(
                value[a] < value[b] if sign == "<" else value[a] == value[b]
                for a, sign, b in meant.split()
            ):
                kinds[name].add(((at > first) - (at < first), (at > last) - (at < last)))
    assert all(len(ways) == 1 for ways in kinds.values())


@pytest.mark.parametrize("side", ["hold_out", "only"])
def test_both_sides_cover_all_clauses_if_a_fifth_is_held_out(side):
    chains = clauses(BANK)
    for seed in range(scaled(2)):
        out = held_out(BANK, 0.2, "time-points", seed)
        stitcher = Stitcher(BANK, **{side: out})
        least = {"hold_out": 16, "only": 4}[side]
        for chain in chains:
            found = {
                frame.id for frame, _ in stitcher.matching_frames(chain, (None,) * (len(chain) + 1))
            }
            assert len(found) >= least, (seed, chain)
