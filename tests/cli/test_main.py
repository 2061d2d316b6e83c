"""`gen` from the command line, with valid and invalid input."""

import gzip
import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import typer

from relsmith.cli.main import app
from relsmith.registry import RESERVED_NAMES
from relsmith.testing.profile import scaled

GEN = str(Path(sys.executable).with_name("gen"))


def one_line(run: subprocess.CompletedProcess[str], code: int) -> str:
    assert run.returncode == code, run.stdout + run.stderr
    assert run.stderr.count("\n") == 1, run.stderr
    assert run.stderr.startswith("gen: ")
    assert "Traceback" not in run.stderr
    return run.stderr


@pytest.mark.parametrize("name", "annotate relations report show templates triples world".split())
def test_a_group_without_a_command_prints_its_help(gen, name: str) -> None:
    run = gen(name)
    assert (run.returncode, run.stderr) == (2, "")
    assert f"Usage: gen {name} " in run.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("nosuch", "no command or generator is called 'nosuch'"),
        ("comparativs", "did you mean 'comparatives'?"),
        ("comparatives --kk 3", "there is no option --kk"),
        ("comparatives --people 10..2", "got '10..2'; did you mean '2..10'?"),
        ("comparatives --people many", "such as 2..10, but got 'many'"),
        ("comparatives --people 4..99", "expected 3 to 12, but got '4..99'"),
        ("comparatives --ask best", "--ask: expected 'most', 'least' or 'both', but got 'best'"),
        ("comparatives --rows -1", "expected a whole number of 1 or more, but got '-1'"),
        ("comparatives --rows ten", "expected a whole number of 1 or more, but got 'ten'"),
        ("comparatives --rows 99999999999", "ask for fewer or widen the options"),
        ("comparatives --split train=0.9,test=0.2", "shares must add up to 1"),
        ("comparatives --split ../x=5", "but got '../x=5'"),
        ("comparatives --split a=5,a=6", "each name may occur once"),
        ("comparatives --rows 9 --split train=5,test=5", "adds up to 10 rows, but --rows says 9"),
        ("comparatives --shards 0", "--shards: expected at least 1, but got 0"),
        ("comparatives --workers 0", "expected a whole number of 1 or more, but got '0'"),
        (
            "comparatives --format xml",
            "--format: expected one of 'jsonl', 'jsonl.gz', 'jsonl.zst', 'parquet', but got 'xml'",
        ),
        ("comparatives --out file/below", "file is a file; choose another --out"),
        (
            "comparatives --out /proc/nowhere",
            "cannot write /proc/nowhere: cannot create files in /proc",
        ),
        ("comparatives --out full", "full is not empty and not a dataset"),
        ("comparatives --out full --force", "--force does not replace it"),
        ("verify", "DIR: missing; add it; see gen verify --help"),
        ("verify nowhere", "nowhere is not a finished dataset: there is no such folder"),
        ("verify file", "file is not a finished dataset: it is a file; name a folder that gen"),
        ("stats full", "full is not a finished dataset"),
        ("diff full nowhere", "full is not a finished dataset"),
        ("show nosuch", "no generator and no folder is called 'nosuch'"),
        ("show comparatives -n 0", "but got '0'"),
        (
            "describe nosuch",
            "no generator or world is called 'nosuch'; there are: analogy, cloze, clutrr, comp",
        ),
    ],
)
def test_mistakes_are_one_line_and_exit_2(gen, tmp_path: Path, words: str, said: str) -> None:
    (tmp_path / "file").write_text("keep me")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").write_text("keep me")
    assert said in one_line(gen(*words.split()), 2)
    assert (tmp_path / "file").read_text() == "keep me"
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["thesis.tex"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "full"]


def test_a_file_given_as_a_dataset_is_reported(gen, tmp_path: Path) -> None:
    assert gen("comparatives", "--rows", 2, "--out", "tour").returncode == 0
    said = one_line(gen("verify", "tour/README.md"), 2)
    assert "tour/README.md is not a finished dataset: it is a file of the dataset tour" in said


