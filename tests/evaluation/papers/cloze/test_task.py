"""Rows of cloze tests, and the numbers of answers."""

import json
import math
from pathlib import Path

import pytest

from relsmith import write
from relsmith.errors import NotADataset
from relsmith.evaluation.papers.cloze import task
from relsmith.evaluation.papers.cloze.task import ClozeRow, FilledBlanks, Guess
from relsmith.generators.cloze import Cloze
from relsmith_comparatives import Comparatives


def test_rows_of_every_form_are_read(tmp_path: Path) -> None:
    for form in ("all", "one", "bank"):
        write(Cloze(form=form, difficulty=False), tmp_path / form, {"train": 20})
        for pair in task.ClozeTask().read(tmp_path / form, "train").rows:
            assert pair.blanks and (form != "one" or len(pair.blanks) == 1)
            assert not any(
                word in pair.abstract for a, b in pair.blanks for word in pair.concrete[a:b]
            )


def test_rows_of_other_kinds_do_not_fit(tmp_path: Path) -> None:
    write(Comparatives(), tmp_path / "other", {"train": 3})
    write(Cloze(difficulty=False), tmp_path / "pairs", {"train": 3})
    assert task.ClozeTask().fits(tmp_path / "pairs")
    assert not task.ClozeTask().fits(tmp_path / "other")
    assert not task.ClozeTask().fits(tmp_path / "nowhere")
    with pytest.raises(NotADataset, match="is not a cloze test with an abstract"):
        task.ClozeTask().read(tmp_path / "other", "train")


def test_numbers_by_hand() -> None:
    pair = ClozeRow(["x"], ["put", "it", "in", "a", "big", "pan"], [(0, 1), (4, 6)])
    right = [Guess("put", 0, 0.5), Guess("big", 4, 2.0), Guess("pan", 0, 0.25)]
    wrong = [Guess("put", 0, 0.5), Guess("bag", 5, 3.0), Guess("pan", None, 0.0)]
    filled = FilledBlanks(
        [1, 2],
        right,
        wrong,
        costs=[1.0, 0.5, 0.25],
        spans=[4, 2],
    )
    numbers = dict(zip(task.ClozeTask.columns, task.ClozeTask().numbers(pair, filled), strict=True))
    assert numbers == {
        "blanks": 2,
        "tokens": 3,
        "cost": 1.75,
        "aligned": 6,
        "spans": 2,
        "restricted_matches": 2,
        "restricted_top5": 3,
        "restricted_greedy_matches": 1,
        "restricted_greedy_top5": 1,
        "restricted_nats": 2.75,
        "restricted_known": 3,
    }
    said = task.ClozeTask().prediction_record(pair, filled)
    assert said["answer"] == "put | bag pan" and said["oracle"] == ["put", "big pan"]
    none = FilledBlanks([1], right[:1], [])
    _, _, cost, aligned, *_ = task.ClozeTask().numbers(pair, none)
    assert math.isnan(cost) and math.isnan(aligned)


@pytest.mark.parametrize("split", ["train", "valid"])
def test_kidscook_is_read_unchanged(root: Path, tmp_path: Path, split: str) -> None:
    data = root.parent / "shared" / "data" / "kidscook"
    if not data.is_dir():
        pytest.skip("needs the KidsCook corpus")
    write(
        Cloze(
            profile="kidscook",
            input=str(data / f"{split}.jsonl"),
            whitelist=str(data / "approved.txt"),
        ),
        tmp_path / split,
        {split: 300},
    )
    lines = (data / f"{split}.jsonl").read_text().splitlines()
    official = [row for row in map(json.loads, lines) if row["blanks"]]
    same = 0
    for pair, row in zip(
        task.ClozeTask().read(tmp_path / split, split).rows, official, strict=False
    ):
        same += pair.concrete == row["concrete"] and pair.blanks == [
            (start, end) for start, end, _ in row["blanks"]
        ]
    assert same >= 295
