"""What is compiled, and that the code under test is the one that was asked for.

`make test` runs the tests of compiled modules twice: in the checkout, and compiled.
"""

import os
import tomllib
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import pytest

SETTINGS = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())
MODULES = SETTINGS["tool"]["relsmith"]["compiled"]
ASKED_FOR = Path(os.environ.get("PYTHONPATH", "")).name == "compiled"


@pytest.mark.parametrize("module", MODULES)
def test_modules_are_compiled_where_that_is_asked_for_and_only_there(module: str) -> None:
    spec = find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    assert Path(spec.origin).suffix == (".so" if ASKED_FOR else ".py")


def test_the_version_says_so(gen) -> None:
    how = "compiled" if ASKED_FOR else "plain Python"
    assert gen("--version").stdout == f"relsmith {version('relsmith')} ({how})\n"


def test_wheels_are_compiled_with_the_mypy_that_the_tests_have() -> None:
    (needed,) = (line for line in SETTINGS["build-system"]["requires"] if line.startswith("mypy"))
    assert needed.partition(";")[0] == f"mypy[mypyc]=={version('mypy')}"
