"""Whole datasets of every generator at its defaults: written, regenerated and judged."""

from pathlib import Path

import pytest

from relsmith import make, verify, write
from relsmith.capabilities import Limited
from relsmith.testing.profile import profile, scaled

SPLITS = ("train", "test")
UNLIMITED = 2_000
"""Rows of unlimited generators, in the full profile."""
MOST = {"analogy": 100_000}
"""Maximum rows in the full profile."""


@pytest.mark.parametrize(
    "name", ["analogy", "cloze", "clutrr", pytest.param("relinf", marks=pytest.mark.slow)]
)
def test_every_row_passes_its_judge(name: str, tmp_path: Path) -> None:
    generator = make(name)
    limits = Limited.of(generator).capacity(SPLITS, 0) or dict.fromkeys(SPLITS, UNLIMITED)
    most = MOST.get(name, 2 * max(limits.values())) // len(SPLITS)
    quick = scaled(2_000) if profile() == "quick" else most
    write(generator, tmp_path / name, {split: min(limits[split], quick) for split in SPLITS})
    assert list(verify(tmp_path / name)) == []


@pytest.mark.slow
def test_every_labelled_pair_passes_its_judge(candidates: Path, tmp_path: Path) -> None:
    shares = "train=0.8,test=0.2"
    generator = make("relinf-aggregate", candidates=str(candidates), simulated=5, shares=shares)
    write(generator, tmp_path / "pairs", Limited.of(generator).capacity(SPLITS, 0))
    assert list(verify(tmp_path / "pairs", trust=True)) == []


@pytest.fixture(scope="module")
def candidates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("relinf") / "candidates"
    generator = make("relinf")
    every = Limited.of(generator).capacity(("train",), 0)["train"]
    write(generator, folder, {"train": min(every, scaled(every))})
    return folder
