"""`gen templates` from the command line."""

import json

import pytest


def test_mistakes_are_one_line(gen):
    run = gen("templates", "lint", "--world", "moon")
    assert run.returncode == 2
    assert "no world is called 'moon'" in run.stderr
    assert run.stderr.count("\n") == 1


def test_lint(gen):
    run = gen("templates", "lint", "--world", "work")
    assert run.returncode == 0
    assert "0 finding(s)" in run.stdout
    assert json.loads(gen("templates", "lint", "--world", "spatial", "--json").stdout) == []


@pytest.mark.slow
def test_lint_defaults_to_kinship(gen):
    run = gen("templates", "lint")
    assert run.returncode == 0
    assert "kinship" in run.stdout
    assert "0 finding(s)" in run.stdout


def test_a_file_of_paraphrases_is_a_bank(gen, tmp_path):
    good = {"aunt": {"male-female": ["ENT_0_male hid from his aunt ENT_1_female in the shed."]}}
    (tmp_path / "mine.json").write_text(json.dumps(good))
    words = ("--paraphrases", "mine.json")
    assert "mine.json: 1 frames, 0 finding(s)" in gen("templates", "lint", *words).stdout
    (tmp_path / "bad.json").write_text(json.dumps({"ant": {}, "bee": {}}))
    run = gen("templates", "lint", "--paraphrases", "bad.json")
    assert run.returncode == 2
    assert run.stderr.startswith("gen: bad.json: 'ant': expected one to 3 of ")
    assert run.stderr.count("\n") == 2
