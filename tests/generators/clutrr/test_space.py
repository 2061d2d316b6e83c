"""Stories of space: every kind of question, answers read."""

from collections import Counter
from functools import cache

import pytest
from pairs import in_turn
from stories import clutrr

from relsmith import Example
from relsmith.generators.clutrr import Clutrr
from relsmith.generators.clutrr.asking.answers import answer_key
from relsmith.generators.clutrr.metadata import stated_facts
from relsmith.kb.worlds.space.judge import BLOCK, MAP, OVERLAP, judge, part
from relsmith.kb.worlds.world import find_world
from relsmith.testing.profile import scaled

SPACE = {"world": "space"}
KINDS = {"space": MAP, "space-overlap": OVERLAP, "space-3d": BLOCK}


def test_places_in_one_square_are_stated_and_asked_for() -> None:
    rows = list(clutrr("world=space-overlap k=2..4").examples(400))
    assert 1 <= sum(row.target == "in the same square as" for row in rows) <= 12
    words = Counter(word for row in rows for _, word, _ in stated_facts(row.metadata))
    assert words["in the same square as"] > 5


@pytest.mark.parametrize("split", ["train", "test"])
def test_rows_are_sound_with_held_out_clauses(split: str) -> None:
    generator = Clutrr.configure(SPACE | {"hold_out": "templates,names", "train_k": "2,3"})
    rows = generator.split(split, splits=("train", "test"))[:48]
    assert [finding for row in rows for finding in generator.problems(row)] == []


@pytest.mark.parametrize(("world", "answer"), in_turn(KINDS, ["direction", "distance"]))
def test_a_part_is_that_of_the_relation_or_open_on_the_map(world: str, answer: str) -> None:
    targets: Counter[str] = Counter()
    rows = scaled(120, least=60)
    asked, kind = find_world(world).parts[answer], KINDS[world]
    for row in clutrr("unknown_share=0.3 k=2..5", world=world, answer=answer).examples(rows):
        x, y = row.metadata["query"]
        facts = [(a, word, b) for a, word, b in stated_facts(row.metadata)]
        words = judge(facts, (x, y), None, kind).answers
        parts = {part(kind, answer, word) for word in words}
        assert row.input.endswith(
            asked.text.format(x=x, y=y) + " If the story leaves that open, the answer is unknown."
        )
        assert row.metadata["asked"] == answer
        if row.target == "unknown":
            assert len(parts) > 1
            assert row.metadata["relation"] == ""
        else:
            assert parts == {row.target}
            assert words == {row.metadata["relation"]}
        targets[row.target] += 1
    # Of so many answers not all are there: no steps at all are rare.
    assert set(targets) <= {*asked.answers, "unknown"}
    assert world != "space" or set(targets) == {*asked.answers, "unknown"}
    assert targets["unknown"] == pytest.approx(0.3 * rows, abs=6)


@cache
def some(world: str, answer: str) -> list[Example]:
    return list(clutrr("k=2 style=facts", world=world, answer=answer).examples(256))


@pytest.mark.parametrize(
    ("world", "answer", "target", "right", "wrong"),
    [
        (
            *("space", "relation", "two steps north-east of"),
            ["two steps north and two steps east", "2 steps northeast"],
            ["two steps north"],
        ),
        (
            *("space", "relation", "two steps east of"),
            ["It is two steps east of it."],
            ["five steps north and two steps east"],
        ),
        (
            *("space", "relation", "two steps north and one step west of"),
            ["1 step west and 2 steps north"],
            [],
        ),
        (
            *("space", "relation", "more than three steps north of"),
            ["more than 3 steps north"],
            ["four steps north"],
        ),
        ("space", "direction", "north-east", ["northeast"], ["north"]),
        ("space", "direction", "north", ["It lies due north."], ["north-east"]),
        ("space", "distance", "two", ["2 steps"], ["three"]),
        ("space", "distance", "more than three", ["at least four"], ["five"]),
        ("space", "distance", "three", [], ["more than three"]),
        (
            *("space-overlap", "relation", "in the same square as"),
            ["overlap", "in the same place"],
            ["one step north"],
        ),
        ("space-overlap", "relation", "one step north of", [], ["in the same square"]),
        ("space-overlap", "direction", "same square", ["It is in the same square."], []),
        ("space-overlap", "distance", "zero", ["0"], ["one"]),
        (
            *("space-3d", "relation", "two steps above"),
            ["two steps up", "2 steps above"],
            ["two steps below", "three steps above"],
        ),
        (
            *("space-3d", "relation", "one step north and two steps up from"),
            ["2 steps up and 1 step north"],
            ["two steps up"],
        ),
        ("space-3d", "direction", "north-east and up", ["up and northeast"], ["north-east"]),
        ("space-3d", "distance", "more than two", ["at least three"], ["three"]),
    ],
)
def test_answers_are_scored(world, answer, target, right, wrong) -> None:
    key = answer_key(next(row for row in some(world, answer) if row.target == target))
    assert [key.score(said).value for said in right] == [1] * len(right)
    assert all(key.score(said).value < 1 for said in wrong)
