"""The reward, unlimited training rows apart from test rows, and rows as in reasoning-gym."""

from itertools import islice
from pathlib import Path

import pytest

from relsmith import Dataset, Generator, make, write
from relsmith.capabilities import Limited
from relsmith.errors import InvalidOption
from relsmith.generators.clutrr import Clutrr
from relsmith.prompting.rl import Curriculum, ReasoningGym, reward
from relsmith.scoring.probes import correct_answers, non_answers, wrong_answers
from relsmith.scoring.scorer import answer_key
from relsmith.testing.profile import scaled


def people(row) -> frozenset[str]:
    facts = row.metadata["facts"] + row.metadata["side_facts"]
    return frozenset(name for a, _, b in facts for name in (a, b))


def test_the_reward_takes_texts_and_chats() -> None:
    rows = make("clutrr")[:4]
    lines = [row.encoded() for row in rows]
    texts = [rows[0].target, "nobody", f"Answer: {rows[2].target}", f"not {rows[3].target}"]
    assert reward(texts, lines, prompts=[""] * 4) == [1, 0, 1, 0]
    chats = [[{"role": "assistant", "content": text}] for text in texts]
    assert reward(chats, row=lines) == [1, 0, 1, 0]
    parts = [[{"role": "assistant", "content": [{"type": "text", "text": text}]}] for text in texts]
    assert reward(parts, row=lines) == [1, 0, 1, 0]
    assert reward([[], [{"role": "assistant", "content": None}]], row=lines[:2]) == [0, 0]


def test_no_story_of_the_test_split_is_repeated(tmp_path: Path) -> None:
    """Check all levels: stories of different splits have different sets of people."""
    write(
        Clutrr.configure({"k": "2..4"}),
        tmp_path / "data",
        {"train": 10, "test": scaled(600)},
        seed=5,
    )
    tested = list(Dataset(tmp_path / "data").rows("test"))
    casts = {people(row) for row in tested}
    curriculum = Curriculum.for_dataset(tmp_path / "data", levels=Clutrr().levels()[:5], window=40)
    assert (curriculum.seed, curriculum.splits) == (5, ("train", "test"))
    seen, count = set(), scaled(400, least=200)
    for row in islice(curriculum, count):
        curriculum.update(1.0)
        assert people(row) not in casts
        assert "-s5-train-" in row.id
        seen.add(row.id)
    assert len(seen) == count
    assert curriculum.level == 4


def about(row) -> set[str]:
    """Return the question of a row by its text and metadata alone."""
    metadata = row.metadata
    if "positive" in metadata:  # an analogy
        return {row.input, " : ".join(metadata["query"])}
    return {row.input, metadata.get("abstract", row.input)}


def test_no_row_of_the_test_split_is_yielded(
    kind_of_question: tuple[str, Generator], tmp_path: Path
) -> None:
    """Check every generator at each of its levels."""
    name, generator = kind_of_question
    endless = Limited.of(generator).capacity(("train", "test"), 0) is None
    rows = scaled(60) if endless else scaled(300)
    if generator.name.startswith("relinf"):
        with pytest.raises(InvalidOption, match=f"levels: {generator.name} has none by default; "):
            Curriculum(generator.name, options=generator.options())
        return
    write(generator, tmp_path / "data", {"train": 4, "test": rows}, seed=3)
    tested = {mark for row in Dataset(tmp_path / "data").rows("test") for mark in about(row)}
    curriculum = Curriculum.for_dataset(tmp_path / "data", window=1)
    assert len(curriculum.levels) > 1
    for level in range(len(curriculum.levels)):
        assert curriculum.level == level
        count = scaled(12) if generator.name == "clutrr" else scaled(100, least=20)
        for number, row in enumerate(islice(curriculum, count)):
            assert not about(row) & tested, (name, level)
            assert answer_key(row).right
            assert number > scaled(2) or curriculum.levels[level].problems(row) == []
        curriculum.update(1.0)


def test_finite_rows_repeat() -> None:
    curriculum = Curriculum("cloze", ({"most": 1},))
    rows = curriculum.levels[0].capacity(("train", "test"), 0)
    assert rows
    first, again = (list(islice(curriculum, rows["train"])) for _ in range(2))
    assert len({row.id for row in first}) == rows["train"]
    assert first == again


