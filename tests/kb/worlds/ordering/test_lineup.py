"""Scenes with stories of every comparison and length."""

from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relsmith import Stream
from relsmith.errors import InvalidOption
from relsmith.generators.clutrr import Clutrr
from relsmith.kb.worlds.ordering import world
from relsmith.kb.worlds.ordering.judge import judge
from relsmith.kb.worlds.ordering.lineup import relation, sample_lineup, tied_people
from relsmith.kb.worlds.verdict import Status
from relsmith.testing.profile import scaled

WORD = {name: entry.word() for name, entry in world().predicates.items()}


def stated_facts(lineup):
    people = range(len(lineup.half))
    return {pair: name for pair in permutations(people, 2) if (name := relation(lineup, *pair))}


@settings(max_examples=scaled(30, least=10))
@given(st.integers(), st.integers(8, 40))
def test_facts_of_a_lineup_are_consistent_and_strongest(seed, people):
    """Check that a story has the answer of the scene only."""
    lineup = sample_lineup(Stream("line up", seed), people)
    assert sample_lineup(Stream("line up", seed), people) == lineup
    held = stated_facts(lineup)
    assert all(held[y, x] == world().inverse(name) for (x, y), name in held.items())
    facts = [(str(x), WORD[name], str(y)) for (x, y), name in held.items()]
    pairs = Stream("asked", seed).sample(sorted(permutations(range(people), 2)), 25)
    for x, y in pairs:
        verdict = judge(facts, (str(x), str(y)))
        if (x, y) in held:
            assert verdict.status is Status.ENTAILED
            assert verdict.answers == {WORD[held[x, y]]}
        else:
            assert verdict.status is Status.UNDETERMINED


@given(st.integers(), st.integers(8, 150))
def test_enough_people_are_tied(seed, people):
    lineup = sample_lineup(Stream("alike", seed), people)
    for half in (0, 1):
        standing = [
            s for s, which in zip(lineup.standing, lineup.half, strict=True) if which == half
        ]
        assert abs(len(standing) - people / 2) < 1
        assert max(Counter(standing).values()) >= tied_people(people)


def test_person_numbers_are_independent_of_rank():
    first = sum(
        sample_lineup(Stream("number", seed), 60).standing[0] == (0, 0) for seed in range(600)
    )
    assert 240 < first < 360


def test_each_comparison_is_frequent():
    counts = Counter()
    for seed in range(40):
        counts.update(stated_facts(sample_lineup(Stream("s", seed), 60)).values())
    assert set(counts) == set(world().predicates)
    assert min(counts.values()) > 0.02 * counts.total()


def test_sixty_people_have_chains_of_fifteen_facts_for_every_comparison():
    stories = world().story_spec
    assert stories.max_facts(60) == tied_people(60) == 17
    assert stories.max_chain_facts(60) == 15
    generator = Clutrr.configure({"world": "ordering", "k": "15"})
    assert not generator.notes(), "no answer is missing"
    assert {row.target for row in generator.examples(60)} == set(world().meanings)


@pytest.mark.parametrize("people", [20, 40])
def test_noise_fits_with_the_longest_supported_chain(people):
    chain = world().story_spec.max_facts(people) - 2
    assert chain == world().story_spec.max_chain_facts(people)
    noise = {"noise": "supporting", "noise_length": "2"}
    generator = Clutrr.configure({"world": "ordering", "k": str(chain), "people": people, **noise})
    assert {row.target for row in generator.examples(60)} == set(world().meanings)


def test_too_few_people_are_refused():
    with pytest.raises(InvalidOption, match="cannot line up 7 people"):
        sample_lineup(Stream("none"), 7)
