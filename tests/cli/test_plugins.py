"""Broken plugins affect nothing else: commands give the same output with and without them."""

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from relsmith import GENERATORS
from relsmith.cli.main import app

ONE = ("--workers", "1")
CALLS = {
    "clutrr": ["--train-k", "2,3", "--split", "train=30,test=9", "--out", "stories", *ONE],
    "comparatives": ["--rows", "5", "--out", "chains", *ONE],
    "analogy": ["--only", "animal", "--rows", "20", "--out", "pairs", *ONE],
    "cloze": ["--rows", "5", "--out", "blanks", *ONE],
    "relinf": ["--rows", "200", "--out", "candidates", *ONE],
    "relinf-aggregate": [
        "--candidates", "candidates", "--simulated", "5", "--out", "labelled", *ONE,
    ],
    "list": [],
    "describe": ["clutrr"],
    "show": ["clutrr", "-n", "1", "--graph"],
    "world check": ["kinship", "--rules", "sound"],
    "templates lint": ["--world", "spatial"],
    "relations list": [],
    "relations show": ["noun - plural"],
    "annotate init": ["project", "--task", "solve", "--from", "chains", "--quiet"],
    "annotate serve": ["--help"],  # never ends
    "annotate invite": ["--help"],  # prints something new each time
    "annotate revoke": ["project", "nobody"],
    "annotate forget": ["project", "nobody", "--yes"],
    "annotate progress": ["project"],
    "annotate export": ["project", "--out", "annotations"],
    "exam new": ["suite.yaml", "--out", "exam", "--quiet", *ONE],
    "exam publish": ["exam", "--out", "published"],
    "exam check": ["exam", "answers.jsonl", "--candidate", "Ann"],
    "exam reveal": ["exam", "--out", "revealed"],
    "exam verify": ["published", "--quiet"],
    "exam trace": ["exam", "answers.jsonl"],
    "exam invite": ["--help"],  # prints something new each time
    "exam serve": ["--help"],  # never ends
    "exam place": ["--help"],  # its questions are new each time
    "triples build": ["triples.tsv", "--out", "triples.store"],
    "triples query": ["dog"],
    "new": ["generator", "my-thing"],
    "run": ["suite.yaml", "--out", "suite", *ONE],
    "verify": ["stories", *ONE],
    "stats": ["stories"],
    "diff": ["stories", "stories"],
    "view": ["stories", "--static", "page.html", "--quiet"],
    "export": ["stories"],
    "eval": [
        "stories", "--model", "rules", "--seeds", "1", "--epochs", "2", "--device", "cpu",
        "--out", "results",
    ],
    "score": ["answers.jsonl", "stories"],
    "prompt": ["stories", "-n", "1"],
    "report model": ["answers.jsonl", "--data", "stories"],
    "report by": ["results", "--by", "k"],
    "report collect": ["results", "--out", "collected.json"],
    "report compare": ["results", "results"],
    "report paper": ["generalization", "results"],
    "audit": ["official.csv"],
    "cloze-whitelist": ["--out", "words.tsv"],
}  # fmt: skip
MORE = [
    ["eval", "stories"],
    ["export", "stories", "--to", "csv"],
    ["show", "stories", "-n", "1"],
    ["list", "--json"],
    ["nosuch"],
]
QUICK = (
    "clutrr comparatives list describe show run verify export view nosuch"
    " annotate-init annotate-progress"
).split()
"""Commands that load plugins of every group except models; `list` loads those of others."""
FAILING = {"audit", "annotate revoke", "annotate forget"} | {
    *(f"report {name}" for name in ("paper", "model")),
    *(f"exam {name}" for name in ("check", "reveal", "trace")),
}
"""Commands with inputs that take long to make; for these, equal errors suffice."""

BROKEN = {
    "raises": "raise RuntimeError('no\\nluck')",
    "exits": "raise SystemExit(3)",
    "absent": "import a_module_that_is_not_there",
    "mistaken": "made = 5",
}
OURS = {
    "generators": "clutrr",
    "worlds": "kinship",
    "languages": "de",
    "models": "majority",
    "exporters": "csv",
    "annotation_tasks": "solve",
    "engines": "local",
}

Row = Callable[..., list[subprocess.CompletedProcess[str]]]
Seen = dict[tuple[str, ...], tuple[int, str, str]]


