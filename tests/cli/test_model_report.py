"""`gen report model` from the command line."""

import json
from pathlib import Path

import pytest

from relsmith import Dataset


@pytest.fixture
def answered(gen, tmp_path: Path) -> Path:
    """Stories, and answers of two models that solve k = 2 and guess k = 3."""
    sizes = "train=200,test=80"
    assert gen("clutrr", "--k", "2,3", "--split", sizes, "--out", "data").returncode == 0
    rows = list(Dataset(tmp_path / "data").rows("test"))
    for name, knows in (("careful", lambda n, k: k == 2), ("lazy", lambda n, k: n % 4 == 0)):
        lines = [
            json.dumps({"id": row.id, "answer": row.target if known else "no idea"})
            for number, row in enumerate(rows)
            for known in [knows(number, row.metadata["k"])]
        ]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines))
    return tmp_path


def test_page_and_text_output(gen, answered: Path) -> None:
    words = ["report", "model", "careful.jsonl", "lazy.jsonl", "--data", "data"]
    run = gen(*words, "--out", "page.html")
    assert run.returncode == 0, run.stderr
    lines = run.stdout.splitlines()
    assert lines[0].startswith("careful: 50.0 % of 80 rows are right (95 % interval")
    assert "is right more often than lazy: by 25.0 points" in run.stdout
    assert lines[-1] == "page: page.html"
    text = (answered / "page.html").read_text()
    assert "<title>careful and lazy on clutrr</title>" in text
    assert "the ceiling without the question" in text
    assert "Compared with the end-facts baseline: above at k = 2" in text
    told = json.loads(gen(*words, "--json").stdout)
    careful = told["models"][0]
    assert careful["by"]["k"]["2"]["mean"] == 1
    assert careful["by"]["k"]["3"]["mean"] == 0
    assert careful["by"]["k"]["2"]["low"] < 1
    assert {baseline["name"] for baseline in told["baselines"]} >= {"chance"}
    (compared,) = told["comparisons"]
    assert (compared["first"], compared["second"]) == ("careful", "lazy")
    assert told["findings"][0]["text"].startswith("50.0 % of 80 rows are right")


@pytest.mark.slow
def test_mistakes_are_one_line(gen, answered: Path) -> None:
    (answered / "kept.html").write_text("mine")
    (answered / "empty.jsonl").write_text("")
    for words, said in [
        (["none.eval", "--data", "data"], "cannot read 'none.eval'"),
        (["careful.jsonl"], "--data: missing; add it"),
        (["empty.jsonl", "--data", "data"], "empty.jsonl holds no answers"),
        (["careful.jsonl", "--data", "nowhere"], "nowhere is not a finished dataset"),
        (["careful.jsonl", "--data", "data", "--split", "dev"], "data has no split 'dev'"),
        (
            ["careful.jsonl", "--data", "data", "--by", "colour"],
            "--by: no row has the label",
        ),
        (["careful.jsonl", "--data", "data", "--out", "a.pdf"], "--out: expected a file such as"),
        (["careful.jsonl", "--data", "data", "--out", "kept.html"], "kept.html"),
    ]:
        run = gen("report", "model", *words)
        assert run.returncode == 2, words
        assert said in run.stderr, run.stderr
        assert len(run.stderr.strip().splitlines()) == 1, run.stderr
    assert (answered / "kept.html").read_text() == "mine"
