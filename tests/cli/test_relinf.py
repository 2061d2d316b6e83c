"""From questions to labelled pairs by the commands of the guide."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from relsmith.testing.profile import profile, scaled

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def made(gen_in: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    assert gen_in(folder, "relinf", "--rows", 300, "--out", "c").returncode == 0
    return folder / "c"


@pytest.fixture
def candidates(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "c"))


def tasks(folder: Path) -> list[str]:
    lines = (folder / "train-00000-of-00001.jsonl").read_text().splitlines()
    return list(dict.fromkeys(json.loads(line)["metadata"]["task"] for line in lines))


@pytest.mark.slow
def test_the_guide_works_as_written(gen: Run, root: Path, tmp_path: Path) -> None:
    page = (root / "docs" / "relinf.md").read_text()
    (block,) = re.findall(r"^```sh\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert "--rows 600 " in block
    for line in block.replace("--rows 600 ", f"--rows {scaled(600)} ").splitlines():
        words = line.split()[1:]
        alone = ("--workers", 1) if words[0] in ("relinf", "relinf-aggregate", "verify") else ()
        # The judge reads WordNet by NLTK, which takes seconds; tests of the generator call it too.
        unjudged = ["--no-judge"] * (words[0] == "verify" and profile() == "quick")
        run = gen(*words, *alone, *unjudged)
        assert run.returncode == 0, f"{line}\n{run.stdout}{run.stderr}"
    assert "hypothesis only" in run.stdout
    code = re.findall(
        r"^```python\n(.*?)^```$", (root / "docs/wordnet.md").read_text(), re.S | re.M
    )
    ran = subprocess.run(
        [sys.executable, "-c", code[0]], capture_output=True, text=True, check=True
    )
    assert ran.stdout.startswith("['aspirin.n.01', ")
    assert ran.stdout.endswith("'drug.n.01'] tax\n")


def test_annotations(gen: Run, candidates: Path, tmp_path: Path) -> None:
    every = tasks(candidates)
    votes = [("unknown", "ann", "yes"), (every[0], "w1", "no")]
    for n, task in enumerate(every):
        votes += [(task, f"w{w}", "yes" if n % 3 == 0 else "no") for w in range(5)]
    lines = (dict(zip(("task", "worker", "label"), vote, strict=True)) for vote in votes)
    (tmp_path / "votes.jsonl").write_text("\n".join(map(json.dumps, lines)))
    words = ("--candidates", "c", "--annotations", "votes.jsonl", "--workers", 1)
    run = gen("relinf-aggregate", *words, "--out", "pairs")
    assert run.returncode == 0, run.stderr
    assert "pairs: train 300 rows" in run.stdout
    assert "note: 1 left out: no such task among the candidates: 'unknown'" in run.stdout
    assert "note: 1 left out: a worker labelled a task twice" in run.stdout
    gen("relinf-aggregate", *words, "--out", "more", "--shares", "train=0.5,test=0.5")
    card = (tmp_path / "more" / "README.md").read_text()
    assert "SIMULATED" not in card
    (command,) = re.findall(r"^gen relinf-aggregate .* --out DIR$", card, re.MULTILINE)
    again = gen(*shlex.split(command)[1:-1], "again")
    assert again.returncode == 0, again.stderr
    assert gen("diff", "more", "again").returncode == 0


def test_simulated_annotators_are_announced(gen: Run, candidates: Path, tmp_path: Path) -> None:
    run = gen("relinf-aggregate", "--candidates", "c", "--simulated", 3, "--out", "pairs")
    assert "the 3 annotators are SIMULATED" in run.stdout
    manifest = json.loads((tmp_path / "pairs" / "manifest.json").read_text())
    assert manifest["options"]["simulated"] == 3
    assert "SIMULATED annotators" in [source["name"] for source in manifest["sources"]]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("relinf-aggregate", "--candidates", "c"), "name files of annotations"),
        (("relinf-aggregate", "--simulated", "5"), "relinf-aggregate: --candidates: missing"),
        (("relinf-aggregate", "--candidates", "c", "--annotations", "no.csv"), "cannot read"),
        (("relinf-aggregate", "--candidates", "c", "--simulated", "5", "--rule", "2/5"), "3/5"),
        (("relinf", "--triples", "no.db"), "no.db"),
        (("relinf", "--questions", "no.tsv"), "no.tsv"),
        (("relinf", "--rows", "99999999"), "distinct rows"),
    ],
)
def test_mistakes_end_in_one_line(
    gen: Run, candidates: Path, words: tuple[str, ...], said: str
) -> None:
    run = gen(*words)
    assert run.returncode == 2
    (line,) = run.stderr.splitlines()
    assert said in line


def test_an_unknown_type_is_named(gen: Run, tmp_path: Path) -> None:
    (tmp_path / "q.tsv").write_text("asdf\teats\tmice\n")
    run = gen("relinf", "--questions", "q.tsv")
    assert run.returncode == 2
    assert "question 1" in run.stderr
    assert "no noun 'asdf'" in run.stderr


def test_missing_wordnet_names_what_to_install(gen: Run, tmp_path: Path) -> None:
    run = gen("relinf", RELSMITH_WORDNET=str(tmp_path / "nowhere"))
    assert run.returncode == 2
    (line,) = run.stderr.splitlines()
    assert "RELSMITH_WORDNET: no WordNet in" in line
