"""What is said around a story, and how long stories may be."""

from relsmith.generators.clutrr import Clutrr
from relsmith.kb.worlds.work import world

STORIES = world().story_spec


def test_every_answer_occurs_at_every_length():
    generator = Clutrr.configure({"world": "work", "k": "2..10", "noise": "all"})
    assert generator.notes() == []
    assert not generator.caveats()
