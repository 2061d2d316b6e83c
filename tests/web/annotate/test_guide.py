"""The commands in docs/annotate.md work, with simulated annotators."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from relsmith import Dataset
from relsmith.errors import InvalidOption
from relsmith.web.annotate.answering import Accepted, submit_answer
from relsmith.web.annotate.assignment import Assignment, next_assignment
from relsmith.web.annotate.project import Project
from relsmith.web.server import FIRST_PORT, listen

from .conftest import Rows, filled, join

Run = Callable[..., subprocess.CompletedProcess[str]]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE)


def work(folder: Path, names: list[str]) -> None:
    """Answer all items of the invited people, correctly if the answer is known."""
    project = Project.open(folder)
    people = [join(project, name) for name in names]
    busy = set(people)
    while busy:
        for person in list(busy):
            sheet = next_assignment(project, person)
            if not isinstance(sheet, Assignment):
                busy.discard(person)
                continue
            answer = sheet.item.expected or filled(project.task, sheet.item, person)
            assert isinstance(submit_answer(project, person, sheet.token, answer), Accepted)
    project.database.close()


@pytest.mark.slow
def test_the_page_on_annotation_works_as_written(gen: Run, root: Path, tmp_path: Path) -> None:
    page = root / "docs" / "annotate.md"
    lines = [line for block in blocks(page, "sh") for line in block.splitlines()]
    assert len(lines) >= 16
    invited: dict[str, list[str]] = {}
    for line in lines:
        words = shlex.split(line)[1:]
        if words[:2] == ["annotate", "serve"]:
            work(tmp_path / words[2], invited[words[2]])
            continue
        if words[:2] == ["annotate", "invite"]:
            invited[words[2]] = [word for word in words[3:] if word.isalpha() and word.istitle()]
        run = gen(*words)
        assert run.returncode == 0, f"{line}\n{run.stdout}{run.stderr}"
    assert all(row.target in ("yes", "no") for row in Dataset(tmp_path / "pairs"))


def test_the_task_on_the_page_is_valid(
    root: Path, tmp_path: Path, rows: Callable[..., Path]
) -> None:
    (code,) = blocks(root / "docs" / "annotate.md", "python")
    (tmp_path / "clear.py").write_text(code)
    info = tmp_path / "clear-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: clear\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[relsmith.annotation_tasks]\nclear = clear:Clear\n")
    lines = f"""
from pathlib import Path
from relsmith.web.annotate.project import Project, ProjectOptions, create
assert create(Path("made"), ProjectOptions("clear", Path({str(rows("comparatives"))!r}))) == 10
project = Project.open(Path("made"))
assert project.settings.people == 2
project.database.close()
"""
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    subprocess.run([sys.executable, "-c", lines], cwd=tmp_path, env=environment, check=True)


def test_the_picture_exists(root: Path) -> None:
    assert 5_000 < (root / "docs" / "annotate-relinf.png").stat().st_size < 80_000


def test_links_have_the_port_that_serve_uses(gen: Run, rows: Rows) -> None:
    with ExitStack() as stack:
        with suppress(InvalidOption):  # somebody else has it, which is as good
            stack.enter_context(listen(port=FIRST_PORT))
        words = ("--task", "solve", "--from", rows("choices"))
        made = gen("annotate", "init", "project", *words, "--json")
        assert made.returncode == 0, made.stderr
    first = gen("annotate", "invite", "project", "Ann").stdout
    home = first.partition("\t")[2].partition("/a/")[0]
    assert home != f"http://127.0.0.1:{FIRST_PORT}"
    assert gen("annotate", "invite", "project", "Ann").stdout.startswith(f"Ann\t{home}/a/")
    port = int(home.rpartition(":")[2])
    with listen(port=port):
        taken = gen("annotate", "serve", "project")
    assert (taken.returncode, taken.stderr.count("\n")) == (2, 1)
    assert f"--port: cannot listen on {port}: " in taken.stderr
    with listen(port=0) as other:
        port = other.getsockname()[1]
    assert gen("annotate", "init", "other", *words, "--port", port).returncode == 0
    assert f"127.0.0.1:{port}/a/" in gen("annotate", "invite", "other", "Ann").stdout


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--port", 70_000), "--port: expected a number up to 65535, but got 70000"),
        (("--proxy", "nginx"), "--proxy: expected an address such as 127.0.0.1 or a network"),
    ],
)
def test_values_that_cannot_be_served_are_one_line(
    gen: Run, rows: Rows, words: tuple[object, ...], complaint: str
) -> None:
    made = gen("annotate", "init", "project", "--task", "solve", "--from", rows("choices"))
    assert made.returncode == 0
    run = gen("annotate", "serve", "project", *words)
    assert run.returncode == 2
    assert run.stderr.startswith(f"gen: {complaint}"), run.stderr
    assert run.stderr.count("\n") == 1
