"""No command loses user files when it writes: the same rules for all."""

import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from relsmith import write
from relsmith.cli.main import app
from relsmith.registry import GENERATORS
from relsmith.testing.profile import thinned
from relsmith.web.annotate.project import ProjectOptions, create
from relsmith_comparatives import Comparatives

Run = Callable[..., subprocess.CompletedProcess[str]]

PAIRS = '{"abstract": "Boil eggs.", "concrete": "Put 12 eggs in the wire basket."}\n'
SUITE = "name: pair\ndatasets: {one: {generator: comparatives, rows: 5}}\n"

WRITERS = {
    "run": "run suite.yaml --workers 1 --out OUT",
    "export": "export data --to csv --out OUT",
    "view": "view data --static OUT",
    "eval": "eval pairs.tsv --model lemma --no-baselines --device cpu --out OUT",
    "annotate export": "annotate export project --out OUT",
    "cloze-whitelist": "cloze-whitelist pairs.jsonl --least 1 --out OUT",
    "triples build": "triples build triples.tsv --out OUT",
    "score": "score answers.jsonl data --split train --out OUT",
    "report paper": "report paper generalization stories --plot OUT",
    "report model": "report model answers.jsonl --data data --out OUT",
    "report collect": "report collect stories --out OUT",
}
UNPREPARED = {name for name in WRITERS if name.startswith("report ")}
"""Inputs that take minutes to make; commands are tested up to their first check."""


def commands(group: Any, *above: str) -> Iterator[tuple[str, list[str]]]:
    """Yield every command with its options."""
    for name, command in getattr(group, "commands", {}).items():
        if getattr(command, "commands", None):
            yield from commands(command, *above, name)
        else:
            options = [option for param in command.params for option in param.opts]
            yield " ".join([*above, name]), options


def test_every_writing_command_is_tested_and_has_force() -> None:
    walked = dict(commands(typer.main.get_command(app)))
    outputs = {"--out", "--plot", "--static"}
    writing = {name for name, options in walked.items() if outputs & set(options)}
    writing -= {"new", *(name for name in writing if name.startswith("exam "))}  # never replace
    assert writing == set(WRITERS)
    for name in writing - {"eval"}:  # which appends
        assert "--force" in walked[name], name


@pytest.fixture(scope="module")
def made(gen_in: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    write(Comparatives(), folder / "data", {"train": 5})
    assert gen_in(folder, "relinf", "--rows", 20, "--out", "candidates").returncode == 0
    create(folder / "project", ProjectOptions("solve", folder / "data"))
    (folder / "pairs.jsonl").write_text(PAIRS)
    answer = '{"id": "comparatives-v1-s0-train-0", "answer": null}\n'  # counts as wrong
    (folder / "answers.jsonl").write_text(answer)
    (folder / "triples.tsv").write_text("arg1\trelation\targ2\ndrug\ttreat\tpain\n")
    (folder / "suite.yaml").write_text(SUITE)
    (folder / "pairs.tsv").write_text("drug, treats, pain\taspirin, treats, pain\ty\n")
    return folder


@pytest.fixture
def inputs(made: Path, tmp_path: Path) -> None:
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)


def refused(run: subprocess.CompletedProcess[str]) -> bool:
    assert run.stderr.count("\n") == 1, run.stderr
    return run.returncode == 2 and run.stderr.startswith("gen: ")


@pytest.mark.usefixtures("inputs")
@pytest.mark.parametrize(
    ("writer", "kind"),
    [
        # Alternately a file and a folder; the others in the slow tier.
        pytest.param(writer, kind, marks=[pytest.mark.slow] * ((at + turn) % 2))
        for at, writer in enumerate(name for name in WRITERS if name not in UNPREPARED)
        for turn, kind in enumerate(["file", "folder"])
    ],
)
def test_user_files_are_kept(gen: Run, tmp_path: Path, writer: str, kind: str) -> None:
    out = tmp_path / ("notes.png" if "--plot" in WRITERS[writer] else "notes.md")
    mine = out if kind == "file" else out / ("README.md" if writer == "run" else "mine")
    if writer == "eval" and kind == "folder":
        mine = out / "pairs-lemma.json"
    mine.parent.mkdir(exist_ok=True)
    mine.write_text("mine, and not theirs")
    before = sorted(tmp_path.rglob("*"))
    for force in ([], ["--force"] * (writer != "eval")):
        assert refused(gen(*WRITERS[writer].replace("OUT", out.name).split(), *force))
        assert mine.read_text() == "mine, and not theirs"
        assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.usefixtures("inputs")
