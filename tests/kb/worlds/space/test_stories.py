"""The words of the world, and aliases of answers."""

import re

from relsmith.kb.worlds.space import world
from relsmith.kb.worlds.space.steps import MAP

NUMBERS = {"one": 1, "two": 2, "three": 3, "1": 1, "2": 2, "3": 3}
WAYS = {
    "north": (1, 0),
    "south": (-1, 0),
    "east": (0, 1),
    "west": (0, -1),
}


def read(words):
    """Return steps north and east of words such as `two steps north and one step east of`."""
    total = [0, 0]
    for phrase in re.split(" and ", re.sub(" of$", "", words)):
        more, number, unit, direction = re.fullmatch(
            r"(more than )?(\S+) (steps?) (\S+)", phrase
        ).groups()
        amount = NUMBERS[number] + bool(more)
        assert (unit == "step") == (amount == 1), words
        assert not more or amount == MAP.far, words
        for name in re.findall("|".join(WAYS), direction):
            total = [n + amount * way for n, way in zip(total, WAYS[name], strict=True)]
    return tuple(total)


def test_every_word_says_what_its_predicate_means():
    for predicate, entry in world().predicates.items():
        assert read(entry.word()) == MAP.offsets[predicate]


def test_other_words_for_an_answer_say_the_same():
    assert set(world().aliases.values()) == set(world().meanings)
    for other, word in world().aliases.items():
        assert read(other) == read(word), other
