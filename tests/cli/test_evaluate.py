"""`gen eval` and `gen report` from the command line."""

import json
from pathlib import Path

import pytest


@pytest.mark.slow
def test_from_stories_to_a_figure(gen, tmp_path: Path) -> None:
    options = ["--k", "2..5", "--train-k", "2,3", "--split", "train=300,test=60", "--out", "data"]
    assert gen("clutrr", *options).returncode == 0
    words = ["eval", "data", "--model", "gat", "--seeds", 2, "--epochs", 2, "--device", "cpu"]
    done = gen(*words, "--set", "rounds=1", "--predictions")
    assert done.returncode == 0, done.stderr
    assert "accuracy on data (test), trained on data" in done.stdout
    assert "accuracy without the query:" in done.stdout
    for model in ("gat", "majority", "bag-of-words", "query-only", "story-without-query"):
        assert f"\n {model} " in done.stdout
    for model in ("position-only", "name-only", "ends-logistic", "rules"):
        assert f"\n {model} " in done.stdout
    assert len(list((tmp_path / "results").glob("*.json"))) == 9
    report = gen("report", "paper", "generalization", "results", "--plot", "figure.png")
    assert report.returncode == 0, report.stderr
    assert "k=5" in report.stdout
    assert "thesis, figure 3.5" in report.stdout
    assert (tmp_path / "figure.png").exists()
    (table,) = json.loads(gen("report", "paper", "generalization", "results", "--json").stdout)
    gat = next(row for row in table["rows"] if row["model"] == "gat")
    assert set(gat["figures"]) == {"k=2", "k=3", "k=4", "k=5"}
    (table,) = json.loads(gen("report", "by", "results", "--by", "k,noise", "--json").stdout)
    assert set(table["rows"][0]["figures"]) == {f"k={k} clean" for k in (2, 3, 4, 5)}
    compared = gen("report", "compare", "results/data-rules.json", "results/data-gat.json")
    assert compared.returncode == 0, compared.stderr
    assert "corrected" in compared.stdout
    said = tmp_path / "results" / "data-gat.seed0.predictions.jsonl"
    scored = json.loads(gen("score", said, "data", "--json").stdout)
    runs = json.loads((tmp_path / "results" / "data-gat.json").read_text())["results"][0]["summary"]
    assert scored["rows"]["unanswered"] == 0
    mean = scored["tables"][0]["rows"][0]["figures"]["all rows"][0]
    assert 0 <= mean <= 1 and runs["seeds"] == 2
    assert gen("report", "paper", "robustness", "results").returncode == 2
    other = gen(*words, "--set", "rounds=2")
    assert other.returncode == 2
    assert "results/data-gat.json holds a result of another setup" in other.stderr


@pytest.mark.slow
@pytest.mark.parametrize("form", ["clutrr-csv", "clutrr-hf"])
def test_models_are_trained_on_official_files(form: str, gen, tmp_path: Path) -> None:
    options = ["--k", "2..4", "--train-k", "2", "--split", "train=200,test=60", "--out", "data"]
    # As in official files, all facts run in one direction, so the rules are as easy to learn.
    assert gen("clutrr", *options, "--side-facts", 0, "--direction", "forward").returncode == 0
    assert gen("export", "data", "--to", form, "--out", "files").returncode == 0
    words = ["--epochs", 1, "--seeds", 1, "--device", "cpu", "--no-baselines", "--json"]
    done = gen("eval", "files", "--model", "gat,rules", *words)
    assert done.returncode == 0, done.stderr
    gat, rules = json.loads(done.stdout)
    assert gat["tests"][0]["data"] == "files (test)"
    assert (gat["tests"][0]["rows"], rules["model"]) == (60, "rules")
    ours = json.loads(gen("eval", "data", "--model", "rules", *words, "--out", "other").stdout)
    assert rules["tests"][0]["accuracy"] == pytest.approx(ours[0]["tests"][0]["accuracy"], abs=0.2)
    only = gen(
        "eval", "files/test.csv" if form == "clutrr-hf" else "files/1.4_test.csv", *words[:2]
    )
    assert "gat" in only.stdout


def test_only_models_that_fit_are_listed(gen, tmp_path: Path) -> None:
    gen("clutrr", "--rows", 5, "--out", "data")
    gen("export", "data", "--to", "clutrr-hf", "--out", "files")
    for place in ("data", "files"):
        listed = gen("eval", place)
        assert listed.returncode == 0, listed.stderr
        assert "edge-transformer" in listed.stdout
        models = json.loads(gen("eval", place, "--json").stdout)
        assert {"gat", "rules"} <= {model["name"] for model in models}
        assert {model["task"] for model in models} == {"stories"}


def test_mistakes_are_one_line(gen, tmp_path: Path) -> None:
    gen("clutrr", "--rows", 5, "--out", "data")
    gen("export", "data", "--to", "clutrr-hf", "--out", "half")
    heads = (tmp_path / "half" / "train.csv").read_text().partition("\n")[0]
    (tmp_path / "half" / "test.csv").write_text(f"{heads}\n")
    gen("comparatives", "--split", "train=5,test=5", "--out", "other")
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "train.csv").write_text("id,text\n1,word\n")
    for words, said in [
        (["nowhere"], "'nowhere' does not exist; give a dataset's folder, or files"),
        (["nowhere", "--model", "gat"], "nowhere is not a finished dataset"),
        (["data", "--model", "gta"], "no model is called 'gta'; did you mean 'gat'?"),
        (["data", "--model", "gat"], "data has no split 'test'"),
        (["half", "--model", "gat"], "half (test) has no rows"),
        (["other", "--model", "gat"], "is not a story with facts and a query"),
        (["tables", "--model", "gat"], "tables/train.csv has no column 'story'"),
        (["data", "--model", "gat", "--set", "rounds"], "--set: expected NAME=VALUE"),
        (["data", "--model", "gat", "--set", "round=2"], "gat: "),
        (["data", "--model", "gat", "--set", "rounds=0"], "gat: rounds"),
        (["data", "--model", "bert"], "bert: "),
        (["data", "--model", "gat", "--device", "gpu"], "--device: cannot use 'gpu'"),
        (["data", "--model", "gat", "--precision", "rubbish"], "--precision: "),
        (["data", "--model", "gat", "--epochs", "0"], "--epochs"),
        (["data", "--model", "gat", "--out", "data"], "--out: data is a dataset"),
    ]:
        run = gen("eval", *words)
        assert run.returncode == 2, (words, run.stdout, run.stderr)
        assert said in run.stderr, (words, run.stderr)
        assert run.stderr.count("\n") == 1, run.stderr


def test_a_missing_extra_is_one_line(gen, tmp_path: Path) -> None:
    gen("clutrr", "--rows", 5, "--out", "data")
    hidden = tmp_path / "hidden"
    (hidden / "torch").mkdir(parents=True)
    (hidden / "torch" / "__init__.py").write_text("raise ImportError(name='torch')\n")
    run = gen("eval", "data", "--model", "gat", PYTHONPATH=str(hidden))
    assert run.returncode == 2
    assert "evaluation needs torch: " in run.stderr
    assert run.stderr.count("\n") == 1, run.stderr
