"""Exports for training, evaluating and testing language models, and for annotators."""

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from relsmith import Dataset, Generator, export, make, score, write
from relsmith.errors import InvalidOption
from relsmith.exporting.language_models import package_name
from relsmith.prompting.prompt import Prompter
from relsmith.scoring.scorer import answer_key
from relsmith.testing.profile import scaled


def module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec
    assert spec.loader
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("questions")


@pytest.fixture
def folder(kind_of_question: tuple[str, Generator], home: Path) -> Path:
    """Write a few rows of each question type, once for all tests, which only read them."""
    name, generator = kind_of_question
    out = home / name / "some rows"
    if not out.exists():
        write(generator, out, {"train": 4, "test": 3})
    return out


def test_exports_for_training_explain_their_columns(folder: Path, tmp_path: Path) -> None:
    export(folder, "trl", tmp_path / "trl")
    export(folder, "verifiers", tmp_path / "verifiers")
    rows = {row.id: row for row in Dataset(folder).rows("train")}
    for record in records(tmp_path / "trl" / "train.jsonl"):
        assert record["answer"] == answer_key(rows[record["id"]]).right
        assert json.loads(record["row"]) == rows[record["id"]].record()
    for name in ("trl", "verifiers"):
        text = (tmp_path / name / "README.md").read_text("utf-8")
        assert "| `answer` | the right answer |" in text
        assert "| `row` | the whole row as a text of JSON" in text
        assert "`train.jsonl`" in text
        assert "@" not in text


def test_a_chat_ends_in_the_right_answer(folder: Path, tmp_path: Path) -> None:
    export(folder, "chat", tmp_path / "chat")
    for split in ("train", "test"):
        rows = [row for row in Dataset(folder).rows(split) if answer_key(row).right]
        made = records(tmp_path / "chat" / f"{split}.jsonl")
        assert [record["id"] for record in made] == [row.id for row in rows]
        for record, row in zip(made, rows, strict=True):
            user, assistant = record["messages"]
            assert (user["role"], assistant["role"]) == ("user", "assistant")
            assert row.input in user["content"]
            assert score(row, assistant["content"]).value == 1


def test_the_proof_in_words_is_the_reasoning(tmp_path: Path) -> None:
    write(make("clutrr", k="3", explain=True), tmp_path / "data", {"train": 5})
    export(tmp_path / "data", "chat", tmp_path / "chat")
    rows = Dataset(tmp_path / "data").rows()
    for record, row in zip(records(tmp_path / "chat" / "train.jsonl"), rows, strict=True):
        said = record["messages"][1]["content"]
        assert said == "\n".join([*row.metadata["explanation"], f"Answer: {row.target}"])
        assert len(row.metadata["explanation"]) == 2
        assert "step by step" in record["messages"][0]["content"]


def test_batches_ask_what_gen_prompt_shows_and_gen_score_reads_the_replies(
    gen, tmp_path: Path
) -> None:
    write(make("clutrr"), tmp_path / "data", {"test": 5})
    export(tmp_path / "data", "openai-batch", tmp_path / "batch")
    made = records(tmp_path / "batch" / "test-00000.jsonl")
    rows = list(Dataset(tmp_path / "data").rows())
    for record, row in zip(made, rows, strict=True):
        assert record["custom_id"].partition("@")[0] == row.id
        assert (record["method"], record["url"]) == ("POST", "/v1/chat/completions")
        assert record["body"] == {"model": "MODEL", "messages": Prompter()(row).messages}
    replies = [
        {
            "custom_id": row.id,
            "response": {"body": {"choices": [{"message": {"content": f"{row.target}."}}]}},
            "error": None,
        }
        for row in rows[:4]
    ]
    replies.append({"custom_id": rows[4].id, "response": None, "error": {"code": "expired"}})
    (tmp_path / "replies.jsonl").write_text("\n".join(map(json.dumps, replies)))
    run = gen("score", "replies.jsonl", "data", "--json")
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["rows"]["unanswered"] == 1
    assert '"mean": 0.8' in run.stdout or "0.8" in run.stdout


@pytest.mark.slow
def test_rows_without_any_answer_are_refused(tmp_path: Path) -> None:
    rows = [
        row
        for row in make("relinf", reversed=True)[: scaled(200, least=40)]
        if not answer_key(row).right
    ]
    assert rows
    data = tmp_path / "data"
    write(make("relinf", reversed=True), data, {"train": 2})
    if any(answer_key(row).right for row in Dataset(data).rows()):
        export(data, "chat", tmp_path / "chat")
        kept = records(tmp_path / "chat" / "train.jsonl")
        assert len(kept) == sum(bool(answer_key(row).right) for row in Dataset(data).rows())
    else:
        with pytest.raises(InvalidOption, match="no row has an answer"):
            export(data, "chat", tmp_path / "chat")


def test_packages_are_named_after_the_folder(tmp_path: Path) -> None:
    write(make("comparatives"), tmp_path / "My Rows_2", {"train": 2})
    assert package_name(Dataset(tmp_path / "My Rows_2")) == "relsmith-my-rows-2"
