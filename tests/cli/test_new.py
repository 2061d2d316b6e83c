"""Packages written by `gen new` install, work and pass their own tests unedited."""

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

Gen = Callable[..., subprocess.CompletedProcess[str]]
Row = Callable[..., list[subprocess.CompletedProcess[str]]]

GUIDES = {
    "docs/plugins.md": ["gen list"],
    "docs/worlds.md": ["gen clutrr --world day --rows 50 --out days", "gen verify days"],
}
"""Pages that begin with `gen new`, and the commands that must work then."""

# Dependencies are installed already; the package is kept out of the tests' environment.
PIP = "python -m pip install -q --no-deps --no-build-isolation --target site"


def run(folder: Path, lines: list[str]) -> str:
    """Return what the lines print in a shell; tests are quick, as for an author of a plugin."""
    script = "\n".join(["set -e", *lines]).replace("pip install -e relsmith", f"{PIP} ./relsmith")
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env=os.environ
        | {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(folder / "site"),
            "PYTEST_ADDOPTS": "-p no:cacheprovider",
            "RELSMITH_PROFILE": "quick",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def beginning(page: Path) -> list[str]:
    """Return the commands at the beginning of a page."""
    begins = re.search(r"(?ms)^```sh\n(gen new .*?)^```$", page.read_text())
    assert begins, page
    return [line.partition("#")[0].rstrip() for line in begins[1].splitlines()]


@pytest.mark.parametrize("page", GUIDES)
def test_new_package_works_when_installed(
    gen: Gen, in_a_row: Row, root: Path, tmp_path: Path, page: str
) -> None:
    """Write the metadata that pip would write, so that nothing has to be built."""
    new, *after = beginning(root / page)
    said = gen(*new.split()[1:])
    assert said.stdout.splitlines()[1:] == after[:3], "what to do next is not what the page says"
    package = tmp_path / f"relsmith-{new.split()[-1]}"
    project = tomllib.loads((package / "pyproject.toml").read_text())["project"]
    info = package / f"{project['name'].replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: 1.0\n"
    )
    lines = []
    for group, points in project["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in points.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
    makes = next(line for line in after + GUIDES[page] if "--rows" in line)
    makes = re.sub(r"--rows \d+", "--rows 12", makes)
    calls = [makes.split()[1:], ["verify", makes.split()[-1]], ["list"]]
    done = in_a_row(tmp_path, calls, PYTHONPATH=str(package), COLUMNS="200")
    assert [run.returncode for run in done] == [0, 0, 0], done
    assert done[1].stdout.endswith(": 12 rows in 1 file, no findings\n")
    assert f"{project['name']} 1.0" in done[2].stdout
    assert "BROKEN" not in done[2].stdout


@pytest.mark.slow
@pytest.mark.parametrize("page", GUIDES)
def test_new_package_installs_and_passes_its_own_tests(
    root: Path, tmp_path: Path, page: str
) -> None:
    lines = beginning(root / page)
    steps = [line.removesuffix(" pytest") for line in lines + GUIDES[page]]
    said = run(tmp_path, steps)
    assert said.splitlines()[1:4] == lines[1:4], "what to do next is not what the page says"
    assert re.search(r" \d+ passed in ", said)
    assert re.search(r": \d+ rows in 1 file, no findings$", said, re.MULTILINE)
    assert "BROKEN" not in said


def test_any_accepted_name_works(gen: Gen, tmp_path: Path) -> None:
    lines = ["from relsmith.registry import check_generator_class"]
    for name, class_name in {"my-thing2": "MyThing2", "none": "None"}.items():
        assert gen("new", "generator", name, "--out", name).returncode == 0
        module = f"relsmith_{name.replace('-', '_')}"
        lines += [
            f"import {module}",
            f"check_generator_class('{name}', {module}.{class_name}Generator)",
        ]
    assert gen("new", "world", "no").returncode == 0
    lines += ["import relsmith_no", "assert relsmith_no.world().name == 'no'"]
    folders = ["my-thing2", "none", "relsmith-no"]
    subprocess.run(
        [sys.executable, "-c", "\n".join(lines)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(str(tmp_path / name) for name in folders)},
        check=True,
    )


@pytest.mark.parametrize("kind", ["generator", "world"])
def test_no_placeholder_names_are_left(gen: Gen, tmp_path: Path, kind: str) -> None:
    said = gen("new", kind, "my-thing2", "--out", "sub folder/mine")
    assert said.returncode == 0, said.stderr
    show = "gen show my-thing2" if kind == "generator" else "gen show clutrr --world my-thing2"
    assert said.stdout.splitlines() == [
        "sub folder/mine: written; next:",
        "pip install -e 'sub folder/mine' pytest",
        "python -m pytest 'sub folder/mine'",
        show,
    ]
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert tmp_path / "sub folder/mine/tests/test_my_thing2.py" in written
    for path in written:
        assert "example" not in str(path.relative_to(tmp_path)).lower()
        assert "example_name" not in path.read_text().lower().replace("-", "_")
        assert "examplename" not in path.read_text().lower()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (
            ("generator", "My"),
            "NAME: expected lower-case letters, digits and single -, a letter first",
        ),
        (("generator", "2x"), "but got '2x'"),
        (("world", "a-"), "but got 'a-'"),
        (("generator", "run"), "NAME: 'run' is a command of gen; choose another name"),
        (("generator", "clutrr"), "'clutrr' is a generator of relsmith 0.1.0; choose another name"),
        (("generator", "kinship"), "'kinship' is a world of relsmith 0.1.0; choose another name"),
        (("wrld", "mine"), "but got 'wrld'; did you mean 'world'?"),
        (("world", "mine", "--out", "full"), "full already exists; choose another --out"),
        (("world", "mine", "--out", "full/file/x"), "file is a file; choose another --out"),
    ],
)
def test_impossible_targets_are_refused(
    gen: Gen, tmp_path: Path, words: tuple[str, ...], complaint: str
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    before = sorted(tmp_path.rglob("*"))
    refused = gen("new", *words)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert complaint in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert sorted(tmp_path.rglob("*")) == before


def test_an_empty_folder_is_filled_but_not_the_working_directory(gen: Gen, tmp_path: Path) -> None:
    refused = gen("new", "world", "mine", "--out", ".")
    assert (refused.returncode, list(tmp_path.iterdir())) == (2, [])
    (tmp_path / "mine").mkdir()
    assert gen("new", "world", "mine", "--out", "mine").returncode == 0
    assert (tmp_path / "mine" / "pyproject.toml").is_file()


def test_leftovers_of_a_killed_run_are_removed(gen: Gen, tmp_path: Path) -> None:
    for _ in range(2):
        (tmp_path / ".mine.tmp" / "new" / "mine").mkdir(parents=True)
        said = gen("new", "generator", "mine", "--out", "mine")
        assert [path.name for path in tmp_path.iterdir()] == ["mine"]
    assert said.returncode == 2
    assert said.stderr == "gen: mine already exists; choose another --out\n"
