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
def test_nothing_is_lost_or_duplicated_under_load(root: Path) -> None:
    words = ["--annotators", 40, "--seconds", 6, "--pace", 1, "--rows", 300]
    bench(root, *words)


@pytest.mark.slow
def test_acknowledged_answers_survive_a_killed_server(root: Path) -> None:
    words = ["--annotators", 30, "--kills", 4, "--pace", 0.5, "--rows", 300]
    said = bench(root, *words)
    assert "killed 4 times" in said
