"""`gen export` from the command line."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest


def test_forms_are_listed_without_a_name(gen) -> None:
    gen("comparatives", "--rows", 5, "--out", "data")
    listed = gen("export", "data")
    assert listed.returncode == 0
    assert "csv" in listed.stdout
    assert "clutrr-csv" not in listed.stdout
    assert "csv" in [form["name"] for form in json.loads(gen("export", "data", "--json").stdout)]


def test_exports_beside_the_dataset(gen, tmp_path: Path) -> None:
    gen("comparatives", "--rows", 5, "--out", "data")
    done = gen("export", "data", "--to", "csv")
    assert done.stdout.startswith("data-csv: 1 file, ")
    assert (tmp_path / "data-csv" / "train.csv").exists()
    again = gen("export", "data", "--to", "csv")
    assert again.returncode == 2
    assert "gen: data-csv already exists; pass --force" in again.stderr
    forced = gen("export", "data", "--to", "csv", "--force", "--json")
    assert json.loads(forced.stdout) == ["data-csv/train.csv"]
    assert gen("export", "data", "--to", "csv", "--out", "x", "--quiet").stdout == ""
    assert gen("export", "data", "--to", "trl").stdout.endswith("; see data-trl/README.md\n")


def test_mistakes_are_one_line(gen) -> None:
    gen("comparatives", "--rows", 5, "--out", "data")
    for words, said in [
        (["nowhere"], "nowhere is not a finished dataset"),
        (
            ["data", "--to", "cvs"],
            "did you mean 'csv'? for rows of comparatives there are: chat",
        ),
        (["data", "--to", "../x"], "no exporter is called '../x'"),
        (["data", "--to", "csv", "--out", "/proc/x"], "cannot write /proc/x"),
    ]:
        run = gen("export", *words)
        assert run.returncode == 2
        assert said in run.stderr
        assert run.stderr.count("\n") == 1


@pytest.mark.slow
def test_the_guide_works_as_written(gen, root: Path, tmp_path: Path) -> None:
    page = (root / "docs" / "export.md").read_text()
    shell = "\n".join(re.findall(r"^```sh\n(.*?)^```$", page, re.DOTALL | re.MULTILINE))
    for line in filter(None, shell.splitlines()):
        first, *words = shlex.split(line, comments=True)
        assert first == "gen"
        matching = [sorted(tmp_path.glob(word)) if "*" in word else [word] for word in words]
        run = gen(*(name for names in matching for name in names))
        assert run.returncode == 0, f"{line}\n{run.stderr}"
    code = re.findall(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    subprocess.run([sys.executable, "-c", "\n".join(code)], cwd=tmp_path, check=True)