def test_an_existing_dataset_is_replaced_only_by_force(gen, tmp_path: Path) -> None:
    words = ("comparatives", "--rows", 20, "--out", "here")
    assert gen(*words).returncode == 0
    before = (tmp_path / "here" / "manifest.json").read_bytes()
    said = one_line(gen(*words, "--seed", 1), 2)
    assert "already holds a dataset; pass --force to replace it" in said
    assert (tmp_path / "here" / "manifest.json").read_bytes() == before
    assert gen(*words, "--seed", 1, "--force").returncode == 0
    assert json.loads((tmp_path / "here" / "manifest.json").read_bytes())["seed"] == 1


def test_write_show_verify_stats_diff(gen, tmp_path: Path) -> None:
    words = ("comparatives", "--rows", 300, "--split", "train=0.9,test=0.1", "--judge")
    made = gen(*words, "--out", "a")
    assert "a: train 270, test 30 rows in 2 files" in made.stdout
    assert gen(*words, "--out", "b", "--seed", 5, "--quiet").stdout == ""

    shown = [json.loads(line) for line in gen("show", "a", "-n", 2, "--json").stdout.splitlines()]
    lines = (tmp_path / "a" / "train-00000-of-00001.jsonl").read_text().splitlines()
    assert shown == [json.loads(line) for line in lines[:2]]
    assert shown[0]["input"].split(". ")[0] in gen("show", "a").stdout

    checked = gen("verify", "a")
    assert (checked.returncode, checked.stdout) == (0, "a: 300 rows in 2 files, no findings\n")
    assert json.loads(gen("verify", "a", "--json").stdout) == {
        "rows": 300,
        "findings": [],
        "undone": [],
    }

    counted = json.loads(gen("stats", "a", "--json").stdout)
    assert counted["splits"]["train"]["rows"] == 270
    assert counted["splits"]["test"]["duplicates"] == 0
    assert "test" in gen("stats", "a").stdout

    assert gen("diff", "a", "a").returncode == 0
    different = gen("diff", "a", "b", "--json")
    assert different.returncode == 1
    assert json.loads(different.stdout)[0] == {"where": "seed", "A": 0, "B": 5}


def test_show_prints_the_rows_that_would_be_written(gen, tmp_path: Path) -> None:
    shown = gen("show", "comparatives", "--people", 5, "--seed", 3, "-n", 4, "--json").stdout
    gen("comparatives", "--people", 5, "--seed", 3, "--rows", 4, "--out", "four")
    assert shown == (tmp_path / "four" / "train-00000-of-00001.jsonl").read_text()


def test_compressed_rows_are_the_same_rows(gen, tmp_path: Path) -> None:
    gen("comparatives", "--rows", 50, "--out", "plain")
    gen("comparatives", "--rows", 50, "--out", "packed", "--format", "jsonl.gz")
    plain = (tmp_path / "plain" / "train-00000-of-00001.jsonl").read_bytes()
    with gzip.open(tmp_path / "packed" / "train-00000-of-00001.jsonl.gz") as packed:
        assert packed.read() == plain
    assert gen("verify", "packed").returncode == 0
    assert gen("diff", "plain", "packed").returncode == 0


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda text: text[: len(text) // 2], "has 21 rows, but the manifest has 40"),
        (lambda text: text.replace(b" than ", b" then ", 1), "the text cannot be read"),
        (lambda text: b"", "has 0 rows, but the manifest has 40"),
    ],
)
def test_damage_is_found_and_exit_1(gen, tmp_path: Path, damage, said: str) -> None:
    gen("comparatives", "--rows", 40, "--out", "d")
    shard = tmp_path / "d" / "train-00000-of-00001.jsonl"
    shard.write_bytes(damage(shard.read_bytes()))
    run = gen("verify", "d")
    assert said in run.stdout
    assert "finding(s) in 40 rows" in one_line(run, 1)


@pytest.mark.parametrize(
    ("part", "value", "said"),
    [
        ("options", {"extra": 1}, "these options and this seed give another row"),
        ("options", {"people": "3..5"}, "these options and this seed give another row"),
        ("seed", 1, "should be 'comparatives-v1-s1-train-0'"),
        ("distribution", None, "distribution: expected text, but got None"),
        ("splits", {"train": "40"}, "splits.train: expected a whole number, but got"),
        ("files", [], "lists no files"),
    ],
)
def test_a_changed_manifest_is_found(gen, tmp_path: Path, part, value, said) -> None:
    gen("comparatives", "--rows", 40, "--out", "d")
    path = tmp_path / "d" / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest[part] = manifest[part] | value if isinstance(value, dict) else value
    path.write_text(json.dumps(manifest))
    run = gen("verify", "d")
    assert run.returncode in (1, 2)
    assert said in run.stdout + run.stderr


