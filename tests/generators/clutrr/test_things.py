"""The pool of things: large, distinct, and no word of it can be taken for another."""

from relsmith.generators.clutrr.things import OPENING, QUESTION, pool
from relsmith.kb.spatial import world
from relsmith.templates.bank import find_bank
from relsmith.templates.statistics import vocabulary, words_of


def test_there_are_many_and_no_two_are_alike():
    assert len(pool()) >= 300
    assert len(set(pool())) == len(pool())
    assert list(pool()) == sorted(pool())
    assert all(thing.isascii() and thing.isalpha() and thing.islower() for thing in pool())
    plurals = {thing + "s" for thing in pool()}
    assert not plurals & set(pool())


def test_no_thing_is_a_word_that_a_story_says_otherwise():
    bank = find_bank("spatial")
    said = vocabulary(bank) | bank.vocabulary | set(words_of(f"{OPENING} {QUESTION}"))
    assert not said & set(pool())


def test_a_relation_fills_the_gap_as_it_is():
    question = QUESTION.format(x="lamp", y="kettle")
    assert question == 'Which words fill the gap: "The kettle is ... the lamp"?'
    for predicate in world().predicates.values():
        assert f"The kettle is {predicate.word()} the lamp" == question[27:-2].replace(
            "...", predicate.word()
        )
