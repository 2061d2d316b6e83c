"""`gen eval` and `gen report` on analogies as a person uses them."""

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from relsmith.cli.main import main


@dataclass(frozen=True)
class Done:
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def quick(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Done]:
    """Run `gen` in an empty folder, in this process, so that torch is loaded once."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")

    def run(*words: object) -> Done:
        monkeypatch.setattr("sys.argv", ["gen", *map(str, words)])
        with pytest.raises(SystemExit) as left:
            main()
        return Done(int(left.value.code or 0), *capsys.readouterr())

    return run


def test_from_analogies_to_a_table(gen, tmp_path: Path) -> None:
    options = ["--only", "capital", "--probe", "random", "--tuples", "16"]
    assert gen("analogy", *options, "--out", "sound").returncode == 0
    words = ["--model", "analogy-words,analogy-majority", "--no-baselines"]
    done = gen("eval", "sound", *words, "--seeds", 1, "--epochs", 1, "--device", "cpu")
    assert done.returncode == 0, done.stderr
    for model in ("analogy-majority", "analogy-words"):
        assert f"\n {model} " in done.stdout
    assert len(list((tmp_path / "results").glob("*.json"))) == 2
    groups = ["report", "paper", "analogy-groups"]
    table = gen(*groups, "results")
    assert table.returncode == 0, table.stderr
    assert "supervised random" in table.stdout
    assert json.loads(gen(*groups, "results", "--json").stdout)[0]["rows"]
    assert gen(*groups, "sound").returncode == 2


@pytest.mark.slow
def test_from_analogies_to_figures(quick, tmp_path: Path) -> None:
    options = ["--only", "capital", "--probe", "random", "--tuples", "16"]
    assert quick("analogy", *options, "--out", "sound").returncode == 0
    assert quick("analogy", *options, "--paper-faithful", "--out", "theirs").returncode == 0
    rows = (tmp_path / "sound").glob("*.jsonl")
    seen = {
        word
        for path in rows
        for line in path.read_text().splitlines()
        for pair in ("query", "positive", "negative")
        for words in json.loads(line)["metadata"][pair] or []
        for word in words.lower().split()
    }
    draw = random.Random(0).random
    lines = [" ".join([word, *(f"{draw():.3f}" for _ in range(5))]) for word in sorted(seen)]
    (tmp_path / "tiny.vec").write_text("\n".join(lines) + "\n")
    words = ["--model", "analogy-vectors", "--set", "vectors=tiny.vec", "--seeds", 2]
    for data in ("sound", "theirs"):
        done = quick("eval", data, *words, "--epochs", 2, "--device", "cpu")
        assert done.returncode == 0, done.stderr
        for model in ("analogy-vectors (tiny.vec)", "analogy-majority", "analogy-words"):
            assert f"\n {model} " in done.stdout
    assert len(list((tmp_path / "results").glob("*.json"))) == 6

    table_1 = quick("report", "paper", "analogy-groups", "results")
    assert table_1.returncode == 0, table_1.stderr
    assert "supervised random" in table_1.stdout
    assert "fastText for vectors" in table_1.stdout
    relations = ["report", "paper", "analogy-relations", "results", "--plot", "relations.png"]
    table_2 = quick(*relations, "--json")
    found = json.loads(table_2.stdout)
    assert [row["model"] for row in found[0]["rows"]][-1] == "average without marked"
    beside = quick("report", "paper", "analogy-negatives", "results", "--plot", "negatives.png")
    assert beside.returncode == 0, beside.stderr
    assert "the paper's negatives" in beside.stdout
    result = "results/sound-analogy-vectors-tiny.vec.json"
    frequency = ["report", "paper", "analogy-frequency", result, "--set"]
    rare = quick(*frequency, "data=sound", "--plot", "frequency.png")
    assert rare.returncode == 0, rare.stderr
    assert "p, pairs" in rare.stdout
    for name in ("relations", "negatives", "frequency"):
        assert (tmp_path / f"{name}.png").exists()

    wrong = quick(*frequency, "data=theirs")
    assert wrong.returncode == 2
    assert "data: theirs is not the dataset of" in wrong.stderr
    assert quick("report", "paper", "analogy-groups", "sound").returncode == 2
    beyond = quick("eval", "sound", *words, "--epochs", 2, "--test-on", "theirs", "--out", "both")
    assert "theirs (test), trained on sound: All (1 relation)" in beyond.stdout


def test_models_of_two_kinds_are_not_evaluated_at_once(gen) -> None:
    done = gen("eval", ".", "--model", "analogy-words,majority")
    assert done.returncode == 2
    assert "models of several tasks (analogies, stories)" in done.stderr
