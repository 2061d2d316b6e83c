"""Maps with stories of every relation and length."""

from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relsmith import Stream
from relsmith.errors import InvalidOption
from relsmith.kb.worlds.rules import RuleIndex
from relsmith.kb.worlds.space import directions
from relsmith.kb.worlds.space.layout import sample_cross, sample_squares, side, things_in_line
from relsmith.kb.worlds.space.steps import DIRECTIONS, MAP
from relsmith.testing.profile import scaled


@given(st.integers(), st.integers(1, 150))
def test_every_place_has_a_square_of_its_own(seed, places):
    squares = sample_squares(Stream("place", seed), places)
    assert len(squares) == places
    assert len(set(squares)) == places
    assert {n for square in squares for n in square} <= set(range(side(places)))
    assert sample_squares(Stream("place", seed), places) == squares


def test_each_relation_is_frequent_on_every_map():
    for seed in range(20):
        assert set(relation_counts(seed)) == set(MAP.offsets)
        assert min(relation_counts(seed).values()) > 5


def relation_counts(seed):
    """Return how often each relation holds on a map of sixty places."""
    squares = sample_squares(Stream("share", seed), 60)
    return Counter(MAP.relation(x, y) for x, y in permutations(squares, 2))


def test_half_of_the_squares_are_occupied():
    assert 60 / side(60) ** 2 == pytest.approx(0.5, abs=0.05)


@given(st.integers(), st.integers(1, 150))
def test_every_thing_of_a_cross_has_a_cell_of_its_own(seed, things):
    cells = sample_cross(Stream("place", seed), things)
    assert len(set(cells)) == len(cells) == things
    for axis in (0, 1):
        assert max(Counter(cell[axis] for cell in cells).values()) >= things_in_line(things)


def test_the_number_of_a_thing_does_not_reveal_its_place():
    """Check that the first thing is as often in the long row as any other."""
    first = 0
    for seed in range(600):
        cells = sample_cross(Stream("number", seed), 60)
        [(row, _)] = Counter(row for _, row in cells).most_common(1)
        first += cells[0][1] == row
    assert 140 < first < 260


def test_each_direction_is_frequent():
    counts = Counter(
        DIRECTIONS.relation(x, y)
        for seed in range(20)
        for x, y in permutations(sample_cross(Stream("share", seed), 60), 2)
    )
    assert set(counts) == set(directions().predicates)
    assert min(counts.values()) > 0.05 * counts.total()


@settings(max_examples=scaled(5, least=2))
@given(st.integers())
def test_sixty_things_have_long_chains_for_every_direction(seed):
    composed = RuleIndex.from_world(directions()).composed
    number = {name: n for n, name in enumerate(directions().predicates)}
    cells = sample_cross(Stream("chains", seed), 60)
    size = range(len(cells))
    there = {
        (x, y): number[DIRECTIONS.relation(cells[x], cells[y])] for x, y in permutations(size, 2)
    }
    most = {}

    def facts(x, y):
        """Return the length of the longest chain from x to y."""
        if (x, y) not in most:
            splits = [
                facts(x, z) + facts(z, y)
                for z in size
                if z not in (x, y) and composed[there[x, z]][there[z, y]] == there[x, y]
            ]
            most[x, y] = max(splits, default=1)
        return most[x, y]

    longest = Counter()
    for pair, name in there.items():
        longest[name] = max(longest[name], facts(*pair))
    assert len(longest) == len(number)
    assert min(longest.values()) >= things_in_line(60) - 1 >= 15 + 3


def test_zero_places_are_refused():
    with pytest.raises(InvalidOption, match="cannot place 0 things"):
        sample_cross(Stream("none"), 0)
    with pytest.raises(InvalidOption, match="cannot place 0 places"):
        sample_squares(Stream("none"), 0)
