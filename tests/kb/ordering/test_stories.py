"""What is said around a story, and names that cannot be taken for a word of it."""

from relsmith.generators.clutrr import Clutrr
from relsmith.kb.ordering import world
from relsmith.templates.bank import find_bank
from relsmith.templates.language import words_of
from relsmith.templates.statistics import vocabulary

STORIES = world().told


def test_there_are_many_names_and_none_is_a_word_that_a_story_says_otherwise():
    names = STORIES.names.female
    assert len(names) >= 400
    assert len(set(names)) == len(names)
    said = vocabulary(find_bank("ordering"))
    said |= set(
        words_of(" ".join([STORIES.opening, STORIES.question, STORIES.who, *STORIES.plain]))
    )
    said |= {word for entry in world().predicates.values() for word in words_of(entry.word())}
    assert not said & {name.lower() for name in names}


def test_a_comparison_fills_the_gap_as_it_is():
    question = STORIES.question.format(x="Ann", y="Bob")
    assert question.endswith('"Bob is ... Ann"?')


def test_every_answer_is_told_of_every_length():
    generator = Clutrr.configure({"world": "ordering", "k": "2..6", "noise": "all"})
    assert generator.notes() == []
    assert not [caveat for caveat in Clutrr.caveats() if "--world ordering" in caveat]