def test_no_rows_are_left_if_all_are_test_rows() -> None:
    every = list(make("cloze").split("train", splits=("train", "test"))[:1200])
    with pytest.raises(InvalidOption, match="cloze has no training row at level 0"):
        next(Curriculum("cloze", ({"most": 5},), excluded=every))


def test_levels_in_conflict_with_options_are_left_out() -> None:
    every = len(Clutrr().levels())
    assert len(Curriculum().levels) == every
    siblings = Curriculum(options={"siblings": "words"}).levels
    assert len(siblings) == every - 1
    assert not any(level.words for level in siblings)
    trained = Curriculum(options={"train_k": "2,3", "k": "2..10"}).levels
    assert [level.noise for level in trained] == [
        ("none",),
        ("none",),
        ("supporting", "irrelevant"),
        ("all",),
        ("all",),
    ]
    assert {str(level.train_k) for level in trained} == {"2..3"}
    longest = Curriculum(options={"noise": "all", "noise_paths": 2}).levels
    assert all(level.noise_paths == 2 and level.kinds for level in longest)


def test_difficulty_follows_accuracy() -> None:
    curriculum = Curriculum(
        levels=({"k": "2"}, {"k": "3"}, {"k": "4", "noise": "supporting"}), window=10
    )

    seen = set()

    def learn(count: int, value: float) -> list[int]:
        lengths = []
        for row in islice(curriculum, count):
            seen.add(row.id)
            lengths.append(row.metadata["k"])
            curriculum.update(value)
        return lengths

    assert learn(10, 1.0) == [2] * 10
    assert learn(10, 1.0) == [3] * 10
    assert learn(25, 1.0) == [4] * 25
    assert next(curriculum).metadata["noise"] == ["supporting"]
    assert learn(10, 0.5) == [4] * 10
    assert learn(12, 0.0)[-1] == 3
    assert curriculum.level == 1
    state = curriculum.state()
    later = Curriculum(levels=({"k": "2"}, {"k": "3"}, {"k": "4"}), window=10)
    later.resume(state)
    assert later.level == 1
    assert not seen & {row.id for row in islice(later, 20)}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"splits": ("train",)}, "splits: expected train and at least one to test on"),
        ({"splits": ("dev", "test")}, "splits: expected train"),
        (
            {"levels": ()},
            "levels: clutrr has none by default; pass options of increasing difficulty",
        ),
        ({"up": 0.2, "down": 0.5}, "expected 0 <= down < up <= 1"),
        ({"levels": ({"k": "1"},)}, "k: expected 2 or more"),
        ({"name": "relinf"}, "levels: relinf has none by default"),
    ],
)
def test_impossible_options_are_refused(arguments, said: str) -> None:
    with pytest.raises(InvalidOption, match=said):
        Curriculum(**arguments)


def test_a_dataset_without_train_is_refused(tmp_path: Path) -> None:
    write(Clutrr(), tmp_path / "data", {"test": 4})
    with pytest.raises(InvalidOption, match="has no split train"):
        Curriculum.for_dataset(tmp_path / "data")


def test_rows_have_the_form_of_reasoning_gym(tmp_path: Path) -> None:
    rows = make("clutrr", k="2..3")
    size = scaled(20, least=4)
    dataset = ReasoningGym(rows, size=size)
    assert len(list(dataset)) == len(dataset) == size
    for number, entry in enumerate(dataset):
        row = rows[number]
        assert entry["answer"] == answer_key(row).right
        assert row.input in entry["question"]
        assert entry["metadata"]["source_dataset"] == "relsmith-clutrr"
        assert entry["metadata"]["source_index"] == number
        assert all(dataset.score_answer(text, entry) == 1 for text in correct_answers(row))
        assert not any(dataset.score_answer(text, entry) for text in wrong_answers(row))
        assert not any(dataset.score_answer(text, entry) for text in non_answers(row))
        assert dataset.score_answer(None, entry) == 0
    with pytest.raises(IndexError, match=f"there are {size} rows, no row {size}"):
        dataset[size]
    with pytest.raises(InvalidOption, match="size: the generator is unlimited; pass a size"):
        ReasoningGym(rows)
    write(make("comparatives"), tmp_path / "data", {"train": 3})
    assert len(ReasoningGym(Dataset(tmp_path / "data"))) == 3
