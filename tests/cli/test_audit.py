"""`gen audit` on the command line: tables, JSON, the verdict on each row, and exit codes."""

import json
from pathlib import Path

import pytest

ROWS = [
    ("above", "entailed"),
    ("below", "contradicted"),
    ("near", "unreadable"),
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    question = "What is the relation of the agent A to the agent B?"
    rows = [{"story": ["A is above B."], "question": question, "label": label} for label, _ in ROWS]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_the_table_has_verdicts_causes_and_examples(gen, file: Path) -> None:
    run = gen("audit", "rows.jsonl", COLUMNS="140")
    assert run.returncode == 0
    for text in (
        "1 (33.3 %)",
        "contradicted: it holds in the other direction: 1 (33.3 %)",
        "    rows.jsonl, row 2: A is above B. What is the relation of the agent A to the agent B? "
        "-> below (entailed: above)",
        "unreadable: the question is not understood: 1 (33.3 %)",
    ):
        assert text in run.stdout
    assert "row 2" not in gen("audit", "rows.jsonl", "--examples", "0").stdout
    assert gen("audit", "rows.jsonl", "-q").stdout == ""


def test_json_and_rows(gen, file: Path, tmp_path: Path) -> None:
    options = ("audit", "rows.jsonl", "rows.jsonl", "--rows", "verdicts.jsonl")
    first, second = json.loads(gen(*options, "--json").stdout)
    assert first == second
    assert (first["file"], first["format"], first["rows"]) == ("rows.jsonl", "stepgame", 3)
    assert {verdict: first[verdict] for _, verdict in ROWS} == dict.fromkeys(dict(ROWS).values(), 1)
    saved = [json.loads(line) for line in (tmp_path / "verdicts.jsonl").read_text().splitlines()]
    assert [(row["file"], row["row"], row["answer"], row["verdict"]) for row in saved] == [
        ("rows.jsonl", number, *row) for number, row in enumerate(ROWS, 1)
    ] * 2
    run = gen(*options)
    assert run.returncode == 2
    assert "verdicts.jsonl" in run.stderr
    assert gen(*options, "--force").returncode == 0


def test_files_are_checked_before_any_is_audited(gen, file: Path, tmp_path: Path) -> None:
    (tmp_path / "other.txt").write_text("hello\n")
    run = gen("audit", "rows.jsonl", "other.txt")
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.count("\n") == 1
