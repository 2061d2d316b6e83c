"""`gen report paper`, and `gen eval` before it, for each paper."""

import json
import random
from pathlib import Path

import pytest

from relsmith.evaluation.papers.reports import REPORTS

PAIRS = """\
drug, treats, pain\taspirin, is treating, the pain\ty
drug, treats, pain\taspirin, stops, pain\ty
drug, treats, pain\taspirin, causes, pain\tn
"""


def test_all_are_listed_without_a_name(gen) -> None:
    listed = gen("report", "paper").stdout
    assert all(f" {name} " in listed for name in REPORTS)
    told = json.loads(gen("report", "paper", "--json").stdout)
    assert [report["name"] for report in told] == list(REPORTS)
    assert all(report["summary"] for report in told)


def test_mistakes_are_one_line(gen) -> None:
    for words, said in [
        (["generalisation", "results"], "did you mean 'generalization'?"),
        (["generalization"], "generalization: give files or folders with results"),
        (["generalization", "results"], "results"),
        (["generalization", "results", "--versus", "gat"], "generalization marks no figures"),
    ]:
        run = gen("report", "paper", *words)
        assert run.returncode == 2, words
        assert said in run.stderr, run.stderr
        assert run.stderr.count("\n") == 1, run.stderr


def test_from_analogies_to_a_table(gen, tmp_path: Path) -> None:
    options = ["--only", "capital", "--probe", "random", "--tuples", "16"]
    assert gen("analogy", *options, "--out", "sound").returncode == 0
    words = ["--model", "analogy-words,analogy-majority", "--no-baselines"]
    done = gen("eval", "sound", *words, "--seeds", 1, "--epochs", 1, "--device", "cpu")
    assert done.returncode == 0, done.stderr
    for model in ("analogy-majority", "analogy-words"):
        assert f"\n {model} " in done.stdout
    assert len(list((tmp_path / "results").glob("*.json"))) == 2
    groups = ["report", "paper", "analogy-groups"]
    table = gen(*groups, "results")
    assert table.returncode == 0, table.stderr
    assert "supervised random" in table.stdout
    assert json.loads(gen(*groups, "results", "--json").stdout)[0]["rows"]
    assert gen(*groups, "sound").returncode == 2
    collect = ["report", "collect", "results", "--model"]
    assert gen(*collect, "*words", "--out", "one.json.gz").stdout == "1 result: one.json.gz\n"
    table = json.loads(gen(*groups, "one.json.gz", "--json").stdout)[0]
    assert [row["model"] for row in table["rows"]] == ["analogy-words"]
    none = gen(*collect, "gat", "--out", "two.json")
    assert none.returncode == 2 and "no result has a label such as 'gat'" in none.stderr


@pytest.mark.slow
def test_from_analogies_to_figures(gen, tmp_path: Path) -> None:
    options = ["--only", "capital", "--probe", "random", "--tuples", "16"]
    assert gen("analogy", *options, "--out", "sound").returncode == 0
    assert gen("analogy", *options, "--paper-faithful", "--out", "theirs").returncode == 0
    rows = (tmp_path / "sound").glob("*.jsonl")
    seen = {
        word
        for path in rows
        for line in path.read_text().splitlines()
        for pair in ("query", "positive", "negative")
        for words in json.loads(line)["metadata"][pair] or []
        for word in words.lower().split()
    }
    draw = random.Random(0).random
    lines = [" ".join([word, *(f"{draw():.3f}" for _ in range(5))]) for word in sorted(seen)]
    (tmp_path / "tiny.vec").write_text("\n".join(lines) + "\n")
    words = ["--model", "analogy-vectors", "--set", "vectors=tiny.vec", "--seeds", 2]
    for data in ("sound", "theirs"):
        done = gen("eval", data, *words, "--epochs", 2, "--device", "cpu")
        assert done.returncode == 0, done.stderr
        for model in ("analogy-vectors (tiny.vec)", "analogy-majority", "analogy-words"):
            assert f"\n {model} " in done.stdout
    assert len(list((tmp_path / "results").glob("*.json"))) == 6

    table_1 = gen("report", "paper", "analogy-groups", "results")
    assert table_1.returncode == 0, table_1.stderr
    assert "supervised random" in table_1.stdout
    assert "fastText for vectors" in table_1.stdout
    beside = gen("report", "paper", "analogy-negatives", "results")
    assert beside.returncode == 0, beside.stderr
    assert "the paper's negatives" in beside.stdout

    assert gen("report", "paper", "analogy-groups", "sound").returncode == 2
    beyond = gen("eval", "sound", *words, "--epochs", 2, "--test-on", "theirs", "--out", "both")
    assert "theirs (test), trained on sound: All (1 relation)" in beyond.stdout


