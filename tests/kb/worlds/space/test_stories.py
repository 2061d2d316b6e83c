"""The words of the worlds: other words for answers, and parts of what relations say."""

import re

import pytest

from relsmith.kb.worlds.space import judge, steps
from relsmith.kb.worlds.world import find_world

GRIDS = {"space": steps.MAP, "space-overlap": steps.OVERLAP, "space-3d": steps.BLOCK}
KINDS = {"space": judge.MAP, "space-overlap": judge.OVERLAP, "space-3d": judge.BLOCK}
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


@worlds
def test_parts_are_what_the_judge_takes_them_for(name):
    """The world's table and the judge's reckoning know nothing of each other; nor does this."""
    world = find_world(name)
    for entry in world.predicates.values():
        offset = read(GRIDS[name], entry.word())
        level = "-".join(
            way
            for way in ("north", "south", "east", "west")
            if any(a * b > 0 for a, b in zip(WAYS[way], offset, strict=False))
        )
        rise = "".join("up" if steps > 0 else "down" for steps in offset[2:] if steps)
        direction = " and ".join(filter(None, (level, rise))) or "same square"
        most = GRIDS[name].max_counted
        numbers = ["zero", "one", "two", "three"][: most + 1]
        distance = [*numbers, f"more than {numbers[most]}"][max(map(abs, offset))]
        for what, expected in (("direction", direction), ("distance", distance)):
            word = entry.word()
            assert world.part_answers[what][word] == expected
            assert judge.part(KINDS[name], what, word) == expected


@worlds
def test_other_words_for_a_part_are_of_one_answer(name):
    for part in find_world(name).parts.values():
        every = [*part.answers, *(o for others in part.aliases.values() for o in others)]
        every += part.others
        assert len(set(every)) == len(every)
        assert set(part.aliases) == set(part.answers)


def test_conventions_tell_the_worlds_apart():
    openings = [find_world(name).conventions.brief for name in GRIDS]
    assert not [a for a in openings for b in openings if a is not b and a in b]