def test_a_manifest_without_an_option_is_found(gen, tmp_path: Path) -> None:
    gen("comparatives", "--rows", 40, "--out", "d")
    path = tmp_path / "d" / "manifest.json"
    manifest = json.loads(path.read_text())
    del manifest["options"]["order"]
    path.write_text(json.dumps(manifest))
    assert "options are incomplete" in gen("verify", "d").stdout


def test_a_file_named_by_a_manifest_is_not_shown(gen, tmp_path: Path) -> None:
    gen("clutrr", "--rows", 5, "--out", "d")
    (tmp_path / "secret").write_text("hunter2\n")
    path = tmp_path / "d" / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["options"]["names"] = str(tmp_path / "secret")
    path.write_text(json.dumps(manifest))
    run = gen("verify", "d")
    assert run.returncode == 1
    assert (
        "were neither generated again nor judged: the manifest names files or models" in run.stderr
    )
    assert "hunter2" not in run.stdout + run.stderr


def test_own_files_are_read_with_trust_option(gen, tmp_path: Path) -> None:
    names = "".join(
        f"Ab{a}{b}, {kind}\n"
        for kind in ("male", "female")
        for a in "abcde"
        for b in ("lo" if kind == "male" else "ri", "na" if kind == "male" else "su")
    )
    (tmp_path / "names").write_text(names)
    made = gen("clutrr", "--k", 2, "--names", "names", "--rows", 5, "--out", "d")
    assert made.returncode == 0, made.stderr
    said = one_line(gen("verify", "d"), 2)
    assert "d: no findings, but its rows were neither generated again nor judged" in said
    assert "(names 'names')" in said
    assert gen("verify", "d", "--trust").returncode == 0
    (undone,) = json.loads(gen("verify", "d", "--json").stdout)["undone"]
    assert "pass --trust if you trust them" in undone


def test_sample_size_of_stats_can_be_set(gen, tmp_path: Path) -> None:
    gen("comparatives", "--rows", 300, "--out", "d")
    run = gen("verify", "d", "--sample", 3)
    assert run.stdout == "d: 300 rows in 1 file, no findings in the 3 rows checked of each split\n"
    assert gen("verify", "d", "--no-judge").returncode == 0
    assert "of 1 or more, but got '0'" in one_line(gen("verify", "d", "--sample", 0), 2)


@pytest.mark.slow
def test_interrupted_verify_does_not_mention_resuming(gen, tmp_path: Path) -> None:
    # Enough rows for verifying to take seconds.
    assert gen("clutrr", "--rows", scaled(20_000, least=3000), "--out", "d", "-q").returncode == 0
    with subprocess.Popen(
        [GEN, "verify", "d", "--workers", "1"], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    ) as run:
        while not (tmp_path / "d" / ".unfinished").exists():
            time.sleep(0.01)
        time.sleep(0.2)
        run.send_signal(signal.SIGINT)
        said = run.communicate(timeout=60)[1]
    assert run.returncode == 130
    assert said == (
        "gen: interrupted; d was not checked completely, and nothing in it was changed\n"
    )
    assert not (tmp_path / "d" / ".unfinished").exists()


SWALLOWED = """
import sys, time
from relsmith.cli import signals
class Deaf:
    def __del__(self):
        raise KeyboardInterrupt
sys.unraisablehook = signals.resend
signals.received[:] = map(int, sys.argv[1:])
Deaf()
for _ in range(200):  # a signal that comes right before a sleep begins does not end it
    time.sleep(0.1)
"""


