"""`gen templates` as a user runs it."""

import json

import pytest


@pytest.mark.slow
def test_stats_for_people_and_programs(gen):
    run = gen("templates", "stats", "--world", "spatial")
    assert run.returncode == 0, run.stderr
    assert "distinct words" in run.stdout
    found = json.loads(gen("templates", "stats", "--world", "spatial", "--json").stdout)
    assert found["frames"] >= 60 and found["words_only"]["bigrams"] > 0


def test_preview(gen):
    words = ("templates", "preview", "--relation", "aunt", "-n", 4, "--facts", 1)
    run = gen(*words)
    lines = run.stdout.splitlines()
    assert len(lines) == 4, run.stderr
    assert all(line.split(": ")[0].rpartition("-")[2].isdigit() for line in lines)
    assert (
        gen("templates", "preview", "--relation", "aunt", "-n", 4, "--facts", 1).stdout
        == run.stdout
    )


def test_mistakes_are_one_line(gen):
    run = gen("templates", "preview", "--relation", "cousin")
    assert run.returncode == 2
    assert run.stderr.startswith("gen: no relation is called 'cousin'")
    assert run.stderr.count("\n") == 1
    run = gen("templates", "stats", "--world", "moon")
    assert run.returncode == 2
    assert "no world is called 'moon'" in run.stderr


def test_lint(gen):
    run = gen("templates", "lint", "--world", "work")
    assert run.returncode == 0
    assert "0 finding(s)" in run.stdout
    assert json.loads(gen("templates", "lint", "--world", "spatial", "--json").stdout) == []


@pytest.mark.slow
def test_lint_takes_kinship_where_no_world_is_named(gen):
    run = gen("templates", "lint")
    assert run.returncode == 0
    assert "kinship" in run.stdout
    assert "0 finding(s)" in run.stdout


def test_a_file_of_paraphrases_is_a_bank(gen, tmp_path):
    good = {"aunt": {"male-female": ["ENT_0_male hid from his aunt ENT_1_female in the shed."]}}
    (tmp_path / "mine.json").write_text(json.dumps(good))
    words = ("--paraphrases", "mine.json")
    shown = gen("templates", "preview", *words, "--relation", "aunt").stdout
    assert shown.startswith("aunt-mf-")
    assert "hid from his aunt" in shown
    assert "mine.json: 1 frames, 0 finding(s)" in gen("templates", "lint", *words).stdout
    counted = gen("templates", "stats", *words, "--every", 1000).stdout
    assert "frames                 1\n" in counted
    assert "not stated             son of a male person, " in counted
    assert "distinct words" in counted
    told = gen("templates", "stats", *words, "--every", 1000, "--json").stdout
    assert json.loads(told)["frames"] == 1 and "words_only" in json.loads(told)
    (tmp_path / "bad.json").write_text(json.dumps({"ant": {}, "bee": {}}))
    run = gen("templates", "lint", "--paraphrases", "bad.json")
    assert run.returncode == 2
    assert run.stderr.startswith("gen: bad.json: 'ant': expected one to 3 of ")
    assert run.stderr.count("\n") == 2
