"""Answers of anything: read with care, scored row by row, comparable with other results."""

import json
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from relsmith import Dataset, write
from relsmith.errors import InvalidInput, InvalidOption, NotFound, RelsmithError
from relsmith.evaluation.report import by, compared, figure
from relsmith.evaluation.score import score
from relsmith.example import Example
from relsmith.generators.analogy import Analogy
from relsmith.generators.clutrr import Clutrr


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("score") / "stories"
    options = {"k": "2..4", "noise": "supporting,irrelevant", "beside": 0, "direction": "forward"}
    write(Clutrr.configure(options), out, {"train": 600, "test": 60})
    return out


@pytest.fixture(scope="module")
def rows(folder: Path) -> list[Example]:
    return list(Dataset(folder).rows("test"))


def predictions(path: Path, answers: Mapping[str, str], key: str = "answer") -> Path:
    lines = [json.dumps({"id": name, key: answer}) for name, answer in answers.items()]
    path.write_text("\n".join(lines) + "\n\n")
    return path


def test_answers_are_counted(folder: Path, rows: list[Example], tmp_path: Path) -> None:
    right = {row.id for row in rows if row.metadata["k"] != 3}
    answers = {row.id: row.target if row.id in right else "nobody" for row in rows}
    result, missing = score(predictions(tmp_path / "mine.jsonl", answers), folder, "test")
    assert missing == 0
    accuracy = figure(result, "accuracy")
    assert accuracy and accuracy.mean == pytest.approx(len(right) / 60)
    (table,) = by([result], ["k"])
    assert table.columns == ["k=2", "k=3", "k=4"]
    assert [cell and cell.mean for cell in table.lines[0].cells] == [1, 0, 1]
    assert table.lines[0].model == "mine"
    assert set(result.setup.files) == {"mine.jsonl"}


@pytest.mark.parametrize("key", ["answer", "prediction", "output", "text"])
def test_rows_without_an_answer_are_wrong(
    key: str, folder: Path, rows: list[Example], tmp_path: Path
) -> None:
    answers = {row.id: row.target for row in rows[:45]}
    result, missing = score(predictions(tmp_path / "p.jsonl", answers, key), folder, "test")
    assert missing == 15
    accuracy = figure(result, "accuracy")
    assert accuracy and accuracy.mean == 0.75
    assert result.numbers[0][0, :, 0].tolist() == [1] * 45 + [0] * 15


def test_rows_are_told_apart_by_whatever_the_metadata_has(
    folder: Path, rows: list[Example], tmp_path: Path
) -> None:
    answers = {row.id: row.target for row in rows}
    result, _ = score(predictions(tmp_path / "p.jsonl", answers), folder, "test")
    (data,) = result.setup.tests
    assert {"k", "noise", "target", "proof_depth"} <= set(data.columns)
    assert "facts" not in data.columns
    for depth in data.columns["proof_depth"].values:
        chosen = data.mask({"proof_depth": depth}).tolist()
        assert chosen == [row.metadata["proof_depth"] == depth for row in rows]
    (table,) = by([result], ["noise", "k"])
    assert "supporting+irrelevant k=2" in table.columns
    with pytest.raises(InvalidOption, match="no column 'colour'; choose from k"):
        by([result], ["colour"])


def test_rows_of_any_generator(tmp_path: Path) -> None:
    write(Analogy(), tmp_path / "data", {"test": 20})
    rows = list(Dataset(tmp_path / "data").rows("test"))
    answers = {row.id: f" {row.target.upper()}. " for row in rows}
    result, missing = score(predictions(tmp_path / "p.jsonl", answers), tmp_path / "data", "test")
    accuracy = figure(result, "accuracy")
    assert accuracy and (missing, accuracy.mean, accuracy.high) == (0, 1, 1)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"id": "clutrr-v3-s9-test-0", "answer": "aunt"}', "has no row 'clutrr-v3-s9-test-0'"),
        ("ID", "'ID' is answered twice"),
        ("{", "it is not JSON (character 2); expected a line such as"),
        ("\udcff", "is not UTF-8; save the file as UTF-8"),
        ("[]", "there is no id and answer in it"),
        ('{"id": 7, "answer": "aunt"}', "there is no id and answer in it"),
        ('{"id": "ID2", "answer": 7}', "there is no id and answer in it"),
        ('{"answer": "aunt"}', "there is no id and answer in it"),
    ],
)
def test_bad_lines_are_named(
    line: str, said: str, folder: Path, rows: list[Example], tmp_path: Path
) -> None:
    path = predictions(tmp_path / "p.jsonl", {rows[0].id: "aunt"})
    told = json.dumps({"id": rows[0].id, "answer": "aunt"}) if line == "ID" else line
    path.write_bytes(path.read_bytes() + told.encode(errors="surrogateescape"))
    with pytest.raises(InvalidInput) as caught:
        score(path, folder, "test")
    assert str(caught.value).startswith(f"{path}:3: ")
    assert said.replace("ID", rows[0].id) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_files_that_are_none(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"cannot read .*none"):
        score(tmp_path / "none.jsonl", folder, "test")
    with pytest.raises(NotFound, match="cannot read"):
        score(tmp_path, folder, "test")
    path = predictions(tmp_path / "p.jsonl", {})
    with pytest.raises(RelsmithError, match="no split 'dev'"):
        score(path, folder, "dev")
    with pytest.raises(RelsmithError, match="is not a finished dataset"):
        score(path, tmp_path, "test")
    result, missing = score(path, folder, "test")
    accuracy = figure(result, "accuracy")
    assert accuracy and (missing, accuracy.mean, accuracy.low) == (60, 0, 0)


def test_answers_of_a_model_score_as_the_model_did(folder: Path, tmp_path: Path) -> None:
    from relsmith.evaluation.papers.stories.baselines import RuleSolver, StoryMajority
    from relsmith.evaluation.runner import EvalConfig, evaluate

    def bar(*_: Any) -> Any:
        return nullcontext(lambda _: None)

    order = EvalConfig(folder, bar, tmp_path, device="cpu", predictions=True)
    results = evaluate([StoryMajority(), RuleSolver()], order)
    for result in results:
        path = tmp_path / f"stories-{result.setup.label}.seed0.predictions.jsonl"
        scored, missing = score(path, folder, "test")
        assert missing == 0
        assert (scored.numbers[0] == result.numbers[0]).all()
        (comparison,) = compared([result], [scored], [], None)
        assert (comparison.difference.difference, comparison.corrected) == (0, 1)
    (comparison,) = compared([results[0]], [scored], [], None)
    assert comparison.difference.difference > 0.2
    assert comparison.corrected < 0.01
    parts = compared([results[0]], [scored], ["k"], None)
    assert sum(part.rows for part in parts) == 60
    assert all(part.corrected >= part.difference.p for part in parts)
