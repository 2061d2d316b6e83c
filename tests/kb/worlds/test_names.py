"""The names of every world: many, distinct, and none that can be taken for a word of a story."""

import pytest

from relsmith.kb.worlds.world import find_world
from relsmith.registry import WORLDS
from relsmith.templates.bank import find_bank
from relsmith.templates.language import words_of
from relsmith.templates.statistics import vocabulary


@pytest.mark.parametrize("world", WORLDS.entries)
def test_names_are_many_and_distinct(world: str) -> None:
    pools = find_world(world).story_spec.names
    names = [name for pool in pools for name in pool]
    assert len(set(names)) == len(names) >= 200
    assert all(name.isalpha() for name in names)
    assert all(len({name[0].isupper() for name in pool}) <= 1 for pool in pools)
    common = {name for name in names if name.islower()}
    assert not {f"{name}s" for name in common} & common
    for pool in pools:
        assert not common or list(pool) == sorted(pool)


@pytest.mark.parametrize("world", WORLDS.entries)
def test_no_name_is_a_word_that_a_story_says_otherwise(world: str) -> None:
    found, bank = find_world(world), find_bank(world)
    told = found.story_spec
    texts = [told.opening, told.question, told.yes_no, told.who, told.possible, told.rank]
    texts += [*told.plain, told.legend, *found.meanings]
    texts += [part.question for part in found.parts.values()]
    said = vocabulary(bank) | bank.vocabulary
    said |= {word for text in texts for word in words_of(text)} | told.dated_words
    names = {name for pool in told.names for name in pool}
    # Who is called Rose or Will is told by the capital letter.
    assert not said & ({name.lower() for name in names} if not found.genders else names)
