"""`gen triples` from the command line."""

import json
import re
import subprocess
import sys
from pathlib import Path

TABLE = "arg1\trelation\targ2\tcount\naspirin\trelieves\ta headache\t3\nbroken\n"


def test_build_and_query(gen, tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text(TABLE)
    (tmp_path / "b.csv").write_text("arg1,relation,arg2\nwillow bark,eases,headaches\n")
    built = gen("triples", "build", "a.tsv", "b.csv", "--out", "s")
    assert built.returncode == 0
    assert built.stdout.startswith("s: 2 triples about 3 arguments")
    assert "gen: a.tsv:3: another number of columns: 'broken'" in built.stderr
    asked = gen("triples", "query", "the headache", "--store", "s")
    assert asked.stdout.splitlines() == [
        "aspirin\trelieves\ta headache\t3",
        "willow bark\teases\theadaches\t1",
    ]
    most = gen("triples", "query", "headaches", "--store", "s", "--cap", 1, "--json").stdout
    assert json.loads(most) == {
        "arg1": "aspirin",
        "relation": "relieves",
        "arg2": "a headache",
        "count": 3,
    }


def test_queries_without_a_store_use_the_built_in_facts(gen) -> None:
    assert "headaches\tare relieved by\taspirin\t1\n" in gen("triples", "query", "headaches").stdout
    nothing = gen("triples", "query", "unicorns")
    assert nothing.returncode == 1
    assert nothing.stderr == "gen: no triple is about 'unicorns' (looked for 'unicorn')\n"


def test_mistakes_are_one_line(gen, tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text(TABLE)
    (tmp_path / "text").write_text("x")
    for words in (
        ("build", "nothing.tsv"),
        ("build", "text"),
        ("build", "a.tsv", "--format", "tvs"),
        ("build", "a.tsv", "--columns", "arg1"),
        ("build", "a.tsv", "--columns", "arg1=first"),
        ("build", "text", "--format", "csv"),
        ("query", "x", "--store", "text"),
        ("query", "x", "--store", "nothing"),
        ("query", "x", "--cap", "0"),
    ):
        run = gen("triples", *words)
        assert run.returncode == 2, words
        assert run.stderr.count("\n") == 1, run.stderr
        assert not run.stdout


def test_the_code_on_the_page_on_triples_runs(root: Path, tmp_path: Path) -> None:
    page = (root / "docs" / "triples.md").read_text()
    (code,) = re.findall(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
