"""`gen triples` from the command line."""

import gzip
import json
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from relsmith.testing.profile import scaled

TABLE = "arg1\trelation\targ2\tcount\naspirin\trelieves\ta headache\t3\nbroken\n"
GEN = Path(sys.executable).with_name("gen")


@pytest.mark.parametrize("second", ["b.csv", pytest.param("b.txt", marks=pytest.mark.slow)])
def test_build_info_query(gen, tmp_path: Path, second: str) -> None:
    """Build a store from two files; the second is text, whose parser takes seconds to load."""
    (tmp_path / "a.tsv").write_text(TABLE)
    (tmp_path / "b.csv").write_text("arg1,relation,arg2\nwillow bark,eases,headaches\n")
    (tmp_path / "b.txt").write_text("Willow bark eases headaches.\n")
    built = gen("triples", "build", "a.tsv", second, "--out", "s")
    assert built.returncode == 0
    assert built.stdout.startswith("s: 2 triples about 3 arguments")
    assert "gen: a.tsv:3: another number of columns: 'broken'" in built.stderr
    told = gen("triples", "info", "s").stdout
    assert "from a.tsv (tsv, 3 lines; skipped: 1 x another number of columns)" in told
    meta = json.loads(gen("triples", "info", "s", "--json").stdout)
    assert (meta["size"], meta["arguments"]) == (2, 3)
    assert meta["digest"] in told
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
    assert "relsmith's own facts" in gen("triples", "info").stdout
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
        ("build", "text", "--format", "parquet"),
        ("info", "text"),
        ("query", "x", "--store", "nothing"),
        ("query", "x", "--cap", "0"),
    ):
        run = gen("triples", *words)
        assert run.returncode == 2, words
        assert run.stderr.count("\n") == 1, run.stderr
        assert not run.stdout


@pytest.mark.slow
def test_a_missing_pipeline_is_named(gen, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("x")
    run = gen("triples", "build", "text", "--format", "text", "--pipeline", "nothing")
    assert run.returncode == 2
    assert run.stderr.count("\n") == 1, run.stderr
    assert not run.stdout


@pytest.mark.slow
def test_a_killed_build_resumes(gen, tmp_path: Path) -> None:
    line = "dogs\teat\tmeat{0}\n"
    size = scaled(40_000, least=10_000)
    for part in range(4):
        lines = "".join(line.format(part * size + n) for n in range(size))
        packed = gzip.compress(f"arg1\trelation\targ2\n{lines}".encode(), 1)
        (tmp_path / f"{part}.tsv.gz").write_bytes(packed)
    words = ["triples", "build", *(f"{n}.tsv.gz" for n in range(4)), "--out", "s"]
    with subprocess.Popen([GEN, *words, "--workers", "1"], cwd=tmp_path) as run:
        while run.poll() is None and not list(tmp_path.glob("s.unfinished/part-*.json")):
            time.sleep(0.01)
        run.kill()
    assert not (tmp_path / "s").exists()
    read = {path.name for path in tmp_path.glob("s.unfinished/part-*.json")}
    assert read
    other = gen("triples", "build", "0.tsv.gz", "--out", "s")
    assert other.returncode == 2
    assert "unfinished store of other files" in other.stderr
    again = gen(*words)
    assert again.returncode == 0, again.stderr
    assert again.stdout.startswith(f"s: {4 * size:,} triples")
    whole = gen(*words[:-1], "t")
    assert (tmp_path / "s").read_bytes() == (tmp_path / "t").read_bytes()
    assert whole.returncode == 0


def test_the_page_on_triples_has_the_digest_of_the_parser(root: Path) -> None:
    page = (root / "docs" / "triples.md").read_text()
    (digest,) = re.findall(r"sha256:([0-9a-f]{64})", page)
    assert digest in (root / "constraints.txt").read_text()


@pytest.mark.slow
def test_the_page_on_triples_has_the_real_counts(root: Path, tmp_path: Path) -> None:
    from relsmith.kb.triples.extraction import extract
    from relsmith.kb.triples.text import PIPELINE, _tokens, load_pipeline

    page = (root / "docs" / "triples.md").read_text()
    (code,) = re.findall(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    rows = re.findall(r"^\| ([A-Z].*\.) \| (.*) \|$", page, re.MULTILINE)
    assert len(rows) >= 8
    for sentence, wanted in rows:
        found = [", ".join(said) for said in extract(_tokens(load_pipeline(PIPELINE)(sentence)))]
        assert "; ".join(found).lower() == wanted.lower()
