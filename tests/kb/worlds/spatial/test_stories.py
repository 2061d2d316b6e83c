"""The question of a story about things in a grid."""

from relsmith.kb.worlds.spatial import world

STORIES = world().story_spec
THINGS = STORIES.names.female


def test_a_relation_fills_the_gap_as_it_is():
    question = STORIES.question.format(x="lamp", y="kettle")
    assert question == 'Which words fill the gap: "The kettle is ... the lamp"?'
    for predicate in world().predicates.values():
        assert f"The kettle is {predicate.word()} the lamp" == question[27:-2].replace(
            "...", predicate.word()
        )
