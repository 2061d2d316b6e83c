"""Stories of space: facts, hold-outs, scored answers."""

from functools import cache

import pytest
from stories import clutrr

from relsmith import Example
from relsmith.generators.clutrr import Clutrr
from relsmith.generators.clutrr.asking.answers import answer_key

SPACE = {"world": "space"}


@pytest.mark.parametrize("split", ["train", "test"])
def test_rows_are_sound_with_held_out_clauses(split: str) -> None:
    generator = Clutrr.configure(SPACE | {"hold_out": "templates,names", "train_k": "2,3"})
    rows = generator.split(split, splits=("train", "test"))[:48]
    assert [finding for row in rows for finding in generator.problems(row)] == []


@cache
def some(world: str) -> list[Example]:
    return list(clutrr("k=2 style=facts", world=world).examples(256))


@pytest.mark.parametrize(
    ("world", "target", "right", "wrong"),
    [
        (
            *("space", "two steps north-east of"),
            ["two steps north and two steps east", "2 steps northeast"],
            ["two steps north"],
        ),
        (
            *("space", "two steps east of"),
            ["It is two steps east of it."],
            ["five steps north and two steps east"],
        ),
        (
            *("space", "two steps north and one step west of"),
            ["1 step west and 2 steps north"],
            [],
        ),
        (
            *("space", "more than three steps north of"),
            ["more than 3 steps north"],
            ["four steps north"],
        ),
    ],
)
def test_answers_are_scored(world, target, right, wrong) -> None:
    key = answer_key(next(row for row in some(world) if row.target == target))
    assert [key.score(said).value for said in right] == [1] * len(right)
    assert all(key.score(said).value < 1 for said in wrong)
