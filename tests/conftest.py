"""What tests at every level share: the command as a user runs it, and the cases of Hypothesis.

A commit that was green stays green: properties are tried on the same cases each time. `make search`
tries them on new ones.
"""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("search", deadline=None)
settings.register_profile("same", deadline=None, derandomize=True)
settings.load_profile("same")

ROOT = Path(__file__).parents[1]
GEN = str(Path(sys.executable).with_name("gen"))

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def root() -> Path:
    return ROOT


@pytest.fixture
def gen(tmp_path: Path) -> Run:
    """Run `gen` in an empty folder."""

    def run(*words: object, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [GEN, *map(str, words)],
            cwd=tmp_path,
            env={**os.environ, "COLUMNS": "100", "TERM": "dumb", **environment},
            capture_output=True,
            text=True,
            check=False,
        )

    return run
