"""The scripts and the notebook run on few rows."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from relsmith import make, write

EXAMPLES = Path(__file__).parents[2] / "examples"
SCRIPTS = {
    "make_benchmark": (["200"], "train 200, test 20 rows"),
    "own_generator": ([], "walk is conformant"),
    "own_world": ([], "unsound: left . right -> left"),
    "train_forever": (["5"], "step 5: loss"),
    "verify_data": ([], "target is 'aunt', but the facts have it entailed"),
}

MARKS = {
    "make_benchmark": [pytest.mark.slow],
    "train_forever": [pytest.mark.torch, pytest.mark.slow],
    "own_generator": [pytest.mark.slow],
}


def run(folder: Path, *words: object) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", *map(str, words)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_script_is_run() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.py")} == set(SCRIPTS)


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=MARKS.get(name, [])) for name in SCRIPTS],
)
def test_a_script_prints_what_it_promises(name: str, tmp_path: Path) -> None:
    words, said = SCRIPTS[name]
    assert said in run(tmp_path, EXAMPLES / f"{name}.py", *words)


@pytest.mark.slow
def test_data_of_others_can_be_named(tmp_path: Path) -> None:
    write(make("clutrr"), tmp_path / "mine", {"train": 20, "test": 5})
    assert run(tmp_path, EXAMPLES / "verify_data.py", "mine") == "mine: no problem(s)\n"


@pytest.mark.slow
def test_the_notebook_runs_from_top_to_bottom(tmp_path: Path) -> None:
    cells = json.loads((EXAMPLES / "tour.ipynb").read_text("utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert len(code) >= 5
    (tmp_path / "tour.py").write_text("\n".join(code))
    assert "related to" in run(tmp_path, "tour.py")


def test_the_notebook_has_no_output() -> None:
    cells = json.loads((EXAMPLES / "tour.ipynb").read_text("utf-8"))["cells"]
    assert not [cell for cell in cells if cell.get("outputs") or cell.get("execution_count")]
