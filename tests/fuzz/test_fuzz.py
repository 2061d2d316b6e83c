"""The fuzzer with a fixed seed, in the slow tier."""

import subprocess
import sys
from pathlib import Path

import pytest

from relsmith.testing.profile import scaled


def fuzz(folder: Path, *numbers: int) -> None:
    script = Path(__file__).with_name("fuzz.py")
    command = [sys.executable, script, folder, *map(str, numbers)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.slow
def test_corrupted_files_and_command_lines_are_handled(tmp_path: Path) -> None:
    fuzz(tmp_path, scaled(1000), scaled(300), 1)
