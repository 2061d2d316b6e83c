"""What is said around a story, and names that cannot be taken for a word of it."""

from relsmith.generators.clutrr import Clutrr
from relsmith.kb.work import world
from relsmith.templates.bank import find_bank
from relsmith.templates.language import words_of
from relsmith.templates.statistics import vocabulary

STORIES = world().told


def test_there_are_many_names_and_none_is_a_word_that_a_story_says_otherwise():
    names = STORIES.names.female
    assert len(names) >= 400
    assert len(set(names)) == len(names)
    bank = find_bank("work")
    said = vocabulary(bank) | set(words_of(f"{STORIES.opening} {STORIES.question}"))
    assert not said & {name.lower() for name in names}


def test_every_answer_is_told_of_every_length():
    generator = Clutrr.configure({"world": "work", "k": "2..10", "noise": "all"})
    assert generator.notes() == []
    assert not [caveat for caveat in Clutrr.caveats() if "--world work" in caveat]
