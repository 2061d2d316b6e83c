"""What is said around a story, and how long stories may be."""

from relsmith.generators.clutrr import Clutrr
from relsmith.kb.worlds.ordering import world

STORIES = world().story_spec


def test_a_comparison_fills_the_gap_as_it_is():
    question = STORIES.question.format(x="Ann", y="Bob")
    assert question.endswith('"Bob is ... Ann"?')


def test_every_answer_occurs_at_every_length():
    generator = Clutrr.configure({"world": "ordering", "k": "2..6", "noise": "all"})
    assert generator.notes() == []
    assert not generator.caveats()
