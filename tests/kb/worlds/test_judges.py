"""Input that the judge of every world refuses."""

import pytest

from relsmith.errors import InvalidOption
from relsmith.kb.worlds.world import find_world
from relsmith.registry import WORLDS


@pytest.mark.parametrize("world", WORLDS.entries)
def test_unknown_words_and_queries_of_one_name_are_refused(world: str) -> None:
    found = find_world(world)
    word, predicate = next(iter(found.meanings)), "no-such-word"
    genders = dict.fromkeys("ab", found.meanings[word][1] or "male") if found.genders else {}
    for facts, query, claimed, said in (
        ([("a", predicate, "b")], ("a", "b"), None, repr(predicate)),
        ([("a", word, "b")], ("a", "b"), predicate, repr(predicate)),
        ([("a", word, "b")], ("a", "a"), None, "'a' twice"),
    ):
        with pytest.raises(InvalidOption, match=said):
            found.story_spec.judge(facts, genders, query, claimed)
