"""`gen run` from the command line: suites are written, kept, refused and repaired."""

import json
import re
import shlex
from pathlib import Path

import pytest

SUITE = """
name: pair
summary: Two of them.
datasets:
  short:
    generator: comparatives
    options: {people: 3..4, dimensions: [age, luck], ask: most}
    split: train=30,test=9
  long:
    generator: comparatives
    options: {people: 6}
    rows: 20
    seed: 5
    format: jsonl.gz
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    (tmp_path / "suite.yaml").write_text(SUITE)
    return tmp_path / "suite.yaml"


def test_a_suite_is_written_and_verified_with_a_card(gen, suite: Path, tmp_path: Path) -> None:
    run = gen("run", "suite.yaml", "--out", "made", "--workers", 1)
    assert run.returncode == 0, run.stderr
    assert "made/short: train 30, test 9 rows, made and verified" in run.stdout
    listed = json.loads((tmp_path / "made" / "suite.json").read_text())["datasets"]
    assert [(entry["name"], entry["splits"], entry["verified"]) for entry in listed] == [
        ("short", {"train": 30, "test": 9}, True),
        ("long", {"train": 20}, True),
    ]
    card = (tmp_path / "made" / "README.md").read_text()
    assert all(entry["sha256"] in card for entry in listed)
    assert "path: long/train-*.jsonl.gz" in card
    for command in re.findall(r"^gen .*$", card, re.MULTILINE):
        words = shlex.split(command)[1:]
        assert gen(*words).returncode == 0, command
        again = json.loads((tmp_path / words[-1] / "manifest.json").read_text())
        assert again == json.loads((tmp_path / "made" / words[-1] / "manifest.json").read_text())


def test_finished_datasets_are_kept_and_missing_ones_made(gen, suite, tmp_path: Path) -> None:
    first = gen("run", "suite.yaml", "--out", "made", "--no-verify", "--quiet")
    assert (first.returncode, first.stdout) == (0, "")
    made = {path: path.read_bytes() for path in (tmp_path / "made").rglob("*") if path.is_file()}
    times = {path: path.stat().st_mtime_ns for path in made if "short" in path.parts}
    for path in (tmp_path / "made" / "long").iterdir():
        path.unlink()
    (tmp_path / "made" / "suite.json").unlink()
    (tmp_path / "made" / "README.md").unlink()
    again = gen("run", "suite.yaml", "--out", "made", "--no-verify", "--json")
    assert json.loads(again.stdout)["datasets"] == {"short": "kept", "long": "made"}
    assert made == {path: path.read_bytes() for path in made}
    assert times == {path: path.stat().st_mtime_ns for path in times}
    checked = gen("run", "suite.yaml", "--out", "made")
    assert "made/long: train 20 rows, kept and verified" in checked.stdout
    entries = json.loads((tmp_path / "made" / "suite.json").read_text())["datasets"]
    assert all(entry["verified"] for entry in entries)


def test_changed_datasets_are_remade_only_by_force(gen, suite: Path, tmp_path: Path) -> None:
    gen("run", "suite.yaml", "--out", "made", "--no-verify")
    suite.write_text(SUITE.replace("seed: 5", "seed: 6"))
    refused = gen("run", "suite.yaml", "--out", "made")
    assert refused.returncode == 2
    assert refused.stderr == (
        "gen: made/long exists, but differs from the suite; pass --force to make it "
        "again or choose another --out\n"
    )
    forced = gen("run", "suite.yaml", "--out", "made", "--force", "--json")
    assert json.loads(forced.stdout)["datasets"] == {"short": "kept", "long": "made"}
    shard = tmp_path / "made" / "short" / "test-00000-of-00001.jsonl"
    shard.write_text(shard.read_text().replace(" than ", " then "))
    assert "made/short exists, but differs" in gen("run", "suite.yaml", "--out", "made").stderr


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "rows: 20",
            "row: 20",
            "suite.yaml:12: datasets.long.row: no such field; did you mean 'ro",
        ),
        (
            "  long:",
            "  ../long:",
            "expected a name of lower-case letters, digits, _ and - for a folder",
        ),
        ("name: pair", "name: /tmp/x", "suite.yaml:2: name: expected a name of lower-case letters"),
        ("rows: 20", "rows: 0", "datasets.long.rows: expected 1 or more, but got 0"),
        ("jsonl.gz", "jsonl.zip", "did you mean 'jsonl.gz'?"),
        ("people: 6}", "peple: 6}", "long: comparatives: peple: no such field; did you mean 'peop"),
        ("ask: most", "ask: mots", "short: comparatives: ask: expected 'most', 'least' or 'both'"),
        ("seed: 5", "seed: !!python/object:os.system 5", "put it in quotes"),
        ("generator: comparatives", "generator: comparativs", "did you mean 'comparatives'?"),
        ("split: train=30,test=9", "split: train", "short: --split: expected name=rows"),
        (
            "people: 6}\n    rows: 20",
            "people: 3, dimensions: age, ask: most}\n    rows: 999999",
            "can make",
        ),
        ("datasets:", "datasets: {}\nothers:", "datasets: expected 1 or more"),
    ],
)
def test_mistakes_name_the_line_before_anything_is_written(gen, suite, tmp_path, old, new, said):
    suite.write_text(SUITE.replace(old, new))
    run = gen("run", "suite.yaml", "--out", "made")
    assert run.returncode == 2
    assert said in run.stderr
    assert "Traceback" not in run.stderr
    assert not (tmp_path / "made").exists()


def test_a_foreign_folder_is_kept(gen, suite: Path, tmp_path: Path) -> None:
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / "README.md").write_text("keep me")
    run = gen("run", "suite.yaml", "--out", "made", "--force")
    assert run.returncode == 2
    assert "--force does not replace it" in run.stderr
    assert [path.name for path in (tmp_path / "made").iterdir()] == ["README.md"]
    assert "cannot read 'none.yaml': No such file" in gen("run", "none.yaml").stderr


@pytest.mark.slow  # every dataset of the example at its full size
def test_the_page_works_as_written(gen, root: Path, tmp_path: Path) -> None:
    page = (root / "docs" / "suites.md").read_text()
    (example,) = re.findall(r"^```yaml\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert example == (root / "examples" / "suite.yaml").read_text()
    (tmp_path / "examples").mkdir()
    (tmp_path / "examples" / "suite.yaml").write_text(example)
    (shell,) = re.findall(r"^```sh\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    for line in shell.splitlines():
        run = gen(*line.partition("#")[0].split()[1:])
        assert run.returncode == 0, f"{line}\n{run.stderr}"
