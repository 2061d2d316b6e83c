"""The pool of events: large, distinct, and no word of it can be taken for another."""

from relsmith.kb.time import world
from relsmith.templates.bank import find_bank
from relsmith.templates.language import words_of
from relsmith.templates.statistics import vocabulary

STORIES = world().told
EVENTS = STORIES.names.female


def test_there_are_many_and_no_two_are_alike():
    assert len(EVENTS) >= 200
    assert len(set(EVENTS)) == len(EVENTS)
    assert list(EVENTS) == sorted(EVENTS)
    assert all(event.isascii() and event.isalpha() and event.islower() for event in EVENTS)
    assert not {event + "s" for event in EVENTS} & set(EVENTS)


def test_no_event_is_a_word_that_a_story_says_otherwise():
    bank = find_bank("time")
    said = vocabulary(bank) | bank.vocabulary
    said |= set(
        words_of(" ".join([STORIES.opening, STORIES.question, STORIES.who, *STORIES.plain]))
    )
    said |= {word for entry in world().predicates.values() for word in words_of(entry.word())}
    assert not said & set(EVENTS)


def test_a_relation_fills_the_gap_as_it_is():
    question = STORIES.question.format(x="parade", y="concert")
    assert question == 'Which words fill the gap: "The concert ... the parade"?'
    for predicate in world().predicates.values():
        assert f"The concert {predicate.word()} the parade" == question[27:-2].replace(
            "...", predicate.word()
        )
