"""The reward, unlimited training rows apart from test rows, and rows as in reasoning-gym."""

import json
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relsmith import Dataset, Example, Generator, make, write
from relsmith.capabilities import Limited
from relsmith.errors import InvalidOption
from relsmith.generators.clutrr import Clutrr
from relsmith.prompting.rl import Curriculum, near, reward, trl_reward
from relsmith.scoring.scorer import answer_key
from relsmith.seed import Stream
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
    """Stories of different splits have different sets of people, whatever the cell."""
    write(
        Clutrr.configure({"k": "2..4"}),
        tmp_path / "data",
        {"train": 10, "test": scaled(600)},
        seed=5,
    )
    casts = {people(row) for row in Dataset(tmp_path / "data").rows("test")}
    cells = Clutrr().cells()[:8]
    curriculum = Curriculum.for_dataset(tmp_path / "data", cells=cells, schedule=equally)
    assert (curriculum.seed, curriculum.splits) == (5, ("train", "test"))
    seen, count = set(), scaled(400, least=100)
    for row in islice(curriculum, count):
        assert people(row) not in casts
        assert "-s5-train-" in row.id
        assert row.metadata["k"] == int(cells[curriculum.cell_of(row)]["k"])
        seen.add(row.id)
    assert len(seen) == count


def equally(cells) -> list[float]:
    return [1.0] * len(cells)


def only(number: int):
    """Return a schedule that draws one cell alone."""
    return lambda cells: [float(place == number) for place in range(len(cells))]


def about(row) -> set[str]:
    """Return the question of a row by its text and metadata alone."""
    metadata = row.metadata
    if "positive" in metadata:  # an analogy
        return {row.input, " : ".join(metadata["query"])}
    return {row.input, metadata.get("abstract", row.input)}


def test_no_row_of_the_test_split_is_yielded(
    kind_of_question: tuple[str, Generator], tmp_path: Path
) -> None:
    """Check every generator in each of its cells."""
    name, generator = kind_of_question
    ends = Limited.of(generator).capacity(("train", "test"), 3)
    rows = min(scaled(300), ends["test"]) if ends else scaled(60)
    write(generator, tmp_path / "data", {"train": 4, "test": rows}, seed=3)
    tested = {mark for row in Dataset(tmp_path / "data").rows("test") for mark in about(row)}
    curriculum = Curriculum.for_dataset(tmp_path / "data")
    assert len(curriculum.cells) > 1 or generator.name.startswith("relinf")
    for number, cell in enumerate(curriculum.generators):
        curriculum.schedule = only(number)
        count = scaled(12) if generator.name == "clutrr" else scaled(100, least=20)
        for drawn, row in enumerate(islice(curriculum, count)):
            assert not about(row) & tested, (name, cell)
            assert answer_key(row).right
            assert curriculum.cell_of(row) == number
            assert drawn > scaled(2) or cell.problems(row) == []
            curriculum.update(1.0, row)
    assert all(cell.rate > 0.5 and cell.scores for cell in curriculum.estimates())


def test_finite_rows_repeat() -> None:
    curriculum = Curriculum("cloze", ({"most": 1},))
    rows = curriculum.generators[0].capacity(("train", "test"), 0)
    assert rows
    first, again = (list(islice(curriculum, rows["train"])) for _ in range(2))
    assert len({row.id for row in first}) == rows["train"]
    assert first == again


def test_no_rows_are_left_if_all_are_test_rows() -> None:
    every = list(make("cloze").split("train", splits=("train", "test"))[:1200])
    with pytest.raises(InvalidOption, match=r"cells: cloze has no training row of {'most': 5} for"):
        next(Curriculum("cloze", ({"most": 5},), excluded=every))


def test_cells_in_conflict_with_options_are_left_out() -> None:
    assert len(Curriculum().cells) == len(Clutrr().cells()) == 21
    siblings = Curriculum(options={"siblings": "noise", "noise": "all"})
    assert len(siblings.cells) == 14
    assert not any(cell["noise"] == "none" for cell in siblings.cells)
    trained = Curriculum(options={"train_k": "2,3", "k": "2..10"}).generators
    assert [cell.noise for cell in trained] == [("none",), ("supporting",), ("all",)]
    assert {str(cell.train_k) for cell in trained} == {"2..3"}


