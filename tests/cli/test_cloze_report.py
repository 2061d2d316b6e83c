"""`gen eval` on cloze tests and its reports, as the guide has them."""

import json
from pathlib import Path

import pytest


@pytest.fixture
def quick(gen):
    """As `gen`; torch has one thread in all tests."""
    return gen


@pytest.mark.slow
def test_the_guide_works_as_written(quick, root: Path, tmp_path: Path) -> None:
    page = (root / "docs" / "evaluation-cloze.md").read_text()
    block = page.partition("```sh\n")[2].partition("```")[0]
    lines = [line.split()[1:] for line in block.splitlines()]
    assert len(lines) == 5
    for words in lines:
        # The whole takes minutes.
        fewer = [word.replace("train=0.8,test=0.2", "train=60,test=15") for word in words]
        if words[0] == "eval":
            fewer += ["--epochs", "2", "--set", "hidden=8", "--set", "longest=20"]
        elif words[0] == "cloze":
            fewer += ["--no-difficulty"]
        done = quick(*fewer)
        assert done.returncode == 0, done.stderr
        if words[:3] == ["report", "paper", "cloze-models"]:
            assert "answers among words blanked in training" in done.stdout
            assert "23.57" in done.stdout
    assert (tmp_path / "alignments.png").exists()
    phrases = json.loads(quick("report", "paper", "cloze-phrases", "results", "--json").stdout)
    assert [list(table) for table in phrases] == [["abstract"], ["concrete"]]
    wrong = quick("report", "paper", "cloze-alignments", "results", "--set", "rows=x")
    assert wrong.returncode == 2 and "cloze-alignments: rows" in wrong.stderr
    bare = quick("report", "paper", "cloze-alignments", "results")
    assert bare.returncode == 2 and "has no table; add --plot" in bare.stderr
    none = quick("report", "paper", "cloze-phrases", "pairs")
    assert none.returncode == 2 and "no alignments by transducer" in none.stderr
