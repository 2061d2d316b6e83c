"""`gen report` on the results of docs/results."""

from pathlib import Path

import pytest

from ..conftest import Run

RUNS = Path("docs/results/stories/runs")


@pytest.fixture
def report(gen_in: Run, root: Path) -> Run:
    return lambda *words: gen_in(root, "report", *words, COLUMNS="160")


def test_tables_in_markdown(report: Run) -> None:
    run = report("by", RUNS / "gen-plain2.json.gz", "--by", "k", "--markdown")
    title, _, head, line, *rows, _, note = run.stdout.strip().splitlines()
    assert title == "**accuracy on gen-plain2 (test), trained on gen-plain2**"
    assert (head, line) == ("| model | k=2 |", "| --- | --- |")
    assert any(row.startswith("| *rules* | 1.00 \u00b1") for row in rows)
    cap = "ended at its cap of 60 epochs: bilstm-mean (1 of 3 runs)"
    assert note == f"{cap}; \u00b1: half-width of the 95 % interval over clauses and seeds"
    refused = report("by", RUNS / "gen-plain2.json.gz", "--json", "--markdown")
    assert refused.returncode
    assert "--markdown: cannot be combined with --json" in refused.stderr


def test_some_tables(report: Run) -> None:
    files = [RUNS / f"robust-{noise}.json.gz" for noise in ("clean", "supporting")]
    words = ("paper", "robustness", *files, "--markdown", "--table")
    clean = report(*words, "*on clean*").stdout
    assert clean.count("**") == 2
    assert "interval over clauses and seeds" in clean
    assert "| paper |" in clean
    assert "no table has a title such as '*none*'" in report(*words, "*none*").stderr


def test_comparisons_name_what_was_resampled(report: Run, tmp_path: Path) -> None:
    for name in ("gat", "bert-edges", "rules", "ends-only"):
        out = tmp_path / f"{name}.json"
        report("collect", RUNS / "gen-big.json.gz", "--model", name, "--out", out)
    words = ("compare", tmp_path / "gat.json", tmp_path / "bert-edges.json", "--by", "k")
    several = report(*words).stdout
    assert "13 clauses, 3 + 3 seeds" in " ".join(several.split())
    assert "trained models" not in several
    one = report("compare", tmp_path / "rules.json", tmp_path / "ends-only.json").stdout
    assert "these trained models are compared, not their architectures" in " ".join(one.split())
