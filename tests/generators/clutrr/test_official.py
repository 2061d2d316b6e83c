"""Reading official files: made-up rows in both layouts, and every way to be wrong."""

import csv

import pytest

from relsmith.errors import InvalidOption
from relsmith.generators.clutrr.official import read

ROW = {
    "": "0",
    "id": "one",
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
def test_complains_with_file_and_row(tmp_path, column, cell, complaint):
    path = written(tmp_path / "bad.csv", ROW, ROW | {column: cell})
    with pytest.raises(InvalidOption) as error:
        list(read(path))
    assert complaint in str(error.value)
    assert "bad.csv, row 2" in str(error.value)
    assert "\n" not in str(error.value)


def test_complains_of_files_that_are_not_official(tmp_path):
    with pytest.raises(InvalidOption, match=r"none\.csv.*give"):
        list(read(tmp_path / "none.csv"))
    with pytest.raises(InvalidOption, match="no column 'genders'"):
        list(read(written(tmp_path / "a.csv", {k: v for k, v in ROW.items() if k != "genders"})))
    (tmp_path / "b.csv").write_text(",".join(ROW) + "\n1,2\n", encoding="utf-8")
    with pytest.raises(InvalidOption, match="not as many cells"):
        list(read(tmp_path / "b.csv"))
    (tmp_path / "c.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidOption, match=r"c\.csv"):
        list(read(tmp_path / "c.csv"))
