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
