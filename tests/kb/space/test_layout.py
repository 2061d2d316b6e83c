"""Maps that stories of every relation and length can be drawn from."""

from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relsmith import Stream
from relsmith.errors import InvalidOption
from relsmith.kb.space import world
from relsmith.kb.space.layout import place, side
from relsmith.kb.space.steps import relation


@given(st.integers(), st.integers(1, 150))
def test_every_place_has_a_square_of_its_own(seed, places):
    squares = place(Stream("place", seed), places)
    assert len(set(squares)) == len(squares) == places
    assert {n for square in squares for n in square} <= set(range(side(places)))
    assert place(Stream("place", seed), places) == squares


def test_each_relation_is_frequent_on_every_map():
    for seed in range(20):
        counts = Counter(
            relation(x, y) for x, y in permutations(place(Stream("share", seed), 60), 2)
        )
        assert set(counts) == set(world().predicates)
        assert min(counts.values()) > 5


def test_nothing_cannot_be_placed():
    with pytest.raises(InvalidOption, match="cannot place 0 places"):
        place(Stream("none"), 0)
