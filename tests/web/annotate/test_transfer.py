"""Exports are complete."""

import hashlib
import json
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from relsmith.testing.profile import thinned
from relsmith.web.annotate.access import invite
from relsmith.web.annotate.assignment import Assignment, next_assignment
from relsmith.web.annotate.progress import progress
from relsmith.web.annotate.transfer import export

from .conftest import Made, answer, join

Run = Callable[..., subprocess.CompletedProcess[str]]


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_an_export_has_everything_but_tokens(project: Made, tmp_path: Path) -> None:
    made = project("solve", "choices", people=2, gold=2, gold_share=0.9)
    token = invite(made, "zoe")
    for name in ("ann", "bob"):
        person = join(made, name)
        for _ in range(4):
            answer(made, person)
    out = tmp_path / "out"
    export(made, out)
    manifest = json.loads((out / "manifest.json").read_text())
    assert {file["name"] for file in manifest["files"]} | {"manifest.json"} == {
        path.name for path in out.iterdir()
    }
    for file in manifest["files"]:
        data = (out / file["name"]).read_bytes()
        assert file["sha256"] == hashlib.sha256(data).hexdigest()
        assert (file["bytes"], file["lines"]) == (len(data), data.count(b"\n"))
        assert token.encode() not in data
        assert b"hash" not in data
    said = lines(out / "answers.jsonl")
    assert len(said) == 8
    assert {each["annotator"] for each in said} == {"ann", "bob"}
    assert any(each["gold"] for each in said)
    assert all(each["asked"] == 1 for each in said)
    assert len(lines(out / "items.jsonl")) == 12
    assert [each["annotator"] for each in lines(out / "annotators.jsonl")] == ["ann", "bob", "zoe"]
    gold = {each["item"] for each in said if each["gold"]}
    solved = {each["id"] for path in out.glob("test*.jsonl") for each in lines(path)}
    assert not gold & solved, "gold is not what was asked for"


def test_progress_counts_stored_answers(project: Made) -> None:
    made = project("solve", "choices", people=2)
    ann, bob = join(made, "ann"), join(made, "bob")
    while isinstance(next_assignment(made, ann), Assignment):
        answer(made, ann)
    for _ in range(5):
        answer(made, bob)
    state = progress(made)
    assert (state.items, state.complete, state.wanted, state.answers) == (12, 5, 24, 17)
    assert state.alpha == pytest.approx(1)
    assert [who.with_others for who in state.annotators] == [(5, 5), (5, 5)]
    assert [who.answers for who in state.annotators] == [12, 5]
    with made.database.read() as connection:
        (right,) = connection.execute("SELECT sum(got) FROM assignments").fetchone()
    assert sum(who.expected[0] for who in state.annotators) == right


TASKS = {"solve": "stories", "relinf": "few"}
DAMAGE = ("{", "[]", "{}", "7", '"x"', "null", '{"text": 7}', '{"answer": [1]}')


@pytest.mark.parametrize("task", TASKS)
def test_a_damaged_item_is_named(project: Made, gen: Run, task: str) -> None:
    made = project(task, TASKS[task], people=1)
    answer(made, join(made, "ann"))
    made.database.close()
    path = made.folder / "annotations.sqlite"
    good = path.read_bytes()
    with closing(sqlite3.connect(path)) as database:
        columns = "items.id, items.key, assignments.id from items join assignments"
        ((item, key, given),) = database.execute(
            f"select {columns} on items.id = assignments.item where answer is not null"
        ).fetchall()
    fields = ["items shown", "items hidden", "items expected", "assignments answer"]
    for field, value in thinned(product(fields, DAMAGE), least=3):
        table, column = field.split()
        path.write_bytes(good)
        with closing(sqlite3.connect(path)) as database:
            where = item if table == "items" else given
            database.execute(f"update {table} set {column} = ? where id = ?", (value, where))
            database.commit()
        for command in ("export", "progress"):
            out = ["--out", f"{field} {value!r}"] * (command == "export")
            run = gen("annotate", command, made.folder, *out)
            assert "unexpected" not in run.stderr, (field, value, run.stderr)
            if run.returncode:
                (line,) = run.stderr.splitlines()
                assert "damaged" in line, (field, value)
                assert repr(key) in line, (field, value)
                assert column in line, (field, value)
