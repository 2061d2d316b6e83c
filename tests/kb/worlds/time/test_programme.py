"""Programmes with stories of every relation and length."""

from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relsmith import Stream
from relsmith.errors import InvalidOption
from relsmith.generators.clutrr import Clutrr
from relsmith.kb.worlds.time import world
from relsmith.kb.worlds.time.intervals import relation
from relsmith.kb.worlds.time.programme import coinciding_events, sample_intervals


@given(st.integers(), st.integers(1, 150))
def test_every_event_has_a_duration_and_some_coincide(seed, events):
    spans = sample_intervals(Stream("arrange", seed), events)
    assert len(spans) == events
    assert all(start < end for start, end in spans)
    assert max(Counter(spans).values()) >= coinciding_events(events)
    assert sample_intervals(Stream("arrange", seed), events) == spans


def test_event_numbers_are_independent_of_time():
    """Check that the first event is simultaneous with others as often as any other."""
    first = 0
    for seed in range(600):
        spans = sample_intervals(Stream("number", seed), 60)
        [(most, _)] = Counter(spans).most_common(1)
        first += spans[0] == most
    assert 140 < first < 260


def test_each_relation_is_frequent():
    counts = Counter()
    for seed in range(20):
        counts.update(
            relation(x, y) for x, y in permutations(sample_intervals(Stream("s", seed), 60), 2)
        )
    assert set(counts) == set(world().predicates)
    assert min(counts.values()) > 0.02 * counts.total()


def test_sixty_events_have_chains_of_eighteen_facts_for_every_relation():
    longest = world().story_spec.max_facts(60)
    assert longest == coinciding_events(60) - 2 == 18
    generator = Clutrr.configure({"world": "time", "k": str(longest)})
    # The answers of a block's stories are drawn, so some come late.
    assert {row.target for row in generator.examples(130)} == set(world().meanings)


def test_zero_events_are_refused():
    with pytest.raises(InvalidOption, match="cannot arrange 0 events"):
        sample_intervals(Stream("none"), 0)
