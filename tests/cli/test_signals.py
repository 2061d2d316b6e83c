"""Signals give one line and their exit code: in imports, in work, and in uninterruptible code."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

GEN = str(Path(sys.executable).with_name("gen"))
SIGNALS = pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])

DURING_AN_IMPORT = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
module, number, *words = sys.argv[1:]

def hook(event, arguments):
    if event == "import" and arguments[0] == module:
        os.kill(os.getpid(), int(number))

sys.addaudithook(hook)
from relsmith.cli.entry import main
sys.argv = ["gen", *words]
main()
"""
WHILE_NOTHING_MAY_BE_RAISED = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
from relsmith.cli import entry, main

class Deaf:
    def __del__(self):
        os.kill(os.getpid(), int(sys.argv[1]))

def run():
    Deaf()
    for _ in range(600):  # a signal that comes right before a sleep begins does not end it
        time.sleep(0.1)

main.main = run
entry.main()
"""


def python(source: str, *words: object, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", source, *map(str, words)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=50,
    )


def check(run: "subprocess.CompletedProcess[str]", number: int) -> None:
    assert run.stderr.startswith("gen: interrupted"), run.stderr
    assert run.stderr.count("\n") == 1, run.stderr
    assert run.returncode == 128 + number


@pytest.mark.parametrize(
    ("module", "number"),
    [
        # The two signals alternately; the other one in the slow tier.
        pytest.param(module, number, marks=[pytest.mark.slow] * ((at + turn) % 2))
        for at, module in enumerate(["typer", "relsmith.cli.write", "pydantic", "rich.table"])
        for turn, number in enumerate([signal.SIGINT, signal.SIGTERM])
    ],
)
def test_interrupt_while_importing(tmp_path: Path, module: str, number: int) -> None:
    words = (module, number, "comparatives", "--rows", 10, "--out", "out")
    if module == "rich.table":
        words = (module, number, "list")
    check(python(DURING_AN_IMPORT, *words, folder=tmp_path), number)
    assert list(tmp_path.iterdir()) == []


@SIGNALS
def test_interrupt_where_exceptions_are_swallowed(tmp_path: Path, number: int) -> None:
    check(python(WHILE_NOTHING_MAY_BE_RAISED, number, folder=tmp_path), number)


@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)]
)
def test_interrupt_while_workers_write(tmp_path: Path, number: int) -> None:
    words = [GEN, "comparatives", "--rows", "300000", "--shards", "30", "--workers", "2"]
    # In the background of a script it would rightly ignore SIGINT.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with subprocess.Popen(
        [*words, "--out", tmp_path / "out", "--quiet"],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as run:
        patience = time.monotonic() + 60
        while not list(tmp_path.glob("out/.unfinished/*.jsonl.*.tmp")):
            assert time.monotonic() < patience, "nothing was begun in a minute"
            time.sleep(0.01)
        subprocess.run(["kill", f"-{number.value}", "--", f"-{run.pid}"], check=True)
        _, said = run.communicate(timeout=60)
    check(subprocess.CompletedProcess([], run.returncode, "", said), number)
    left = {path.name for path in (tmp_path / "out" / ".unfinished").iterdir()}
    assert "request.json" in left
    assert ".lock" not in left
