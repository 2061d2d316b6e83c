"""The question of a story about events."""

from relsmith.kb.worlds.time import world

STORIES = world().story_spec
EVENTS = STORIES.names.female


def test_a_relation_fills_the_gap_as_it_is():
    question = STORIES.question.format(x="parade", y="concert")
    assert question == 'Which words fill the gap: "The concert ... the parade"?'
    for predicate in world().predicates.values():
        assert f"The concert {predicate.word()} the parade" == question[27:-2].replace(
            "...", predicate.word()
        )
