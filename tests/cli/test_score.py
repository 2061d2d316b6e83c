"""`gen score`, and `gen report` over its results, from the command line."""

import json
from pathlib import Path

import pytest

from relsmith import Dataset


@pytest.fixture
def answered(gen, tmp_path: Path) -> Path:
    """Stories, and two files of answers: one solves k = 2, the other every second row."""
    options = ["--k", "2,3", "--split", "test=40", "--out", "data"]
    assert gen("clutrr", *options).returncode == 0
    rows = list(Dataset(tmp_path / "data").rows("test"))
    for name, knows in (
        ("careful", lambda number, k: k == 2),
        ("lazy", lambda number, k: k == 2 and number % 2),
    ):
        lines = [
            json.dumps({"id": row.id, "answer": row.target if known else "no idea"})
            for number, row in enumerate(rows)
            for known in [knows(number, row.metadata["k"])]
        ]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines))
    return tmp_path


def test_from_answers_to_a_comparison(gen, answered: Path) -> None:
    shown = gen("score", "careful.jsonl", "data", "--by", "k", "--out", "careful.json")
    assert shown.returncode == 0, shown.stderr
    assert "careful on data (test)" in shown.stdout
    assert all(word in shown.stdout for word in ("right", "wrong", "unreadable", "unanswered"))
    assert "k=2" in shown.stdout
    assert shown.stderr == ""
    scored = gen("score", "lazy.jsonl", "data", "--by", "k,target", "--out", "lazy.json", "--json")
    told = json.loads(scored.stdout)
    assert told["rows"]["unreadable"] == 40 - told["rows"]["right"]
    assert all(" " in head for head in told["tables"][0]["rows"][0]["figures"])
    words = ["report", "compare", "lazy.json", "careful.json"]
    table = gen(*words)
    assert table.returncode == 0, table.stderr
    assert "corrected" in table.stdout
    two, three = json.loads(gen(*words, "--by", "k", "--json").stdout)
    assert (two["first"], two["second"], two["second_figure"]) == ("lazy", "careful", 1)
    assert two["difference"] > 0.2
    assert two["p"] < two["corrected"] < 0.05
    assert (three["difference"], three["corrected"]) == (0, 1)
    (by,) = json.loads(gen("report", "by", "careful.json", "--by", "k", "--json").stdout)
    assert [figures[0] for figures in by["rows"][0]["figures"].values()] == [1, 0]


def test_unanswered_rows_are_reported(gen, answered: Path) -> None:
    lines = (answered / "careful.jsonl").read_text().splitlines()
    (answered / "some.jsonl").write_text("\n".join(lines[:10]))
    shown = gen("score", "some.jsonl", "data", "--json", "--rows", "rows.jsonl")
    assert shown.returncode == 0, shown.stderr
    assert json.loads(shown.stdout)["rows"]["unanswered"] == 30
    records = [json.loads(line) for line in (answered / "rows.jsonl").read_text().splitlines()]
    assert [record["verdict"] for record in records].count("unanswered") == 30
    assert {"right", "no answer is named", "there is no reply"} == {each["why"] for each in records}


def test_mistakes_are_one_line(gen, answered: Path) -> None:
    (answered / "bad.jsonl").write_text("{")
    (answered / "empty.jsonl").touch()
    (answered / "unknown.jsonl").write_text('{"id": "nobody", "answer": "aunt"}')
    (answered / "kept.json").write_text("mine")
    for words, said in [
        (["none.jsonl", "data"], "cannot read 'none.jsonl'"),
        (["bad.jsonl", "data"], "bad.jsonl:1: it is not JSON"),
        (["empty.jsonl", "data"], "empty.jsonl holds no answers"),
        (["unknown.jsonl", "data"], "unknown.jsonl:1: data has no row 'nobody'"),
        (["careful.jsonl", "nowhere"], "nowhere is not a finished dataset"),
        (["careful.jsonl", "data", "--split", "train"], "data has no split 'train'"),
        (["careful.jsonl", "data", "--by", "colour"], "--by: data (test) has no column 'colour'"),
        (["careful.jsonl", "data", "--out", "kept.json"], "kept.json"),
        (["careful.jsonl", "data", "--out", "careful.jsonl", "--force"], "careful.jsonl"),
    ]:
        run = gen("score", *words)
        assert run.returncode == 2, words
        assert said in run.stderr
        assert run.stderr.count("\n") == 1, run.stderr
    assert (answered / "kept.json").read_text() == "mine"
    assert (answered / "careful.jsonl").read_text().startswith('{"id"')


def test_steps_are_judged(gen, tmp_path: Path) -> None:
    options = ["--k", "2,3", "--explain", "--split", "test=40", "--out", "data"]
    assert gen("clutrr", *options).returncode == 0
    lines = []
    for number, row in enumerate(Dataset(tmp_path / "data").rows("test")):
        reasons = " ".join(row.metadata["explanation"]) if number % 4 < 2 else ""
        lines.append(json.dumps({"id": row.id, "answer": f"{reasons}\nAnswer: {row.target}"}))
    (tmp_path / "careful.jsonl").write_text("\n".join(lines))
    shown = gen("score", "careful.jsonl", "data", "--steps", "--rows", "rows.jsonl", "--json")
    assert shown.returncode == 0, shown.stderr
    answers, reasoning = json.loads(shown.stdout)["tables"]
    assert len(answers["rows"]) == 4
    shares = {line["model"]: line["figures"] for line in reasoning["rows"]}
    assert shares["right by sound steps"]["kinship k=2"][0] == pytest.approx(0.5, abs=0.2)
    assert shares["wrong last step"]["kinship k=3"][0] == 0
    saved = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    sound = [row for row in saved if row["steps"]["class"] == "right by sound steps"]
    assert len(sound) == 20
    assert sound[0]["steps"]["claims"][0]["verdict"] in ("stated", "entailed")
    by_k = gen("score", "careful.jsonl", "data", "--steps", "--by", "k", "--json")
    _, table = json.loads(by_k.stdout)["tables"]
    assert list(table["rows"][0]["figures"]) == ["k=2", "k=3"]
