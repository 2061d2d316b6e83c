"""Frames of the work bank read back by a small grammar, and no hole where some are held out."""

import re
from itertools import product

import pytest

from relsmith import Stream
from relsmith.kb.worlds.work.judge import WORDS
from relsmith.templates.bank import find_bank
from relsmith.templates.statistics import render
from relsmith.templates.stitcher import Stitcher

BANK = find_bank("work")
STITCHER = Stitcher(BANK)
WORD = {name: predicate.word() for name, predicate in BANK.world.predicates.items()}
PEOPLE = ["Ada", "Bilal", "Carmen", "Dmitri"]
NAME = rf"\b({'|'.join(PEOPLE)})\b"
NOUN = "|".join(sorted(WORDS, key=len, reverse=True))
# Whose, what, and perhaps at once who; or what, of whom.
SAID = re.compile(
    rf"(?:{NAME}'s|(whose)) ({NOUN})\b(?: is)?(?: {NAME})?|\b({NOUN}) of {NAME}", re.IGNORECASE
)


def read(text):
    """All facts (x, word, y), "y is x's word", of a text that states them in these words.

    Who is meant stands at once behind, or is the one named last before, or the one named next.
    """
    facts = []
    for said in SAID.finditer(text):
        holder, whose, word, behind, alone, of = said.groups()
        before = re.findall(NAME, text[: said.start()])
        after = re.findall(NAME, text[said.end() :])
        x = holder or of or (before[-1] if whose else None)
        y = behind or (before[-1] if before else after[0])
        facts.append((x, word or alone, y))
    return facts


def plain(frame):
    """Return whether the frame states its facts in the words of the world."""
    return bool(frame.predicates) and len(frame.predicates[0]) == len(WORD)


@pytest.mark.parametrize("length", [1, 2, 3])
def test_frames_that_state_any_relation_are_read_back(length):
    frames = [f for f in BANK.frames if plain(f) and len(f.predicates) == length]
    assert len(frames) >= 20
    people = PEOPLE[: length + 1]
    for frame in frames:
        for number, clause in enumerate(product(WORD, repeat=length)):
            if number % length**2:
                continue
            text = render(STITCHER, frame, False, clause, (None,) * (length + 1), people)
            told = [
                (x, WORD[name], y) for x, name, y in zip(people, clause, people[1:], strict=False)
            ]
            assert sorted(read(text)) == sorted(told), (frame.id, text)


