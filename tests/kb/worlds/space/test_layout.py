"""Maps that stories of every relation and length can be drawn from."""

from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relsmith import Stream
from relsmith.errors import InvalidOption
from relsmith.kb.worlds.space.layout import sample_squares, side
from relsmith.kb.worlds.space.steps import BLOCK, MAP, OVERLAP

grids = pytest.mark.parametrize("grid", [MAP, OVERLAP, BLOCK])


@grids
@given(st.integers(), st.integers(1, 150))
def test_every_place_has_a_square_perhaps_of_its_own(grid, seed, places):
    squares = sample_squares(Stream("place", seed), places, grid)
    assert len(squares) == places
    assert grid.shared or len(set(squares)) == places
    assert {n for square in squares for n in square} <= set(range(side(places, grid.axes)))
    assert sample_squares(Stream("place", seed), places, grid) == squares


@pytest.mark.parametrize("grid", [MAP, OVERLAP])
def test_each_relation_is_frequent_on_every_map(grid):
    for seed in range(20):
        assert set(relation_counts(grid, seed)) == set(grid.offsets)
        assert min(relation_counts(grid, seed).values()) > 5


def test_each_relation_is_in_most_blocks():
    seen = Counter(name for seed in range(20) for name in relation_counts(BLOCK, seed))
    assert set(seen) == set(BLOCK.offsets)
    assert min(seen.values()) > 10


def relation_counts(grid, seed):
    """Return how often each relation holds on a map of sixty places."""
    squares = sample_squares(Stream("share", seed), 60, grid)
    return Counter(grid.relation(x, y) for x, y in permutations(squares, 2))


@grids
def test_half_of_the_squares_are_taken(grid):
    assert 60 / side(60, grid.axes) ** grid.axes == pytest.approx(0.5, abs=0.05)


@grids
def test_nothing_cannot_be_placed(grid):
    with pytest.raises(InvalidOption, match="cannot place 0 places"):
        sample_squares(Stream("none"), 0, grid)