@pytest.mark.parametrize("came", [[], ["15"]])
def test_a_swallowed_interrupt_is_raised_again(came: list[str]) -> None:
    run = subprocess.run(
        [sys.executable, "-c", SWALLOWED, *came],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert run.stderr.rstrip().endswith("KeyboardInterrupt")
    assert "IndexError" not in run.stderr


def test_a_plugin_that_ends_the_program_fails(in_a_row, tmp_path: Path) -> None:
    (tmp_path / "plugins").mkdir()
    leaving = ODD.replace("{k}", "Range(2, 3)").replace(
        "raise RuntimeError(", "raise SystemExit(0 and "
    )
    _install(tmp_path / "plugins", "odd-one", "odd", leaving)
    calls = [["odd", "--rows", 5], ["show", "odd"]]
    for run in in_a_row(tmp_path, calls, PYTHONPATH=str(tmp_path / "plugins")):
        assert "odd tried to end the program (SystemExit: 0)" in one_line(run, 1)


def test_diff_compares_rows_not_only_manifests(gen, tmp_path: Path) -> None:
    for out in ("a", "b"):
        gen("comparatives", "--rows", 40, "--out", out)
    shard = tmp_path / "b" / "train-00000-of-00001.jsonl"
    shard.write_text(shard.read_text().replace(" than ", " then ", 1))
    run = gen("diff", "a", "b")
    assert run.returncode == 1
    assert "train[0].input" in run.stdout


def test_two_runs_do_not_write_into_one_folder(gen, tmp_path: Path) -> None:
    words = [GEN, "comparatives", "--rows", "200000", "--workers", "1", "-q", "--out", "d"]
    first = subprocess.Popen(words, cwd=tmp_path)
    try:
        while not (tmp_path / "d" / ".unfinished" / "request.json").exists():
            assert first.poll() is None
        said = one_line(gen(*words[1:]), 2)
        assert "another run is writing into d; wait for it or choose another --out" in said
    finally:
        first.kill()
        first.wait()


def test_an_empty_work_folder_next_to_other_files_is_foreign(gen, tmp_path: Path) -> None:
    (tmp_path / "mine" / ".unfinished").mkdir(parents=True)
    (tmp_path / "mine" / "README.md").write_text("keep me")
    assert "not a dataset" in one_line(gen("comparatives", "--rows", 5, "--out", "mine"), 2)
    assert (tmp_path / "mine" / "README.md").read_text() == "keep me"


def test_generators_may_not_have_names_of_commands() -> None:
    assert set(typer.main.get_command(app).commands) <= RESERVED_NAMES


ODD = '''
from typing import ClassVar
from pydantic import BaseModel, Field
from relsmith import CommaSeparated, Generator, Range
from relsmith_comparatives import Comparatives


class Made(Generator):
    """Odd defaults."""
    name: ClassVar[str] = "odd"
    version: ClassVar[int] = 1
    Metadata: ClassVar[type[BaseModel]] = Comparatives.Metadata
    words: CommaSeparated[str] = ("a,b", "c")
    k: Range = {k}

    def rows(self, block):
        raise RuntimeError(f"words are {self.words}")

    def replay(self, example):
        return []

    def problems(self, example):
        return []
'''


def test_defaults_come_from_the_model_without_parsing(gen, tmp_path: Path) -> None:
    (tmp_path / "plugins").mkdir()
    _install(tmp_path / "plugins", "odd-one", "odd", ODD.replace("{k}", "Range(2, 3)"))
    said = gen("odd", PYTHONPATH=str(tmp_path / "plugins")).stderr
    assert "words are ('a,b', 'c')" in said


def test_a_generator_that_raises_is_named_with_the_row(gen, tmp_path: Path) -> None:
    (tmp_path / "plugins").mkdir()
    code = ODD.replace("{k}", "Range(2, 3)").replace("RuntimeError", "FileNotFoundError")
    _install(tmp_path / "plugins", "odd-one", "odd", code)
    said = one_line(gen("odd", PYTHONPATH=str(tmp_path / "plugins")), 1)
    assert "odd failed at row 0 of train: FileNotFoundError: words are" in said


def test_a_plugin_with_a_bad_default_is_broken(gen, tmp_path: Path) -> None:
    (tmp_path / "plugins").mkdir()
    _install(tmp_path / "plugins", "odd-one", "odd", ODD.replace("{k}", "Field('10..2')"))
    listed = gen("list", PYTHONPATH=str(tmp_path / "plugins"), COLUMNS="300")
    assert "BROKEN: 'odd' from odd-one 1.0" in listed.stdout


def test_a_manifest_of_a_newer_format_is_refused(gen, tmp_path: Path) -> None:
    gen("comparatives", "--rows", 5, "--out", "d")
    path = tmp_path / "d" / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"format": 99}))
    for command in ("verify", "stats", "show"):
        said = one_line(gen(command, "./d"), 2)
        assert "has format 99, but this relsmith reads up to 2; upgrade relsmith" in said


