"""Answers of any program: parsed, scored by row, comparable with other results."""

import json
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from relsmith import Dataset, write
from relsmith.errors import InvalidInput, InvalidOption, NotFound, RelsmithError
from relsmith.evaluation.report import by, compared, figure
from relsmith.evaluation.score import score, verdict_tables
from relsmith.example import Example
from relsmith.exporting.exporter import export
from relsmith.generators.analogy import Analogy
from relsmith.generators.clutrr import Clutrr


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("score") / "stories"
    options = {
        "k": "2..4",
        "noise": "supporting,irrelevant",
        "side_facts": 0,
        "direction": "forward",
    }
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
    result, scored = score(predictions(tmp_path / "mine.jsonl", answers), folder, "test")
    assert [each.verdict == "right" for each in scored] == [row.id in right for row in rows]
    accuracy = figure(result, "accuracy")
    assert accuracy and accuracy.mean == pytest.approx(len(right) / 60)
    (table,) = by([result], ["k"])
    assert table.columns == ["k=2", "k=3", "k=4"]
    assert [cell and cell.mean for cell in table.lines[0].cells] == [1, 0, 1]
    assert table.lines[0].model == "mine"
    assert set(result.setup.files) == {"mine.jsonl"}


def test_english_answers_to_german_rows_are_an_option(tmp_path: Path) -> None:
    write(Clutrr.configure({"language": "de"}), tmp_path / "d", {"test": 6})
    english_rows = Clutrr.configure({}).split("test")[:6]
    answers = {row.id.replace("-test-", "-de-test-"): row.target for row in english_rows}
    file = predictions(tmp_path / "a.jsonl", answers)
    for english, expected in ((True, "right"), (False, "unreadable")):
        _, scored = score(file, tmp_path / "d", "test", english=english)
        assert [each.verdict for each in scored] == [expected] * 6


@pytest.mark.parametrize("key", ["answer", "prediction", "output", "text"])
def test_rows_without_an_answer_are_wrong(
    key: str, folder: Path, rows: list[Example], tmp_path: Path
) -> None:
    answers = {row.id: row.target for row in rows[:45]}
    result, scored = score(predictions(tmp_path / "p.jsonl", answers, key), folder, "test")
    assert [each.verdict for each in scored].count("unanswered") == 15
    accuracy = figure(result, "accuracy")
    assert accuracy and accuracy.mean == 0.75
    assert result.numbers[0][0, :, 0].tolist() == [1] * 45 + [0] * 15


def test_rows_are_labelled_by_their_metadata(
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
    with pytest.raises(InvalidOption, match="no column 'colour'; choose from world, language, k"):
        by([result], ["colour"])


def test_rows_of_any_generator(tmp_path: Path) -> None:
    write(Analogy(), tmp_path / "data", {"test": 20})
    rows = list(Dataset(tmp_path / "data").rows("test"))
    answers = {row.id: f" {row.target.upper()}. " for row in rows}
    result, scored = score(predictions(tmp_path / "p.jsonl", answers), tmp_path / "data", "test")
    assert {each.verdict for each in scored} == {"right"}
    accuracy = figure(result, "accuracy")
    assert accuracy
    assert accuracy.mean == 1


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"id": "clutrr-v4-s9-test-0", "answer": "aunt"}', "has no row 'clutrr-v4-s9-test-0'"),
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


def test_invalid_files_are_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"cannot read .*none"):
        score(tmp_path / "none.jsonl", folder, "test")
    with pytest.raises(NotFound, match="holds no logs"):
        score(tmp_path, folder, "test")
    path = predictions(tmp_path / "p.jsonl", {})
    with pytest.raises(RelsmithError, match="no split 'dev'"):
        score(path, folder, "dev")
    with pytest.raises(RelsmithError, match="is not a finished dataset"):
        score(path, tmp_path, "test")
    with pytest.raises(RelsmithError, match="holds no answers"):
        score(path, folder, "test")


def test_answers_of_a_model_get_the_score_of_its_run(folder: Path, tmp_path: Path) -> None:
    from relsmith.evaluation.papers.stories.baselines import RuleSolver, StoryMajority
    from relsmith.evaluation.runner import EvalConfig, evaluate

    def bar(*_: Any) -> Any:
        return nullcontext(lambda _: None)

    order = EvalConfig(folder, bar, tmp_path, device="cpu", predictions=True)
    results = evaluate([StoryMajority(), RuleSolver()], order)
    for result in results:
        path = tmp_path / f"stories-{result.setup.label}.seed0.predictions.jsonl"
        scored, _ = score(path, folder, "test")
        assert (scored.of_rows("right", 0) == result.of_rows("right", 0)).all()
        (comparison,) = compared([result], [scored], [], None)
        assert (comparison.difference.difference, comparison.corrected) == (0, 1)
    (comparison,) = compared([results[0]], [scored], [], None)
    assert comparison.difference.difference > 0.2
    assert comparison.corrected < 0.01
    parts = compared([results[0]], [scored], ["k"], None)
    assert sum(part.rows for part in parts) == 60
    assert all(part.corrected >= part.difference.p for part in parts)


