"""Fixtures for core; `importable/` is on the path for worker processes."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from relsmith import Dataset, Generator

from ..conftest import QUESTIONS, question_generator

IMPORTABLE = Path(__file__).parent / "importable"
sys.path.insert(0, str(IMPORTABLE))


@pytest.fixture
def python() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run Python code in a new process with these arguments."""

    def run(code: str, *words: object, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", code, *map(str, words)],
            env=os.environ | {"PYTHONPATH": python_path()} | environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return run


def python_path() -> str:
    return os.pathsep.join(filter(None, [str(IMPORTABLE), os.environ.get("PYTHONPATH")]))


def _kinds() -> list[Any]:
    """Return all question types; repeated ones are in the slow tier."""
    seen: set[str] = {"choice"}  # its words come from WordNet, which takes seconds to load
    params = []
    for name in QUESTIONS:
        kind = name.partition(",")[0]
        params.append(pytest.param(name, marks=pytest.mark.slow if kind in seen else ()))
        seen.add(kind)
    return params


@pytest.fixture(params=_kinds())
def kind_of_question(request: pytest.FixtureRequest, candidates: Path) -> tuple[str, Generator]:
    """Return the name of a question and its generator; the quick tier has one of each type."""
    return request.param, question_generator(request.param, candidates)


@pytest.fixture
def contents() -> Callable[[Path], dict[str, bytes]]:
    """Return the bytes of every file in a folder."""

    def read(folder: Path) -> dict[str, bytes]:
        return {
            str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }

    return read


@pytest.fixture
def joined() -> Callable[[Path], bytes]:
    """Return the joined bytes of a dataset's shards."""

    def join(folder: Path) -> bytes:
        return b"".join(
            (folder / file.name).read_bytes() for file in Dataset(folder).manifest.files
        )

    return join