CELLS = [{"k": k, "answer": answer} for k in (2, 3) for answer in ("relation", "yes-no")]


@pytest.mark.parametrize("target", [0.5, 0.8])
def test_cells_near_the_target_are_drawn(target: float) -> None:
    """Check with a pupil whose pass rates are known."""
    rates = [0.95, 0.8, 0.5, 0.05]
    curriculum, luck = Curriculum(cells=CELLS, schedule=near(target)), Stream("luck", str(target))
    drawn = [0] * 4
    for number, row in enumerate(islice(curriculum, 400)):
        cell = curriculum.cell_of(row)
        assert (row.metadata["k"], row.target in ("yes", "no")) == (2 + cell // 2, cell % 2 == 1)
        curriculum.update(float(luck.random() < rates[cell]), row)
        drawn[cell] += number >= 100
    assert max(range(4), key=drawn.__getitem__) == rates.index(target)
    assert min(drawn) > 0
    for cell, rate in zip(curriculum.estimates(), rates, strict=True):
        assert cell.rate == pytest.approx(rate, abs=0.3)


def test_a_schedule_is_any_function_of_the_estimates() -> None:
    curriculum = Curriculum(cells=CELLS, schedule=lambda cells: [cell.rate for cell in cells])
    for _ in range(300):
        for cell in (0, 1, 2):
            curriculum.update(0.0, cell)
        curriculum.update(1.0, 3)
    drawn = [curriculum.cell_of(row) for row in islice(curriculum, 40)]
    assert drawn.count(3) > 30
    for wrong in ([], [1.0], [-1.0, 1, 1, 1], [0.0] * 4, [float("nan")] * 4):
        curriculum.schedule = lambda cells, wrong=wrong: wrong
        with pytest.raises(InvalidOption, match="schedule: expected a weight of 0 or more for"):
            next(curriculum)


@settings(max_examples=scaled(60, least=6))
@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 4)), min_size=8, max_size=40),
    st.integers(1, 7),
    st.sampled_from([("clutrr", CELLS), ("cloze", None), ("comparatives", None)]),
)
def test_rows_depend_on_the_order_of_feedback_alone(feedback, stop, what) -> None:
    """Late feedback, feedback for any earlier row, and a stop at any time change nothing else."""
    name, cells = what

    def run(stops: bool) -> list[Example]:
        curriculum, rows = Curriculum(name, cells), []
        for number, (delay, score) in enumerate(feedback):
            if stops and number == stop:
                state = json.loads(json.dumps(curriculum.state()))
                curriculum = Curriculum(name, cells)
                curriculum.resume(state)
            rows.append(next(curriculum))
            about = rows[max(0, number - delay)]
            curriculum.update(score / 4, about if delay % 2 else about.id)
        return [*rows, next(curriculum)]

    assert run(stops=False) == run(stops=True)


def test_a_state_of_other_arguments_is_refused() -> None:
    state = Curriculum(cells=CELLS).state()
    for others, said in (
        ({"cells": CELLS[:2]}, "cells"),
        ({"cells": CELLS, "seed": 1}, "seed"),
        ({"cells": CELLS, "workers": 2}, "workers"),
        ({"cells": CELLS, "window": 8}, "window"),
        ({"cells": CELLS, "excluded": Clutrr()[:2]}, "excluded rows"),
        ({"name": "cloze"}, "generator"),
    ):
        with pytest.raises(InvalidOption, match=f"state: it was saved with other {said}"):
            Curriculum(**others).resume(state)


@pytest.mark.parametrize("name", ["clutrr", "cloze", "comparatives"])
def test_workers_share_no_row(name: str) -> None:
    cells = CELLS if name == "clutrr" else None
    drawn = [
        {row.id for row in islice(Curriculum(name, cells, worker=worker, workers=3), 80)}
        for worker in range(3)
    ]
    assert not drawn[0] & drawn[1] and not drawn[0] & drawn[2] and not drawn[1] & drawn[2]
    other = next(Curriculum(name, cells, worker=1, workers=3))
    first = Curriculum(name, cells, worker=0, workers=3)
    with pytest.raises(InvalidOption, match=f"{other.id} is none of the last 65536 drawn here"):
        first.update(1.0, other)
    first.update(1.0, 0)
    with pytest.raises(InvalidOption, match=r"cells: .* for worker 999 of 1000"):
        next(Curriculum("cloze", worker=999, workers=1000))


