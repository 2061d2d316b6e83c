"""Load test with a killed server: no acknowledged answer is lost."""

import subprocess
import sys
from pathlib import Path

import pytest


def bench(root: Path, *words: object) -> str:
    run = subprocess.run(
        [sys.executable, "bench/annotate.py", *map(str, words)],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "0 faults in the database" in run.stdout
    return run.stdout


@pytest.mark.slow
@pytest.mark.parametrize("database", ["", "postgresql"])
def test_nothing_is_lost_or_duplicated_under_load(root: Path, database: str) -> None:
    words = ["--annotators", 40, "--seconds", 6, "--pace", 1, "--rows", 300]
    bench(root, *words, *(["--database", database] if database else []))


@pytest.mark.slow
@pytest.mark.parametrize("database", ["", "postgresql"])
def test_acknowledged_answers_survive_a_killed_server(root: Path, database: str) -> None:
    words = ["--annotators", 30, "--kills", 4, "--pace", 0.5, "--rows", 300]
    said = bench(root, *words, *(["--database", database] if database else []))
    assert "killed 4 times" in said