def test_right_wrong_unreadable_and_unanswered_are_separate(
    folder: Path, rows: list[Example], tmp_path: Path
) -> None:
    replies: list[str | None] = [None, "  ", "It is a mystery.", "not mother"]
    replies += ["mother" if row.target != "mother" else "father" for row in rows[4:20]]
    replies += [row.target for row in rows[20:]]
    lines = [
        json.dumps({"id": row.id, "answer": reply})
        for row, reply in zip(rows, replies, strict=True)
    ]
    (tmp_path / "p.jsonl").write_text("\n".join(lines))
    result, scored = score(tmp_path / "p.jsonl", folder, "test")
    wanted = ["unanswered"] * 2 + ["unreadable"] * 2 + ["wrong"] * 16 + ["right"] * 40
    assert [each.verdict for each in scored] == wanted
    (table,) = verdict_tables(result, [])
    assert [
        (line.model, round(60 * line.cells[0].mean)) for line in table.lines if line.cells[0]
    ] == [
        ("right", 40),
        ("wrong", 16),
        ("unreadable", 2),
        ("unanswered", 2),
    ]
    (table,) = verdict_tables(result, ["k"])
    assert all(len(line.cells) == 3 for line in table.lines)
    first, third = (json.loads(scored[place].encoded()) for place in (0, 2))
    assert (first["reply"], first["why"]) == (None, "there is no reply")
    assert third["answer"] is None
    assert third["why"] == "no answer is named"


def _batch(row: Example, reply: str) -> dict[str, Any]:
    body = {"choices": [{"message": {"role": "assistant", "content": reply}}]}
    return {"custom_id": row.id, "response": {"status_code": 200, "body": body}, "error": None}


def _responses(row: Example, reply: str) -> dict[str, Any]:
    content = [{"type": "output_text", "text": reply}]
    output = [{"type": "reasoning", "summary": []}, {"type": "message", "content": content}]
    return {"custom_id": row.id, "response": {"body": {"output": output}}}


def _lm_eval_sample(row: Example, reply: str) -> dict[str, Any]:
    return {
        "doc_id": 0,
        "doc": row.record(),
        "target": row.target,
        "resps": [[reply]],
        "filter": "none",
        "metrics": ["score"],
        "score": 0.0,
    }


@pytest.mark.parametrize(
    ("name", "text"),
    {
        "p.jsonl": lambda rows: "\n".join(
            json.dumps({"row_id": r.id, "generated_text": r.target}) for r in rows
        ),
        "batch.jsonl": lambda rows: "\n".join(json.dumps(_batch(r, r.target)) for r in rows),
        "new.jsonl": lambda rows: "\n".join(json.dumps(_responses(r, r.target)) for r in rows),
        "samples_x.jsonl": lambda rows: "\n".join(
            json.dumps(_lm_eval_sample(r, r.target)) for r in rows
        ),
    }.items(),
)
def test_usual_formats_are_read(
    name: str, text: Any, folder: Path, rows: list[Example], tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text(rows[:30]))
    result, scored = score(tmp_path / name, folder, "test")
    assert [each.verdict for each in scored] == ["right"] * 30 + ["unanswered"] * 30
    accuracy = figure(result, "accuracy")
    assert accuracy
    assert accuracy.mean == 0.5


def test_predictions_for_another_dataset_are_refused(
    folder: Path, rows: list[Example], tmp_path: Path
) -> None:
    other = tmp_path / "other"
    options = {"k": "2..4", "noise": "supporting", "side_facts": 0, "direction": "forward"}
    write(Clutrr.configure(options), other, {"train": 600, "test": 60})
    export(other, "openai-batch", tmp_path / "requests")
    requests = (tmp_path / "requests/test-00000.jsonl").read_text().splitlines()
    names = [json.loads(line)["custom_id"] for line in requests]
    assert {name.partition("@")[0] for name in names} == {row.id for row in rows}
    batch = predictions(tmp_path / "batch.jsonl", dict.fromkeys(names, "mother"))
    assert len(score(batch, other, "test")[1]) == 60
    with pytest.raises(InvalidInput, match="it answers the dataset"):
        score(batch, folder, "test")
    theirs = list(Dataset(other).rows("test"))
    different = next(n for n in range(60) if theirs[n].input != rows[n].input)
    line = {"id": theirs[different].id, "input": theirs[different].input, "answer": "mother"}
    (tmp_path / "texts.jsonl").write_text(json.dumps(line))
    with pytest.raises(InvalidInput, match="another text"):
        score(tmp_path / "texts.jsonl", folder, "test")