@pytest.mark.parametrize(
    "writer", thinned([name for name in WRITERS if name not in {*UNPREPARED, "eval"}], least=4)
)
def test_own_output_is_replaced_by_force(gen: Run, tmp_path: Path, writer: str) -> None:
    words = WRITERS[writer].replace("OUT", "out.png" if "--plot" in WRITERS[writer] else "out")
    assert gen(*words.split()).returncode == 0
    again = gen(*words.split())
    assert again.returncode == 0 if writer == "run" else refused(again)  # it keeps existing files
    replaced = gen(*words.split(), "--force")
    assert replaced.returncode == 0, replaced.stderr
    assert not [path for path in tmp_path.rglob("*") if path.name.endswith((".tmp", ".lock"))]


READERS = {
    "cloze-whitelist pairs.jsonl --least 1": "pairs.jsonl",
    "cloze-whitelist --allow pairs.tsv": "pairs.tsv",
    "triples build triples.tsv": "triples.tsv",
    "export data --to csv": "data",
    "relinf-aggregate --candidates candidates --simulated 3 --workers 1": "candidates",
    "cloze --input pairs.jsonl --workers 1": "pairs.jsonl",
}


@pytest.mark.usefixtures("inputs")
@pytest.mark.parametrize(
    ("words", "name", "spelling"),
    [
        # One spelling each; the others in the slow tier.
        pytest.param(words, name, spelling, marks=[pytest.mark.slow] * bool((at + turn) % 4))
        for at, (words, name) in enumerate(READERS.items())
        for turn, spelling in enumerate(["plain", "hardlink", "symlink", "dotted"])
        if spelling != "hardlink" or "." in name  # folders have no hard links
    ],
)
def test_inputs_are_not_overwritten(
    gen: Run, tmp_path: Path, words: str, name: str, spelling: str
) -> None:
    original = tmp_path / name
    out = {"plain": name, "dotted": f"data/../{name}"}.get(spelling, "link")
    if spelling == "symlink":
        (tmp_path / "link").symlink_to(name)
    if spelling == "hardlink":
        (tmp_path / "link").hardlink_to(original)
    files = [original] if original.is_file() else sorted(original.rglob("*"))
    before = {path: path.read_bytes() for path in files}
    for force in ([], ["--force"]):
        assert refused(gen(*words.split(), "--out", out, *force))
        assert {path: path.read_bytes() for path in files} == before


def test_a_suite_file_named_like_its_manifest_is_kept(gen: Run, tmp_path: Path) -> None:
    (tmp_path / "suite.json").write_text(SUITE)
    for force in ([], ["--force"]):
        assert refused(gen("run", "suite.json", "--workers", 1, "--out", ".", *force))
    assert (tmp_path / "suite.json").read_text() == SUITE
    assert [path.name for path in tmp_path.iterdir()] == ["suite.json"]


@pytest.mark.usefixtures("inputs")
def test_results_are_not_put_into_a_dataset(gen: Run, tmp_path: Path) -> None:
    words = WRITERS["eval"].replace("OUT", "data").split()
    before = sorted(tmp_path.rglob("*"))
    assert refused(gen(*words))
    assert sorted(tmp_path.rglob("*")) == before


def test_all_generators_share_the_write_options() -> None:
    group: Any = typer.main.get_command(app)
    for name in GENERATORS.entries:
        if GENERATORS.entries[name].distribution == "relsmith":
            options = [option for param in group.load(name).params for option in param.opts]
            assert {"--out", "--force"} <= set(options), name
