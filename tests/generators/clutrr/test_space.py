"""Stories of space: every kind of question, answers read."""

from collections import Counter
from functools import cache

import pytest
from pairs import in_turn

from relsmith.errors import InvalidOption
from relsmith.generators.clutrr import Clutrr
from relsmith.generators.clutrr.asking.answers import answer_key
from relsmith.generators.clutrr.metadata import stated_facts
from relsmith.generators.clutrr.output.export import cells
from relsmith.kb.worlds.space.judge import BLOCK, MAP, OVERLAP, judge, part
from relsmith.kb.worlds.world import find_world
from relsmith.testing import check_generator, check_golden

SPACE = {"world": "space"}
GOLDEN = "5f56bf9cee2f53483d329c458b158b9db32e9c8d14ad4ea17d53c84b4c9c692c"
WORLD = find_world("space")
KINDS = {"space": MAP, "space-overlap": OVERLAP, "space-3d": BLOCK}


OPEN = SPACE | {"answer": "direction", "unknown_share": 0.2}


@pytest.mark.slow
def test_keeps_the_promises() -> None:
    check_generator(Clutrr, golden=GOLDEN, options=OPEN)


def test_no_byte_moves() -> None:
    check_golden(Clutrr.configure(OPEN), GOLDEN)


def test_places_in_one_square_are_stated_and_asked_for() -> None:
    rows = list(Clutrr.configure({"world": "space-overlap", "k": "2..4"}).examples(400))
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
    generator = Clutrr.configure(
        {"world": world, "answer": answer, "unknown_share": 0.3, "k": "2..5"}
    )
    targets: Counter[str] = Counter()
    asked, kind = find_world(world).parts[answer], KINDS[world]
    for row in generator.examples(120):
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
    assert targets["unknown"] == pytest.approx(36, abs=6)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"answer": "direction"}, "answer: the world kinship has no question for 'direction'"),
        ({"answer": "distance", "world": "spatial"}, "the world spatial has no question"),
        (SPACE | {"answer": "direction", "choices": "all"}, "choices: 'all' has no effect"),
        (SPACE | {"answer": "direction", "questions": 2}, "questions: more than one needs"),
        (SPACE | {"answer": "direction", "siblings": "words"}, "siblings: they need --answer"),
        (
            SPACE | {"hold_out": "clauses"},
            "of clauses longer than 2 there are too many to list",
        ),
        (SPACE | {"words": 1000, "noise": "all"}, "words: the world space has too few names"),
        (SPACE | {"gender": "given"}, "gender: 'given' has no effect"),
        (SPACE | {"k": "30"}, "people: stories of up to 30 facts need at least 90"),
    ],
)
def test_what_has_no_effect_is_refused(options: dict[str, object], complaint: str) -> None:
    with pytest.raises(InvalidOption, match=complaint):
        Clutrr.configure(options)


@cache
def rows_of(world: str, answer: str, rows: int):
    options = {"world": world, "answer": answer, "k": "2", "style": "facts"}
    return list(Clutrr.configure(options).examples(rows))


def row_with(target: str, answer: str, world: str = "space", rows: int = 200):
    return next(row for row in rows_of(world, answer, rows) if row.target == target)


@pytest.mark.parametrize(
    ("target", "answer", "said", "right"),
    [
        ("two steps north-east of", "relation", "two steps north and two steps east", True),
        ("two steps north-east of", "relation", "2 steps northeast", True),
        ("two steps north-east of", "relation", "two steps north", False),
        ("two steps east of", "relation", "It is two steps east of it.", True),
        ("two steps east of", "relation", "five steps north and two steps east", False),
        ("two steps north and one step west of", "relation", "1 step west and 2 steps north", True),
        ("more than three steps north of", "relation", "more than 3 steps north", True),
        ("more than three steps north of", "relation", "four steps north", False),
        ("north-east", "direction", "northeast", True),
        ("north-east", "direction", "north", False),
        ("north", "direction", "It lies due north.", True),
        ("north", "direction", "north-east", False),
        ("two", "distance", "2 steps", True),
        ("two", "distance", "three", False),
        ("more than three", "distance", "at least four", True),
        ("more than three", "distance", "five", False),
        ("three", "distance", "more than three", False),
    ],
)
def test_answers_are_read(target: str, answer: str, said: str, right: bool) -> None:
    key = answer_key(row_with(target, answer))
    assert (key.score(said).value == 1) == right, key.score(said)


@pytest.mark.parametrize(
    ("world", "target", "answer", "said", "right"),
    [
        ("space-overlap", "in the same square as", "relation", "overlap", True),
        ("space-overlap", "in the same square as", "relation", "in the same place", True),
        ("space-overlap", "in the same square as", "relation", "one step north", False),
        ("space-overlap", "one step north of", "relation", "in the same square", False),
        ("space-overlap", "same square", "direction", "It is in the same square.", True),
        ("space-overlap", "zero", "distance", "0", True),
        ("space-overlap", "zero", "distance", "one", False),
        ("space-3d", "two steps above", "relation", "two steps up", True),
        ("space-3d", "two steps above", "relation", "2 steps above", True),
        ("space-3d", "two steps above", "relation", "two steps below", False),
        ("space-3d", "two steps above", "relation", "three steps above", False),
        (
            "space-3d",
            "one step north and two steps up from",
            "relation",
            "2 steps up and 1 step north",
            True,
        ),
        ("space-3d", "one step north and two steps up from", "relation", "two steps up", False),
        ("space-3d", "north-east and up", "direction", "up and northeast", True),
        ("space-3d", "north-east and up", "direction", "north-east", False),
        ("space-3d", "more than two", "distance", "at least three", True),
        ("space-3d", "more than two", "distance", "three", False),
    ],
)
def test_answers_are_read_where_places_overlap_or_rise(
    world: str, target: str, answer: str, said: str, right: bool
) -> None:
    key = answer_key(row_with(target, answer, world, 700))
    assert (key.score(said).value == 1) == right, key.score(said)


@pytest.mark.parametrize("options", [SPACE, SPACE | {"answer": "direction"}, {"world": "spatial"}])
def test_official_files_hold_kinship_only(options: dict[str, object]) -> None:
    row = next(iter(Clutrr.configure(options).examples(1)))
    with pytest.raises(InvalidOption, match="official CLUTRR files hold kinship words only"):
        cells(row, "train", "1.2")