def test_a_dataset_of_a_missing_generator_names_its_distribution(gen, tmp_path: Path) -> None:
    gen("comparatives", "--rows", 5, "--out", "d")
    said = one_line(gen("verify", "d", RELSMITH_NO_PLUGINS="1"), 2)
    assert "'comparatives', which is not installed here; pip install relsmith-comparatives" in said


def _install(folder: Path, distribution: str, name: str, code: str) -> None:
    """Install a distribution, laid out as by pip."""
    module = distribution.replace("-", "_")
    (folder / f"{module}.py").write_text(code)
    info = folder / f"{module}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[relsmith.generators]\n{name} = {module}:Made\n")


def test_a_broken_plugin_affects_only_itself(gen, in_a_row, tmp_path: Path) -> None:
    plugins = tmp_path / "plugins"
    plugins.mkdir()
    _install(plugins, "bad-plugin", "bad", "raise RuntimeError('no\\nluck')")
    path = {"PYTHONPATH": str(plugins)}
    calls = [["list"], ["bad"], ["--help"], ["comparatives", "--rows", 5, "--out", "fine"]]
    listed, bad, *others = in_a_row(tmp_path, calls, **path, COLUMNS="300")
    assert listed.returncode == 0
    assert "BROKEN: 'bad' from bad-plugin 1.0 (bad_plugin:Made) is broken: " in listed.stdout
    assert "RuntimeError: no luck; repair or uninstall it" in listed.stdout
    assert "Comparative chains" in listed.stdout
    assert "is broken: RuntimeError: no luck" in one_line(bad, 2)
    assert [run.returncode for run in others] == [0, 0]
    assert "bad" not in gen("list", **path, RELSMITH_NO_PLUGINS="1").stdout


def test_two_plugins_with_one_name_are_refused_and_both_named(in_a_row, tmp_path: Path) -> None:
    plugins = tmp_path / "plugins"
    plugins.mkdir()
    code = "from relsmith_comparatives import Comparatives as Made"
    _install(plugins, "first-one", "twice", code)
    _install(plugins, "second-one", "twice", code)
    twice, listed = in_a_row(tmp_path, [["twice"], ["list"]], PYTHONPATH=str(plugins))
    said = one_line(twice, 2)
    assert "'twice' is claimed by first-one 1.0 (first_one:Made)" in said
    assert "and by second-one 1.0 (second_one:Made); uninstall one of them" in said
    assert listed.returncode == 0


def test_debug_shows_where_an_error_arose(gen) -> None:
    assert "Traceback" in gen("comparatives", "--people", "1", "--debug").stderr
    assert "Traceback" in gen("--debug", "comparatives", "--people", "1").stderr


def test_completion_offers_generators_and_their_options(gen) -> None:
    def complete(line: str) -> str:
        return gen(
            _GEN_COMPLETE="complete_bash", COMP_WORDS=line, COMP_CWORD=str(len(line.split(" ")) - 1)
        ).stdout

    assert "comparatives" in complete("gen comp")
    assert "--dimensions" in complete("gen comparatives --dim")
    assert "least" in complete("gen comparatives --ask l")
    assert "--people" in complete("gen show comparatives --peo")
    assert "comparatives" in complete("gen describe com")


def test_progress_bar_on_a_terminal_but_not_in_a_pipe(gen, tmp_path: Path) -> None:
    words = ["comparatives", "--rows", "3000", "--out"]
    assert gen(*words, "piped").stderr == ""
    ours, theirs = pty.openpty()
    run = subprocess.Popen(
        [GEN, *words, "seen"],
        cwd=tmp_path,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
        stderr=theirs,
        stdout=subprocess.DEVNULL,
    )
    os.close(theirs)
    seen = b""
    try:
        while chunk := os.read(ours, 4096):
            seen += chunk
    except OSError:
        pass  # the terminal was closed
    os.close(ours)
    assert run.wait() == 0
    assert b"/3000" in seen
