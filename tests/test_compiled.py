"""The compiled modules: which they are, that they can be compiled, and that tests use them.

`make test-all` runs these twice: in the checkout, and compiled.
"""

import ast
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())
MODULES = SETTINGS["tool"]["relsmith"]["compiled"]
EXHAUST = set("all any dict frozenset list max min next set sorted sum tuple Counter".split())
EXHAUST |= set("join fromkeys extend update".split())
"""Functions that consume a generator expression, or are compiled to a loop that may stop."""
ASKED_FOR = Path(os.environ.get("PYTHONPATH", "")).parent.name == "compiled"


@pytest.mark.parametrize("module", MODULES)
def test_modules_are_compiled_on_request_only(module: str) -> None:
    spec = find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    assert Path(spec.origin).suffix == (".so" if ASKED_FOR else ".py")


def test_the_version_names_the_build(gen) -> None:
    how = "compiled" if ASKED_FOR else "plain Python"
    assert gen("--version").stdout == f"relsmith {version('relsmith')} ({how})\n"


def test_wheels_are_compiled_with_the_mypy_that_the_tests_have() -> None:
    (needed,) = (line for line in SETTINGS["build-system"]["requires"] if line.startswith("mypy"))
    assert needed.partition(";")[0] == f"mypy[mypyc]=={version('mypy')}"


def _lazy(tree: ast.Module) -> Iterator[ast.GeneratorExp]:
    """Yield generator expressions that call something when consumed."""
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.GeneratorExp):
            parent = parents[node]
            called = getattr(parent, "func", None)
            at_once = (
                getattr(called, "id", getattr(called, "attr", None)) in EXHAUST
                or isinstance(parent, ast.Starred)
                or (isinstance(parent, ast.Assign) and isinstance(parent.targets[0], ast.Tuple))
            )
            calls = (part for part in ast.walk(node) if isinstance(part, ast.Call))
            if not at_once and any(ast.unparse(call.func) != "len" for call in calls):
                yield node


@pytest.mark.parametrize("module", MODULES)
def test_no_lazy_generator_expression_in_compiled_modules(module: str) -> None:
    # Compiled, it would be a list: its calls would be made at once, and draws would move.
    folder, _, rest = module.removeprefix("relsmith.").partition(".")
    home = ROOT / folder if rest else ROOT / "core"
    path = home / f"{(rest or folder).replace('.', '/')}.py"
    assert [node.lineno for node in _lazy(ast.parse(path.read_text()))] == []


_INTERRUPTED = """
import signal
from relsmith.seed import Permutation

class Stop(Exception):
    pass

def stop(*_):
    raise Stop

signal.signal(signal.SIGALRM, stop)
numbers, stops = Permutation(1_000_000, "interrupted"), 0
while stops < 300:
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.0005)
        for n in range(1_000_000):
            numbers[n]
    except Stop:
        stops += 1
"""


def test_a_signal_amid_large_numbers_is_no_crash() -> None:
    command = [sys.executable, "-c", _INTERRUPTED]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
