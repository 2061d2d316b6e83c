"""The items of each task, and its exports as input of other commands."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from relsmith import Dataset
from relsmith.errors import InvalidInput
from relsmith.web.annotate.answering import submit_answer
from relsmith.web.annotate.assignment import Assignment, next_assignment
from relsmith.web.annotate.project import ProjectOptions, create
from relsmith.web.annotate.task import TASKS, Choice, check_task
from relsmith.web.annotate.transfer import export

from .conftest import Made, Rows, join

Run = Callable[..., subprocess.CompletedProcess[str]]


def ran(gen: Run, *words: object) -> str:
    run = gen(*words)
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_our_tasks_are_registered_like_plugins() -> None:
    ours = {name: entry.load() for name, entry in TASKS.entries.items() if entry.is_builtin}
    assert set(ours) == {"relinf", "solve"}
    for task in ours.values():
        assert task.summary()
        assert task.instructions


def test_invalid_tasks_are_refused() -> None:
    with pytest.raises(TypeError, match="expected a subclass"):
        check_task("solve", 5)
    with pytest.raises(ValueError, match="they must be the same"):
        check_task("other", type(TASKS.get("solve")))


def test_a_task_takes_only_matching_rows(rows: Rows, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="needs rows of"):
        create(tmp_path / "made", ProjectOptions("relinf", rows("cloze")))
    assert not (tmp_path / "made").exists()


def test_rows_with_the_same_id_are_named(rows: Rows, tmp_path: Path) -> None:
    folder = shutil.copytree(rows("choices"), tmp_path / "rows")
    (path,) = folder.glob("*.jsonl")
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([*lines[:5], lines[2], *lines[6:]]))
    twice = json.loads(lines[2])["id"]
    with pytest.raises(InvalidInput, match=f"two items are named '{twice}'"):
        create(tmp_path / "made", ProjectOptions("solve", folder))
    assert not (tmp_path / "made").exists()


@pytest.mark.slow
def test_relinf_answers_are_input_of_aggregation(
    project: Made, rows: Rows, gen: Run, tmp_path: Path
) -> None:
    made = project("relinf", "candidates", people=3, gold=5, qualify=1)
    candidates = {row.metadata["task"]: row for row in Dataset(rows("candidates"))}
    for name in ("ann", "bob", "eve", "kim"):
        person = join(made, name)
        while isinstance(sheet := next_assignment(made, person), Assignment):
            item = sheet.item
            assert item.expected
            for n, task in enumerate(item.hidden["tasks"], 1):
                row = candidates[task]
                question, sentence = row.input.split("\n")
                assert item.shown["question"] == question
                assert item.shown["sentences"][n - 1] == sentence
                assert row.metadata["term"] not in sentence.split("[")[0], "answers are masked"
                assert item.expected[f"s{n}"] == row.metadata["expected"]
            submit_answer(made, person, sheet.token, item.expected)
    export(made, tmp_path / "out")
    lines = (tmp_path / "out" / "annotations.jsonl").read_text().splitlines()
    votes = [json.loads(line) for line in lines]
    assert {(vote["task"], vote["worker"]) for vote in votes}.__len__() == len(votes)
    ran(
        gen, "relinf-aggregate", "--candidates", rows("candidates"), "--annotations",
        tmp_path / "out" / "annotations.jsonl", "--workers", 1, "--out", "pairs",
    )  # fmt: skip
    for row in Dataset(tmp_path / "pairs"):
        assert row.target == candidates[row.metadata["task"]].metadata["expected"]
        assert sum(row.metadata["votes"].values()) == 3
    gold = {
        task
        for line in (tmp_path / "out" / "items.jsonl").read_text().splitlines()
        for item in [json.loads(line)]
        if item["gold"]
        for task in [item["item"]]
    }
    assert len(gold) == 5
    asked = {vote["task"] for vote in votes}
    assert len(asked) < len(candidates), "gold is not voted on"


@pytest.mark.parametrize("source", ["choices", "stories", "comparatives"])
def test_solved_rows_are_scored(
    project: Made, rows: Rows, gen: Run, tmp_path: Path, source: str
) -> None:
    made = project("solve", source, people=3, split="test")
    data = {row.id: row for row in Dataset(rows(source), "test")}
    for n, name in enumerate(("ann", "bob", "eve lyn")):
        person, wrong = join(made, name), n == 2
        while isinstance(sheet := next_assignment(made, person), Assignment):
            row = data[sheet.item.key]
            assert row.target not in json.dumps(sheet.item.shown).replace(row.input, "") or (
                isinstance(made.task.sheet(sheet.item).fields[0], Choice)
            )
            choices = sheet.item.shown["choices"] or ["nobody at all"]
            other = next(choice for choice in choices if choice != row.target)
            submit_answer(made, person, sheet.token, {"answer": other if wrong else row.target})
    out = tmp_path / "out"
    export(made, out)
    accuracies = {}
    for file in ("test.jsonl", "test-by-ann.jsonl", "test-by-eve_lyn.jsonl"):
        said = json.loads(ran(gen, "score", out / file, rows(source), "--json"))
        assert said["rows"]["unanswered"] == 0
        accuracies[file] = said["tables"][0]["rows"][0]["figures"]["all rows"][0]
    assert accuracies == dict(zip(accuracies, (1, 1, 0), strict=True))
