"""`gen report paper`: the list of reports, and one-line errors."""

import json

from relsmith.evaluation.papers.reports import REPORTS


def test_without_a_name_all_are_listed(gen) -> None:
    listed = gen("report", "paper").stdout
    assert all(f" {name} " in listed for name in REPORTS)
    told = json.loads(gen("report", "paper", "--json").stdout)
    assert [report["name"] for report in told] == list(REPORTS)
    assert all(report["summary"] for report in told)
    (frequency,) = (report for report in told if report["name"] == "analogy-frequency")
    assert set(frequency["options"]) == {"data", "probe"}


def test_mistakes_are_one_line(gen) -> None:
    for words, said in [
        (["generalisation", "results"], "did you mean 'generalization'?"),
        (["generalization"], "generalization: give files or folders with results"),
        (["generalization", "results"], "results"),
        (["generalization", "results", "--set", "k=2"], "generalization: k"),
        (["analogy-frequency", "results"], "analogy-frequency: data"),
        (["analogy-relations", "results", "--set", "setting"], "--set: expected NAME=VALUE"),
        (["cloze-alignments", "results", "--set", "rows=x"], "cloze-alignments: rows"),
    ]:
        run = gen("report", "paper", *words)
        assert run.returncode == 2, words
        assert said in run.stderr, run.stderr
        assert run.stderr.count("\n") == 1, run.stderr
