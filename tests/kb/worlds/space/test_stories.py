"""The words of the worlds, and other words for answers."""

import re

import pytest

from relsmith.kb.worlds.space import steps
from relsmith.kb.worlds.world import find_world

GRIDS = {"space": steps.MAP, "space-overlap": steps.OVERLAP, "space-3d": steps.BLOCK}
worlds = pytest.mark.parametrize("name", GRIDS)
NUMBERS = {"one": 1, "two": 2, "three": 3, "1": 1, "2": 2, "3": 3}
WAYS = {
    "north": (1, 0, 0),
    "south": (-1, 0, 0),
    "east": (0, 1, 0),
    "west": (0, -1, 0),
    "up": (0, 0, 1),
    "down": (0, 0, -1),
    "above": (0, 0, 1),
    "below": (0, 0, -1),
}


def read(grid, words):
    """Steps north, east and up of words like `two steps north and one step east of`."""
    total = [0, 0, 0]
    if re.search("same|overlap", words):
        return tuple(total[: grid.axes])
    for phrase in re.split(" and |, ", re.sub(" (of|from)$", "", words)):
        more, number, unit, direction = re.fullmatch(
            r"(more than )?(\S+) (steps?) (\S+)", phrase
        ).groups()
        amount = NUMBERS[number] + bool(more)
        assert (unit == "step") == (amount == 1), words
        assert not more or amount == grid.far, words
        for name in re.findall("|".join(WAYS), direction):
            total = [n + amount * way for n, way in zip(total, WAYS[name], strict=True)]
    assert grid.axes == 3 or not total[2]
    return tuple(total[: grid.axes])


@worlds
def test_every_word_says_what_its_predicate_means(name):
    for predicate, entry in find_world(name).predicates.items():
        assert read(GRIDS[name], entry.word()) == GRIDS[name].offsets[predicate]


@worlds
def test_other_words_for_an_answer_say_the_same(name):
    world = find_world(name)
    assert set(world.aliases.values()) == set(world.meanings)
    for other, word in world.aliases.items():
        assert read(GRIDS[name], other) == read(GRIDS[name], word), other


def test_conventions_tell_the_worlds_apart():
    openings = [find_world(name).conventions.brief for name in GRIDS]
    assert not [a for a in openings for b in openings if a is not b and a in b]
