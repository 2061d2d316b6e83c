"""The pool of things: large, distinct, and no word of it can be taken for another."""

from relsmith.kb.spatial import world
from relsmith.templates.bank import find_bank
from relsmith.templates.language import words_of
from relsmith.templates.statistics import vocabulary

STORIES = world().told
THINGS = STORIES.names.female


def test_there_are_many_and_no_two_are_alike():
    assert len(THINGS) >= 300
    assert len(set(THINGS)) == len(THINGS)
    assert list(THINGS) == sorted(THINGS)
    assert all(thing.isascii() and thing.isalpha() and thing.islower() for thing in THINGS)
    plurals = {thing + "s" for thing in THINGS}
    assert not plurals & set(THINGS)


def test_no_thing_is_a_word_that_a_story_says_otherwise():
    bank = find_bank("spatial")
    said = (
        vocabulary(bank) | bank.vocabulary | set(words_of(f"{STORIES.opening} {STORIES.question}"))
    )
    assert not said & set(THINGS)


def test_a_relation_fills_the_gap_as_it_is():
    question = STORIES.question.format(x="lamp", y="kettle")
    assert question == 'Which words fill the gap: "The kettle is ... the lamp"?'
    for predicate in world().predicates.values():
        assert f"The kettle is {predicate.word()} the lamp" == question[27:-2].replace(
            "...", predicate.word()
        )