# Each says what the first is to the second.
PHRASES = {
    "manager": [
        r"^{1} reports directly to {0}\.",
        r"^{1} is on the team that {0} manages\.",
        r"{0} is the one who directly manages {1}\.",
        r"approved by one's direct manager, so {1} wrote to {0}, who is just that",
        r"the team that {0} leads as direct manager has {1} on it",
        r'"who is your direct manager\?" {1} was asked, and answered: "{0}\."',
        r"among those whom {0} manages directly is {1}",
        r"when it comes to direct managers, {1} has {0}",
        r"reporting directly to {0} suits {1} well",
        r"{1} is managed directly by {0}",
    ],
    "skip-manager": [
        r"{1}'s direct manager reports directly to {0}",
        r"{0} directly manages the direct manager of {1}",
        r"two levels up the line from {1} stands {0}",
        r"{0} manages the team that {1}'s direct manager is on",
        r"in the line above {1} there is first the direct manager and next {0}",
        r"exactly two levels below {0} in the line is {1}",
        r"seen from {1}, the direct manager of the direct manager is {0}",
        r"two levels, no more and no fewer, up the line from {1} to {0}",
    ],
    "distant-manager": [
        r"even {1}'s skip-level manager reports to {0}, directly or through others",
        r"at least three levels up the line from {1} to {0}",
        r"{0} stands three or more levels above {1} in the line",
        r"in the line above {1}, {0} comes somewhere after the skip-level manager",
        r"{1} looks up the line, past .* the skip-level manager, and somewhere above sees {0}",
        r"somewhere below {0}, three levels or more down the line, works {1}",
        r"no fewer than three levels must be climbed in the line to get from {1} to {0}",
        r"the line runs from {0} down to {1}'s skip-level manager and only then, .*, to {1}",
    ],
    "teammate": [
        r"{0} and {1} are on the same team",
        r"{0} and {1} have the same direct manager",
        r"the one who is {0}'s direct manager is {1}'s direct manager, too",
        r"there is one team, and both {0} and {1} are on it",
        r"{0} was put on the team that {1} is on",
        r'"are you two teammates\?" "yes, we are," said {0} and {1}',
        r"for {0} and for {1}, the name of the direct manager is one and the same",
        r"among those who share a direct manager with {1} is {0}",
        r"{0} and {1}, who are teammates, take turns",
        r"{1} cannot have another direct manager than {0} has, for both are on one team",
    ],
    "deputy": [
        r"^{0} deputises for {1}\.",
        r"{1} has made {0} a deputy, to act for {1} when necessary",
        r"whenever {1} is ill, it falls to {0} to deputise",
        r"{0} holds the post of a deputy to {1}",
        r"^deputy to {1}: so it says on {0}'s door",
        r"{0}'s card reads: deputy to {1}",
        r"{1} was at sea that day, so {0}, as {1}'s deputy, opened",
        r"deputising for {1} is what {0} is there for",
    ],
    "stand-in-manager": [
        r"{0} deputises for {1}'s direct manager",
        r"the team that {1} is on has {0} as a stand-in manager",
        r"whenever {1}'s direct manager is away, {0} deputises",
        r"{1}'s direct manager has {0} for a deputy",
        r"{0} is deputy to the one who directly manages {1}",
        r"that {1} is on is managed by {0} .* its direct manager, for whom {0} deputises, is on",
        r"those on the team with {1} has been {0}, a deputy of their direct manager",
        r"somebody who deputises for my direct manager,\" said {1}, meaning {0}",
    ],
    "mentor": [
        r"{0} mentors the team that {1} is on",
        r"{0} comes in from outside to mentor {1} and the rest of the team",
        r"the team that has {1} on it is mentored by {0}",
        r"the team that {0} has been mentoring since june has {1} on it",
        r"being on a team that {0} mentors has made {1} bolder",
        r"{1} and everybody else on the team can turn to {0}, who mentors all of them",
        r"on the team that {1} is on, everybody has a mentor from outside by the name of {0}",
        r"{0} mentors one team only, and {1} is on it",
    ],
}


def test_frames_for_one_relation_say_just_that():
    unread = []
    for frame in BANK.frames:
        if plain(frame) or not frame.predicates:
            continue
        ((name,),) = frame.predicates
        text = render(STITCHER, frame, False, [name], (None, None), ["Ada", "Bilal"]).lower()
        # (Ada, name, Bilal): Bilal is that to Ada.
        meant = {
            (relation, turned)
            for relation, phrases in PHRASES.items()
            for phrase in phrases
            for turned, two in ((False, ("bilal", "ada")), (True, ("ada", "bilal")))
            if re.search(phrase.format(*two), text)
        }
        if name == "teammate":
            meant = {(relation, False) for relation, _ in meant}
        if meant != {(name, False)}:
            unread.append((frame.id, name, meant, text))
    assert not unread


def test_realized_facts_are_parsed_back_in_either_direction():
    stream = Stream("work")
    only = Stitcher(BANK, only=[frame.id for frame in BANK.frames if plain(frame)])
    for _ in range(300):
        x, y = stream.sample(PEOPLE, 2)
        name = stream.choice(sorted(WORD))
        (line,) = only.realize_path([x, y], (None, name, None), stream)
        back = BANK.world.inverse(name)
        assert read(line.text) in ([(x, WORD[name], y)], [(y, WORD[back], x)]), line.text