def test_the_reward_for_trl_updates_the_curriculum() -> None:
    curriculum = Curriculum(cells=CELLS)
    give = trl_reward(curriculum, steps=0.5)
    rows = list(islice(curriculum, 8))
    numbers = [curriculum.cell_of(row) for row in rows]
    texts = [f"Answer: {row.target}" if n % 2 else "no idea" for n, row in enumerate(rows)]
    values = give(texts, row=[row.encoded() for row in rows], cell=numbers, prompts=[""] * 8)
    assert [value > 0 for value in values] == [False, True] * 4
    by_id, line = Curriculum(cells=CELLS), [row.encoded() for row in rows]
    list(islice(by_id, 8))
    trl_reward(by_id)(texts, row=line)
    assert by_id.estimates() == curriculum.estimates()
    for number, cell in enumerate(curriculum.estimates()):
        right = [n % 2 for n, of in enumerate(numbers) if of == number]
        assert cell.rate == pytest.approx((sum(right) + 0.5) / (len(right) + 1), abs=0.02)


def test_rows_of_an_evaluation_set_are_scored_without_feedback() -> None:
    """Their ids are unknown, and their column of cells is missing or empty."""
    curriculum = Curriculum(cells=CELLS)
    drawn = [next(curriculum) for _ in range(4)]
    rows = Clutrr().split("test")[:4]
    give, before = trl_reward(curriculum), curriculum.estimates()
    texts = [f"Answer: {row.target}" for row in rows]
    for more in ({}, {"cell": [None] * 4}):
        assert give(texts, row=[row.encoded() for row in rows], **more) == [1.0] * 4
    assert curriculum.estimates() == before
    both = [*rows[:2], *drawn[:2]]
    cell = [None, None, curriculum.cell_of(drawn[0]), None]
    give([f"Answer: {row.target}" for row in both], row=[row.encoded() for row in both], cell=cell)
    assert sum(each.scores for each in curriculum.estimates()) > 1.9


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"splits": ("train",)}, "splits: expected train and at least one to test on"),
        ({"splits": ("dev", "test")}, "splits: expected train"),
        ({"cells": ()}, "cells: give one or more sets of options"),
        ({"window": 0}, "expected a window of 1 or more and a worker below workers"),
        ({"worker": 2, "workers": 2}, "but got window=64, worker=2, workers=2"),
        ({"cells": ({"k": "1"},)}, "k: expected 2 or more"),
        ({"options": {"level": 3}}, "level"),
    ],
)
def test_impossible_options_are_refused(arguments, said: str) -> None:
    with pytest.raises(InvalidOption, match=said):
        Curriculum(**arguments)
    for target, spread in ((1.5, 0.1), (0.5, 0)):
        with pytest.raises(InvalidOption, match="expected a target from 0 to 1"):
            near(target, spread)


@pytest.mark.parametrize("name", ["cloze", "comparatives", "analogy"])
def test_cells_share_the_ids_of_a_finite_generator(name: str) -> None:
    """A row is known by the cell that it was last drawn from."""
    curriculum = Curriculum(name, schedule=equally)
    for row in islice(curriculum, 60):
        cell = curriculum.generators[curriculum.cell_of(row)]
        again = cell.split("train", splits=curriculum.splits)[int(row.id.rpartition("-")[2])]
        assert again == row


def test_impossible_scores_are_refused() -> None:
    curriculum = Curriculum(cells=CELLS)
    for score, cell in ((1.5, 0), (-1, 0), (float("nan"), 0), (1, 4), (1, -1)):
        with pytest.raises(InvalidOption, match="expected a score from 0 to 1 and one of 4 cells"):
            curriculum.update(score, cell)
    with pytest.raises(InvalidOption, match="row x is none of the last"):
        curriculum.update(1, "x")


def test_a_dataset_without_train_is_refused(tmp_path: Path) -> None:
    write(Clutrr(), tmp_path / "data", {"test": 4})
    with pytest.raises(InvalidOption, match="has no split train"):
        Curriculum.for_dataset(tmp_path / "data")