def test_models_of_two_kinds_are_not_evaluated_at_once(gen) -> None:
    done = gen("eval", ".", "--model", "analogy-words,majority")
    assert done.returncode == 2
    assert "models of several tasks (analogies, stories)" in done.stderr


@pytest.mark.slow
def test_the_guide_works_as_written(gen, root: Path, tmp_path: Path) -> None:
    page = (root / "docs" / "evaluation-cloze.md").read_text()
    block = page.partition("```sh\n")[2].partition("```")[0]
    lines = [line.split()[1:] for line in block.splitlines()]
    assert len(lines) == 3
    for words in lines:
        # The whole takes minutes.
        fewer = [word.replace("train=0.8,test=0.2", "train=60,test=15") for word in words]
        if words[0] == "eval":
            fewer += ["--epochs", "2", "--set", "hidden=8", "--set", "longest=20"]
        elif words[0] == "cloze":
            fewer += ["--no-difficulty"]
        done = gen(*fewer)
        assert done.returncode == 0, done.stderr
        if words[:3] == ["report", "paper", "cloze-models"]:
            assert "answers among words blanked in training" in done.stdout
            assert "23.57" in done.stdout


@pytest.mark.slow
def test_from_pairs_to_a_figure(gen, tmp_path: Path) -> None:
    (tmp_path / "pairs.tsv").write_text(PAIRS)
    (tmp_path / "rules.tsv").write_text("stop\ttreat\t2\ncause\ttreat\t1\n")
    done = gen("eval", "pairs.tsv", "--model", "lemma", "--json")
    assert done.returncode == 0, done.stderr
    (result,) = json.loads(done.stdout)
    (figures,) = result["tests"]
    assert (figures["precision"][0], figures["recall"][0]) == (1.0, 0.5)
    options = ["--set", "rules=rules.tsv", "--set", "lemma=true"]
    done = gen("eval", "pairs.tsv", "--model", "rule-list", *options)
    assert done.returncode == 0, done.stderr
    assert "lemma + rules" in done.stdout
    report = gen("report", "paper", "inference", "results", "--plot", "figure.png")
    assert report.returncode == 0, report.stderr
    assert "recall at 0.8" in report.stdout
    assert (tmp_path / "figure.png").exists()
    (table,) = json.loads(gen("report", "paper", "inference", "results", "--json").stdout)
    assert [row["model"] for row in table["rows"]] == ["lemma", "lemma + rules"]
    names = ["results/pairs-lemma.json", "results/pairs-lemma+rules.json"]
    compared = gen("report", "compare", *names, "--figure", "recall", "--json")
    (comparison,) = json.loads(compared.stdout)
    assert (comparison["first_figure"], comparison["second_figure"]) == (0.5, 1.0)


def test_only_methods_of_relation_inference_are_listed(gen, tmp_path: Path) -> None:
    (tmp_path / "pairs.tsv").write_text(PAIRS)
    listed = json.loads(gen("eval", "pairs.tsv", "--json").stdout)
    assert {model["task"] for model in listed} == {"inferences"}
    assert {"lemma", "rule-list", "word-embeddings"} <= {model["name"] for model in listed}


def test_mistakes_in_files_of_pairs_are_one_line(gen, tmp_path: Path) -> None:
    (tmp_path / "bad.tsv").write_text("a, b, c\td, e, f\tperhaps\n")
    for words, said in [
        (["bad.tsv", "--model", "lemma"], "bad.tsv:1: the label is 'perhaps'"),
        (["bad.tsv", "--model", "lemma,gat"], "models of several tasks (inferences, stories)"),
    ]:
        run = gen("eval", *words)
        assert run.returncode == 2, words
        assert said in run.stderr
        assert run.stderr.count("\n") == 1, run.stderr
