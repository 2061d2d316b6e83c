"""`gen relations`: list, show."""

import json
from pathlib import Path


def test_shipped_relations_are_listed_with_their_source(gen) -> None:
    found = json.loads(gen("relations", "list", "--json").stdout)
    groups = {"inflectional", "derivational", "encyclopedic", "lexicographic"}
    assert {one["group"] for one in found} == groups
    assert all(bool(one["closed"]) != bool(one["open"]) for one in found)
    assert all(one["source"] and one["licence"] for one in found)
    assert f"{len(found)} relations" in gen("relations", "list").stdout


def test_bracketed_names_are_shown_in_full(gen, tmp_path: Path) -> None:
    (tmp_path / "I01 [noun - plural].txt").write_text("cat\tcats\ndog\tdogs\n")
    assert "I01 [noun - plural]" in gen("relations", "list", ".").stdout


def test_show_finds_a_relation_by_part_of_its_name(gen) -> None:
    run = gen("relations", "show", "animal - young")
    assert "sheep\tlamb\n" in run.stdout
    assert "written for relsmith" in run.stderr
    several = gen("relations", "show", "animal")
    assert several.returncode == 2
    assert "several relations match 'animal'" in several.stderr
    none = gen("relations", "show", "anmal - young")
    assert none.returncode == 2
    assert "animal - young" in none.stderr


def test_notes_and_errors_are_those_of_the_file(gen, tmp_path: Path) -> None:
    (tmp_path / "good.txt").write_bytes(b"a\tu/\r\nb\tv\r\nc\tw\r\nd\tx\r\n")
    (good,) = json.loads(gen("relations", "list", "good.txt", "--json").stdout)
    assert "lines end in CRLF" in good["notes"]
    (tmp_path / "bad.txt").write_text("a u\n")
    bad = gen("relations", "list", "bad.txt")
    assert bad.returncode == 2
    assert bad.stderr == "gen: bad.txt:1: expected head TAB tail/tail/..., but got 'a u'\n"
