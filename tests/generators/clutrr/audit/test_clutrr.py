"""Official files: synthetic rows in both layouts, every kind of error, and counts."""

import csv
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from relsmith.errors import InvalidInput, InvalidOption, NotFound
from relsmith.generators.clutrr.audit.report import Audit, audit
from relsmith.generators.clutrr.audit.settings import Settings
from relsmith.kb.worlds.kinship.official import read
from relsmith.kb.worlds.rules import RuleIndex
from relsmith.kb.worlds.verdict import Status
from relsmith.kb.worlds.world import find_world

FILES = Path(__file__).parents[4].parent / "shared" / "data" / "clutrr"
ORIGINAL = [FILES / f"1.{k}_test.csv" for k in range(2, 11)]
HUGGING_FACE = FILES / "hf" / "rob_train_sup_23_test_all_23.test.csv"

needs_files = pytest.mark.skipif(not FILES.exists(), reason="official CLUTRR files not here")

ROW = {
    "": "0",
    "id": "one",
    "story": "[Ann] and her son [Bo] met his son [Cy]. [Di] was there.",
    "query": "('Ann', 'Cy')",
    "target": "grandson",
    "task_name": "task_1.2",
    "story_edges": "[(0, 1), (1, 2), (0, 3)]",
    "edge_types": "['son', 'son']",
    "query_edge": "(0, 2)",
    "genders": "Ann:female,Bo:male,Cy:male,Di:female",
}


def written(path, *rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows(rows)
    return path


def test_reads_the_original_layout(tmp_path):
    (row,) = read(written(tmp_path / "a.csv", ROW))
    assert row.facts == (("Ann", "son", "Bo"), ("Bo", "son", "Cy"))
    assert (row.query, row.target, row.k) == (("Ann", "Cy"), "grandson", 2)
    assert row.genders["Di"] == "female"


def test_reads_the_hugging_face_layout(tmp_path):
    (row,) = read(written(tmp_path / "a.csv", ROW | {"target": "7", "target_text": "grandson"}))
    assert row.target == "grandson"


@pytest.mark.parametrize(
    ("column", "cell", "complaint"),
    [
        ("query", "Ann, Cy", "query is 'Ann, Cy'"),
        ("query", "__import__('os').getcwd()", "expected a Python literal"),
        ("query", "('Ann', 'Bo')", "list genders by node"),
        ("query", "('Ann',)", "expected a pair of str"),
        ("target", "cousin", "target holds 'cousin'"),
        ("edge_types", "['son', 'pal']", "edge_types holds 'pal'"),
        ("edge_types", "['son'] * 4", "expected a Python literal"),
        ("edge_types", "['son', 'son', 'son', 'son']", "4 edge_types, 3 story_edges"),
        ("story_edges", "{}", "expected a list"),
        ("story_edges", "[(0, 1), (1, 9)]", "node 9 has no name"),
        ("genders", "Ann:female,Bo", "genders holds 'Bo'"),
        ("genders", "Ann:female,Ann:female", "'Ann' twice"),
        ("task_name", "two", "task_name is 'two'"),
    ],
)
def test_errors_name_file_and_row(tmp_path, column, cell, complaint):
    path = written(tmp_path / "bad.csv", ROW, ROW | {column: cell})
    with pytest.raises(InvalidOption) as error:
        list(read(path))
    assert complaint in str(error.value)
    assert "bad.csv, row 2" in str(error.value)
    assert "\n" not in str(error.value)


def test_unofficial_files_are_refused(tmp_path):
    with pytest.raises(NotFound, match=r"none\.csv.*give"):
        list(read(tmp_path / "none.csv"))
    with pytest.raises(InvalidOption, match="no column 'genders'"):
        list(read(written(tmp_path / "a.csv", {k: v for k, v in ROW.items() if k != "genders"})))
    (tmp_path / "b.csv").write_text(",".join(ROW) + "\n1,2\n", encoding="utf-8")
    with pytest.raises(InvalidOption, match="not as many cells"):
        list(read(tmp_path / "b.csv"))
    (tmp_path / "c.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidInput, match=r"c\.csv:1: is not UTF-8"):
        list(read(tmp_path / "c.csv"))


def counts(found: Audit) -> dict[str, list[int]]:
    return {group: [row[status] for status in Status] for group, row in found.groups.items()}


def audited(*paths: Path, world: str = "") -> list[Audit]:
    every = [Audit(path.name, "clutrr") for path in paths]
    for path, found in zip(paths, every, strict=True):
        assert [share for share, _ in audit(found, path, Settings(world))][-1] > 0.9
    return every


@needs_files
def test_original_files():
    found = audited(*ORIGINAL)
    assert {group: row for each in found for group, row in counts(each).items()} == {
        "k = 2": [38, 0, 0, 0],
        "k = 3": [30, 45, 30, 0],
        "k = 4": [137, 44, 9, 0],
        "k = 5": [114, 55, 5, 0],
        "k = 6": [54, 49, 3, 1],
        "k = 7": [71, 64, 4, 5],
        "k = 8": [56, 86, 5, 3],
        "k = 9": [29, 81, 4, 5],
        "k = 10": [28, 81, 8, 2],
    }
    causes = sum((each.causes for each in found), Counter())
    assert {cause: count for (_, cause), count in causes.items()} == {
        "several answers are possible": 181,
        "it may be a relative by marriage instead": 172,
        "entailed if the spouses of uncles and aunts count as aunts and uncles": 152,
        "it is a relative by marriage instead": 65,
        "only other relations may hold": 3,
        "the facts contradict each other": 16,
    }


@needs_files
def test_hugging_face_file():
    (found,) = audited(HUGGING_FACE)
    assert [found.verdicts[status] for status in Status] == [97, 178, 172, 0]


@needs_files
def test_other_conventions():
    (found,) = audited(ORIGINAL[0], world="kinship-extended")
    assert found.verdicts[Status.ENTAILED] < 38 == found.verdicts.total()


def thesis_answers(facts, query):
    """Return the words that the rules of the thesis derive, for facts that are a chain."""
    world = find_world("kinship")
    assert all(before[2] == after[0] for before, after in pairwise(facts))
    assert (facts[0][0], facts[-1][2]) == query
    named = [world.meanings[word] for _, word, _ in facts]
    heads = RuleIndex.from_world(world, "thesis").derive([name for name, _ in named])
    return {world.predicates[head].word(named[-1][1]) for head in heads}


@needs_files
def test_the_thesis_rules_derive_every_official_answer():
    for path in [*ORIGINAL, HUGGING_FACE]:
        for row in read(path):
            assert row.target in thesis_answers(row.facts, row.query)
