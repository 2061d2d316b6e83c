"""The words of the world: places, other words for answers, and parts of what relations say."""

import re

import pytest

from relsmith.kb.space import world
from relsmith.kb.space.judge import part
from relsmith.kb.space.steps import OFFSETS
from relsmith.templates.bank import find_bank
from relsmith.templates.language import words_of
from relsmith.templates.statistics import vocabulary

WORLD = world()
STORIES = WORLD.told
PLACES = STORIES.names.female
NUMBERS = {"one": 1, "two": 2, "three": 3, "more than three": 4, "more than 3": 4}
NUMBERS |= {str(n): n for n in (1, 2, 3)}
DIRECTIONS = {"north": (1, 0), "south": (-1, 0), "east": (0, 1), "west": (0, -1)}


def read(words):
    """Steps north and east of words like `two steps north and one step east of`."""
    north = east = 0
    for phrase in words.removesuffix(" of").split(" and "):
        amount, unit, direction = re.fullmatch(r"(.+) (steps?) (\S+)", phrase).groups()
        assert (unit == "step") == (NUMBERS[amount] == 1), words
        for name in re.findall("north|south|east|west", direction):
            north += NUMBERS[amount] * DIRECTIONS[name][0]
            east += NUMBERS[amount] * DIRECTIONS[name][1]
    return north, east


def test_there_are_many_places_and_no_two_are_alike():
    assert len(PLACES) >= 250
    assert len(set(PLACES)) == len(PLACES)
    assert list(PLACES) == sorted(PLACES)
    assert all(place.isascii() and place.isalpha() and place.islower() for place in PLACES)
    assert not {place + "s" for place in PLACES} & set(PLACES)


def test_no_place_is_a_word_that_a_story_says_otherwise():
    bank = find_bank("space")
    said = vocabulary(bank) | bank.vocabulary
    texts = [STORIES.opening, STORIES.question, *(p.question for p in WORLD.parts.values())]
    said |= {word for text in texts for word in words_of(text)}
    assert not said & set(PLACES)


def test_every_word_says_what_its_predicate_means():
    for name, predicate in WORLD.predicates.items():
        assert read(predicate.word()) == OFFSETS[name]


def test_other_words_for_an_answer_say_the_same():
    assert set(WORLD.aliases.values()) == set(WORLD.meanings)
    for other, word in WORLD.aliases.items():
        assert read(other) == read(word), other


@pytest.mark.parametrize("name", OFFSETS)
def test_parts_are_what_the_judge_takes_them_for(name):
    """The file's table and the judge's reckoning know nothing of each other; nor does this test."""
    word = WORLD.predicates[name].word()
    north, east = read(word)
    direction = "-".join(
        name
        for name, (up, along) in DIRECTIONS.items()
        if (up and up * north > 0) or (along and along * east > 0)
    )
    steps = max(abs(north), abs(east))
    distance = ["one", "two", "three", "more than three"][steps - 1]
    for what, expected in (("direction", direction), ("distance", distance)):
        assert WORLD.parts_of[what][word] == part(what, word) == expected


def test_a_relation_fills_the_gap_as_it_is():
    question = STORIES.question.format(x="mill", y="inn")
    gap = 'Which words fill the gap, "of" included: "The inn is ... the mill"?'
    assert question.startswith(gap)
