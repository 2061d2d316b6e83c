"""No control character of rows, files or names reaches a terminal; failures are one line."""

import ast
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from relsmith import Dataset, write
from relsmith.cli.describe import new_table
from relsmith.cli.output import print_whole, printable
from relsmith_comparatives import Comparatives

GEN = str(Path(sys.executable).with_name("gen"))
HOSTILE = "\x1b[2J\x1b]0;x\x07\x9b31m\u202e\x7f\r[/red]"
OBEYED = ("\x1b", "\x07", "\x9b", "\u202e", "\x7f", "\r")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write a dataset whose rows would clear the screen, and a normal one."""
    for name in ("bad", "good"):
        write(Comparatives(), tmp_path / name, {"train": 3})
    rows = [
        replace(row, id=row.id + HOSTILE, input=HOSTILE, target=HOSTILE, choices=[HOSTILE, "x"])
        for row in Dataset(tmp_path / "bad")
    ]
    for row in rows:
        row.metadata["dimension"] = HOSTILE
    (tmp_path / "bad" / "train-00000-of-00001.jsonl").write_bytes(
        b"".join(orjson.dumps(row) + b"\n" for row in rows)
    )
    return tmp_path


COMMANDS = [
    "show bad",
    "show bad --json",
    "stats bad",
    "stats bad --json",
    "diff good bad",
    "diff good bad --json",
    "verify bad",
    "verify bad --json",
    f"show {HOSTILE}",
    f"export bad --to {HOSTILE}",
    f"world check {HOSTILE}",
]


@pytest.mark.parametrize("command", COMMANDS, ids=range(len(COMMANDS)))
def test_control_characters_of_rows_are_escaped_on_a_terminal(gen, folder, command):
    run = gen(*command.split(" "))
    said = run.stdout + run.stderr
    assert said
    assert "unexpected" not in said
    assert not [letter for letter in OBEYED if letter in said]


def test_json_output_equals_the_row(gen, folder):
    run = gen("show", "bad", "--json", "-n", "1")
    assert orjson.loads(run.stdout)["input"] == HOSTILE


@given(st.text())
def test_only_control_characters_are_escaped(text):
    shown = printable(text)
    assert not [letter for letter in OBEYED if letter in shown]
    if text.isprintable():
        assert shown == text


def test_commands_print_through_one_module(root: Path) -> None:
    for path in (root / "cli").glob("*.py"):
        calls = [
            node
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.Call)
            and ast.unparse(node.func)
            in ("typer.echo", "print", "Console().print", "console.print")
        ]
        texts = [ast.unparse(call) for call in calls]
        assert path.name == "output.py" or set(texts) <= {"typer.echo(ctx.get_help())"}, path.name


@pytest.mark.parametrize("command", ["list", "--help", "show clutrr -n 1", "show clutrr --json"])
def test_a_full_disk_under_standard_output_is_one_line(gen, command):
    run = gen(*command.split(), stdout="/dev/full")
    assert run.returncode == 2
    assert run.stderr.startswith("gen: cannot use standard output: No space left on device")
    assert run.stderr.count("\n") == 1


@pytest.mark.slow
def test_a_full_disk_under_standard_output_of_a_fresh_process_is_one_line():
    with Path("/dev/full").open("w") as full:
        run = subprocess.run(
            [GEN, "list"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert run.returncode == 2
    assert run.stderr.startswith("gen: cannot use standard output: No space left on device")
    assert run.stderr.count("\n") == 1


SHOW, NOTHING = "show comparatives -n 30", "nothing"


@pytest.mark.parametrize(
    ("command", "closed"),
    [
        (SHOW, ">&-"),
        (SHOW, "| head -n 1"),
        (NOTHING, "2>&-"),
        (NOTHING, "2>/dev/full"),
        # the stream into which the command prints little or nothing
        pytest.param(NOTHING, ">&-", marks=pytest.mark.slow),
        pytest.param(NOTHING, "| head -n 1", marks=pytest.mark.slow),
        pytest.param(SHOW, "2>&-", marks=pytest.mark.slow),
        pytest.param(SHOW, "2>/dev/full", marks=pytest.mark.slow),
        pytest.param("show clutrr -n 30", "| head -n 1", marks=pytest.mark.slow),
    ],
)
def test_streams_may_be_closed_or_full(tmp_path, command, closed):
    run = subprocess.run(
        ["sh", "-c", f'"$0" {command} {closed}', GEN],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in run.stderr
    assert "Exception ignored" not in run.stderr
    assert "unexpected" not in run.stderr


@pytest.mark.parametrize(
    "command",
    [
        "show {}",
        "verify {}",
        "stats {}",
        "export {}",
        "describe {}",
        "world check {}",
        "triples query x --store {}",
        "relations list {}",
        "clutrr --rows 2 --out {}",
        "audit {}",
        "run {}",
    ],
)
def test_names_too_long_for_the_disk_are_one_line(gen, command):
    run = gen(*command.format("a" * 300).split())
    assert run.returncode == 2
    assert run.stderr.startswith("gen: ")
    assert "unexpected" not in run.stderr


def test_a_shard_that_is_not_a_regular_file_is_refused_at_once(gen, folder):
    shard = folder / "bad" / "train-00000-of-00001.jsonl"
    for make in (os.mkfifo, lambda path: path.symlink_to("/dev/zero")):
        shard.unlink()
        make(shard)
        for command in ("show bad", "stats bad", "diff good bad", "export bad --to csv"):
            assert "it is not a regular file" in gen(*command.split()).stderr
        assert gen("verify", "bad").returncode == 1


@pytest.mark.parametrize(
    "commands",
    [
        ["list", "describe comparatives", "comparatives --help"],
        pytest.param(
            ["list", "describe clutrr", "show relinf -n 1", "cloze --help"], marks=pytest.mark.slow
        ),
    ],
    ids=["few", "more"],
)
def test_without_docstrings_there_is_less_help_and_no_crash(in_a_row, tmp_path, commands):
    """Run all in one process: without cached byte code, each process would compile all modules."""
    for run in in_a_row(tmp_path, [command.split() for command in commands], "-OO"):
        assert (run.returncode, run.stderr) == (0, "")
        assert run.stdout
        assert "BROKEN" not in run.stdout


def test_no_table_cell_is_cut_on_a_narrow_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cells = ["a-model (learning_rate=0.0001)", *["0.97 ±0.01"] * 9]

    def shown(columns: int) -> str:
        monkeypatch.setenv("COLUMNS", str(columns))
        table = new_table("model", *(f"k={k}" for k in range(2, 11)))
        table.add_row(*cells)
        print_whole(table)
        return capsys.readouterr().out

    for columns in (30, 80, 200):
        words = shown(columns).split()
        assert words.count("0.97") == words.count("±0.01") == 9
        assert {"a-model", "(learning_rate=0.0001)", "k=10"} <= set(words)
    assert cells[0] in shown(200) and cells[0] not in shown(80)