def leaves(command: Any = None, words: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield every command of gen that does something."""
    command = command or typer.main.get_command(app)
    inner = getattr(command, "commands", {})
    if not inner:
        yield " ".join(words)
    for name, below in inner.items():
        yield from leaves(below, (*words, name))


def every_call() -> list[list[str]]:
    return [[*name.split(), *words] for name, words in CALLS.items()] + MORE


def quick_calls() -> list[list[str]]:
    return [words for words in every_call() if words[0] in QUICK or "-".join(words[:2]) in QUICK]


def call(in_a_row: Row, folder: Path, calls: list[list[str]], plugins: str = "") -> Seen:
    """Call these commands in one process, in an empty folder."""
    folder.mkdir()
    (folder / "triples.tsv").write_text("arg1\trelation\targ2\ndogs\tchase\tcats\n")
    (folder / "young.txt").write_text("cat\tkitten\ndog\tpuppy\ncow\tcalf\n")
    (folder / "official.csv").write_text("story\n")
    (folder / "answers.jsonl").write_text('{"id": "clutrr-v4-s0-test-0", "answer": null}\n')
    (folder / "suite.yaml").write_text(
        "name: s\ndatasets:\n  a: {generator: comparatives, rows: 5}\n"
    )
    outcomes = in_a_row(
        folder, calls, "-W", "ignore", COLUMNS="400", PYTHONPATH=plugins, OMP_NUM_THREADS="1"
    )
    seen = {}
    for words, run in zip(calls, outcomes, strict=True):
        # Slow machines print lines of progress in addition.
        complaints = [line for line in run.stderr.splitlines() if line.startswith("gen: ")]
        seen[tuple(words)] = (run.returncode, run.stdout, "\n".join(complaints))
    return seen


@pytest.fixture(scope="module")
def sound(in_a_row: Row, tmp_path_factory: pytest.TempPathFactory) -> Seen:
    """Return the outcomes of all commands without a broken plugin."""
    return call(in_a_row, tmp_path_factory.mktemp("sound") / "here", every_call())


@pytest.fixture(scope="module")
def soon(in_a_row: Row, tmp_path_factory: pytest.TempPathFactory) -> Seen:
    """Return the outcomes of the quick commands without a broken plugin."""
    return call(in_a_row, tmp_path_factory.mktemp("soon") / "here", quick_calls())


def install(site: Path, groups: tuple[str, ...]) -> None:
    """Install a distribution that is broken in these groups in every way."""
    info = site / "breakage-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: breakage\nVersion: 1.0\n")
    for name, code in BROKEN.items():
        (site / f"breakage_{name}.py").write_text(code)
    (site / "breakage_thief.py").write_text("made = 5")
    lines = []
    for group in groups:
        lines += [f"[relsmith.{group}]", f"{OURS[group]} = breakage_thief:made"]
        lines += [f"{name} = breakage_{name}:made" for name in BROKEN]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")


def test_every_command_is_called() -> None:
    generators = set(GENERATORS.entries)
    assert {name for name in leaves() if name != "show"} | generators | {"show"} == set(CALLS)


def check_codes(seen: Seen) -> None:
    for words, (code, out, err) in seen.items():
        expected = " ".join(words[:2]) in FAILING or words[0] in (*FAILING, "nosuch")
        assert (code != 0) == expected, f"{words}: {code}\n{out}{err}"


def test_quick_commands_succeed_without_broken_plugins(soon: Seen) -> None:
    assert {words[0] for words in soon} == {word.partition("-")[0] for word in QUICK}
    check_codes(soon)


@pytest.mark.slow
@pytest.mark.torch
def test_commands_succeed_without_broken_plugins(sound: Seen) -> None:
    check_codes(sound)


@pytest.mark.slow
@pytest.mark.torch
def test_broken_plugins_in_every_group_affect_only_themselves(
    in_a_row: Row, sound: Seen, tmp_path: Path
) -> None:
    compare(in_a_row, sound, tmp_path, tuple(OURS))


ALONE = [pytest.param((group,), marks=pytest.mark.slow) for group in OURS]


@pytest.mark.parametrize("groups", [tuple(OURS), *ALONE], ids="-".join)
def test_a_broken_plugin_affects_only_itself(
    in_a_row: Row, soon: Seen, tmp_path: Path, groups: tuple[str, ...]
) -> None:
    compare(in_a_row, soon, tmp_path, groups)


def compare(in_a_row: Row, sound: Seen, tmp_path: Path, groups: tuple[str, ...]) -> None:
    """Repeat the calls with plugins that are broken in these groups."""
    install(tmp_path / "site", groups)
    calls = [list(words) for words in sound]
    seen = call(in_a_row, tmp_path / "here", calls, str(tmp_path / "site"))
    for words, outcome in seen.items():
        if words[0] not in ("list", "nosuch"):
            assert outcome == sound[words], words
    assert seen["nosuch",][0] == 2
    listed = json.loads(seen["list", "--json"][1])
    before = json.loads(sound["list", "--json"][1])
    for group in groups:
        theirs = [entry for entry in listed[group] if entry["distribution"] == "breakage 1.0"]
        assert {entry["name"] for entry in theirs} == {*BROKEN, OURS[group]}
        reasons = {entry["name"]: entry["broken"] for entry in theirs}
        assert "RuntimeError: no luck; repair or uninstall it" in reasons["raises"]
        assert "SystemExit: 3" in reasons["exits"]
        assert "a_module_that_is_not_there" in reasons["absent"]
        assert "but got 5" in reasons["mistaken"]
        claims = f"{OURS[group]!r} is claimed by breakage 1.0 (breakage_thief:made) and by rel"
        assert claims in reasons[OURS[group]]
        listed[group] = [entry for entry in listed[group] if entry not in theirs]
        for entry in theirs:
            assert f"BROKEN: {entry['broken']}" in seen["list",][1]
    assert listed == before
