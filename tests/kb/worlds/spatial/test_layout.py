"""Placements that stories of every direction and length can be drawn from."""

from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relsmith import Stream
from relsmith.errors import InvalidOption
from relsmith.kb.worlds.spatial import world
from relsmith.kb.worlds.spatial.grid import directions
from relsmith.kb.worlds.spatial.layout import sample_cells, things_in_line
from relsmith.testing.profile import scaled


@given(st.integers(), st.integers(1, 150))
def test_every_thing_has_a_cell_of_its_own(seed, things):
    cells = sample_cells(Stream("place", seed), things)
    assert len(set(cells)) == len(cells) == things
    assert sample_cells(Stream("place", seed), things) == cells
    for axis in (0, 1):
        assert max(Counter(cell[axis] for cell in cells).values()) >= things_in_line(things)


def test_a_things_number_tells_nothing_of_its_place():
    """The first thing is as often in the long row as any other."""
    first = 0
    for seed in range(600):
        cells = sample_cells(Stream("number", seed), 60)
        [(row, _)] = Counter(row for _, row in cells).most_common(1)
        first += cells[0][1] == row
    assert 140 < first < 260


def test_each_direction_is_frequent():
    counts = Counter()
    for seed in range(20):
        for x, y in permutations(sample_cells(Stream("share", seed), 60), 2):
            counts.update(directions(x, y))
    assert set(counts) == set(world().predicates)
    assert min(counts.values()) > 0.05 * counts.total()


def longest_chains(cells):
    """Return, by direction, the longest chain that composes to it."""
    rules = {(*rule.body, rule.head) for rule in world().ruleset("sound").rules}
    size = range(len(cells))
    there = {(x, y): next(iter(directions(cells[x], cells[y]))) for x, y in permutations(size, 2)}
    most = {}

    def facts(x, y):
        if (x, y) not in most:
            splits = [
                facts(x, z) + facts(z, y)
                for z in size
                if z not in (x, y) and (there[x, z], there[z, y], there[x, y]) in rules
            ]
            most[x, y] = max(splits, default=1)
        return most[x, y]

    found = Counter()
    for pair, name in there.items():
        found[name] = max(found[name], facts(*pair))
    return found


@settings(max_examples=scaled(5, least=2))
@given(st.integers())
def test_sixty_things_have_chains_of_fifteen_facts_and_room_beside_for_every_direction(seed):
    chains = longest_chains(sample_cells(Stream("chains", seed), 60))
    assert set(chains) == set(world().predicates)
    assert min(chains.values()) >= things_in_line(60) - 1 >= 15 + 3


def test_nothing_cannot_be_placed():
    with pytest.raises(InvalidOption, match="cannot place 0 things"):
        sample_cells(Stream("none"), 0)
