"""`gen eval` on pairs of relation inference, and `gen report paper inference`."""

import json
from pathlib import Path

import pytest

PAIRS = """\
drug, treats, pain\taspirin, is treating, the pain\ty
drug, treats, pain\taspirin, stops, pain\ty
drug, treats, pain\taspirin, causes, pain\tn
"""


@pytest.fixture
def quick(gen):
    """As `gen`; torch has one thread in all tests."""
    return gen


@pytest.mark.slow
def test_from_pairs_to_a_figure(quick, tmp_path: Path) -> None:
    (tmp_path / "pairs.tsv").write_text(PAIRS)
    (tmp_path / "rules.tsv").write_text("stop\ttreat\t2\ncause\ttreat\t1\n")
    done = quick("eval", "pairs.tsv", "--model", "lemma", "--json")
    assert done.returncode == 0, done.stderr
    (result,) = json.loads(done.stdout)
    (figures,) = result["tests"]
    assert (figures["precision"][0], figures["recall"][0]) == (1.0, 0.5)
    options = ["--set", "rules=rules.tsv", "--set", "lemma=true"]
    done = quick("eval", "pairs.tsv", "--model", "rule-list", *options)
    assert done.returncode == 0, done.stderr
    assert "lemma + rules" in done.stdout
    report = quick("report", "paper", "inference", "results", "--plot", "figure.png")
    assert report.returncode == 0, report.stderr
    assert "recall at 0.8" in report.stdout
    assert (tmp_path / "figure.png").exists()
    (table,) = json.loads(quick("report", "paper", "inference", "results", "--json").stdout)
    assert [row["model"] for row in table["rows"]] == ["lemma", "lemma + rules"]
    names = ["results/pairs-lemma.json", "results/pairs-lemma+rules.json"]
    compared = quick("report", "compare", *names, "--figure", "recall", "--json")
    (comparison,) = json.loads(compared.stdout)
    assert (comparison["first_figure"], comparison["second_figure"]) == (0.5, 1.0)


def test_only_methods_of_relation_inference_are_listed(quick, tmp_path: Path) -> None:
    (tmp_path / "pairs.tsv").write_text(PAIRS)
    listed = json.loads(quick("eval", "pairs.tsv", "--json").stdout)
    assert {model["task"] for model in listed} == {"inferences"}
    assert {"lemma", "rule-list", "cross-encoder"} <= {model["name"] for model in listed}


def test_mistakes_are_one_line(quick, tmp_path: Path) -> None:
    (tmp_path / "bad.tsv").write_text("a, b, c\td, e, f\tperhaps\n")
    for words, said in [
        (["bad.tsv", "--model", "lemma"], "bad.tsv:1: the label is 'perhaps'"),
        (["bad.tsv", "--model", "lemma,gat"], "models of several tasks (inferences, stories)"),
    ]:
        run = quick("eval", *words)
        assert run.returncode == 2, words
        assert said in run.stderr
        assert run.stderr.count("\n") == 1, run.stderr
