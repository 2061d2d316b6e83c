"""`gen eval` and `gen report` as a person uses them."""

import json
from pathlib import Path

import pytest


@pytest.fixture
def quick(gen):
    """As `gen`; torch has one thread in all tests."""
    return gen


@pytest.mark.slow
def test_from_stories_to_a_figure(quick, tmp_path: Path) -> None:
    options = ["--k", "2..4", "--train-k", "2,3", "--split", "train=300,test=60", "--out", "data"]
    assert quick("clutrr", *options).returncode == 0
    words = ["eval", "data", "--model", "gat", "--seeds", 2, "--epochs", 2, "--device", "cpu"]
    done = quick(*words, "--set", "rounds=1")
    assert done.returncode == 0, done.stderr
    assert "data: trained on k = 2,3" in done.stdout
    for model in ("gat", "majority", "bag-of-words", "query-only", "story-without-query"):
        assert f"\n {model} " in done.stdout
    for model in ("position-only", "name-only", "rules"):
        assert f"\n {model} " in done.stdout
    assert len(list((tmp_path / "results").glob("*.json"))) == 8
    report = quick("report", "generalization", "results", "--plot", "figure.png")
    assert report.returncode == 0, report.stderr
    assert "k=4" in report.stdout
    assert "thesis, figure 3.5" in report.stdout
    assert (tmp_path / "figure.png").exists()
    (table,) = json.loads(quick("report", "generalization", "results", "--json").stdout)
    gat = next(row for row in table["rows"] if row["model"] == "gat")
    assert set(gat["figures"]) == {"k=2", "k=3", "k=4"}
    assert quick("report", "robustness", "results").returncode == 2
    other = quick(*words, "--set", "rounds=2")
    assert other.returncode == 2
    assert "results/data-gat.json holds a result of another setup" in other.stderr


def test_models_are_listed_where_none_is_named(quick) -> None:
    quick("clutrr", "--rows", 5, "--out", "data")
    listed = quick("eval", "data")
    assert listed.returncode == 0
    assert "edge-transformer" in listed.stdout
    found = json.loads(quick("eval", "data", "--json").stdout)
    assert {"gat", "rules"} <= {model["name"] for model in found}


def test_mistakes_are_one_line(quick) -> None:
    quick("clutrr", "--rows", 5, "--out", "data")
    quick("comparatives", "--split", "train=5,test=5", "--out", "other")
    for words, said in [
        (["nowhere", "--model", "gat"], "nowhere is not a finished dataset"),
        (["data", "--model", "gta"], "no model is called 'gta'; did you mean 'gat'?"),
        (["data", "--model", "gat"], "data has no split 'test'"),
        (["other", "--model", "gat"], "is no story with facts and a query"),
        (["data", "--model", "gat", "--set", "rounds"], "--set: expected NAME=VALUE"),
        (["data", "--model", "gat", "--set", "round=2"], "gat: "),
        (["data", "--model", "gat", "--set", "rounds=0"], "gat: rounds"),
        (["data", "--model", "bert"], "bert: "),
        (["data", "--model", "gat", "--device", "gpu"], "--device: cannot use 'gpu'"),
    ]:
        run = quick("eval", *words)
        assert run.returncode == 2, words
        assert said in run.stderr
        assert run.stderr.count("\n") == 1, run.stderr
