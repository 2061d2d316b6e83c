"""Official files: synthetic rows in both layouts, every kind of error, and counts."""

import csv
from pathlib import Path

import pytest

from relsmith.errors import InvalidInput, InvalidOption, NotFound
from relsmith.generators.clutrr.output.audit import audit, rule_deriver
from relsmith.kb.worlds.kinship.official import read
from relsmith.kb.worlds.verdict import Status

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


def counts(tally):
    return [tally.verdicts[status] for status in Status]


@needs_files
def test_original_files():
    tallies = [tally for path in ORIGINAL for tally in audit(path)]
    assert {tally.k: counts(tally) for tally in tallies} == {
        2: [38, 0, 0, 0],
        3: [30, 45, 30, 0],
        4: [137, 44, 9, 0],
        5: [114, 55, 5, 0],
        6: [54, 49, 3, 1],
        7: [71, 64, 4, 5],
        8: [56, 86, 5, 3],
        9: [29, 81, 4, 5],
        10: [28, 81, 8, 2],
    }
    assert sum(tally.rows for tally in tallies) == 1146
    assert sum(tally.verdicts[Status.ENTAILED] for tally in tallies) == 557


@needs_files
def test_hugging_face_file():
    tallies = audit(HUGGING_FACE)
    assert sum(tally.rows for tally in tallies) == 447
    assert [sum(column) for column in zip(*map(counts, tallies), strict=True)] == [
        97,
        178,
        172,
        0,
    ]


@needs_files
def test_counts_what_rules_derive():
    rows = list(read(ORIGINAL[0]))
    targets = {(row.facts, row.query): row.target for row in rows}

    def derives(facts, query):
        return {targets[facts, query]} if query[0] < "M" else set()

    (tally,) = audit(ORIGINAL[0], derives)
    assert tally.derived == sum(row.query[0] < "M" for row in rows) != 0
    assert audit(ORIGINAL[0])[0].derived is None


@needs_files
def test_the_thesis_rules_derive_every_official_answer():
    thesis = rule_deriver("thesis")
    for path in [*ORIGINAL, HUGGING_FACE]:
        assert all(tally.derived == tally.rows for tally in audit(path, thesis))


def test_a_deriver_answers_only_for_the_ends_of_one_chain():
    derives = rule_deriver("sound")
    chain = [("Ann", "son", "Bob"), ("Bob", "sister", "Cleo")]
    assert derives(chain, ("Ann", "Cleo")) == {"daughter"}
    assert derives(chain, ("Cleo", "Ann")) == set()
    assert derives([chain[1], chain[0]], ("Ann", "Cleo")) == set()
