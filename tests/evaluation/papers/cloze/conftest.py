"""Small datasets of cloze tests, made once from built-in pairs."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from relsmith import write
from relsmith.evaluation.papers.cloze import task as cloze
from relsmith.evaluation.papers.cloze.encoding import ClozeVocabulary, EncodedPairs, Predictor
from relsmith.evaluation.papers.cloze.filling import fill
from relsmith.evaluation.papers.cloze.task import ClozeRow
from relsmith.generators.cloze import Cloze

# More threads than free cores make these tests many times slower.
torch.set_num_threads(1)


@pytest.fixture(scope="session")
def cloze_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built-in pairs, in two splits."""
    out = tmp_path_factory.mktemp("cloze") / "pairs"
    write(Cloze(difficulty=False), out, {"train": 100, "test": 40})
    return out


@pytest.fixture(scope="session")
def pairs(cloze_folder: Path) -> list[ClozeRow]:
    """64 short pairs."""
    rows = cloze.ClozeTask().read(cloze_folder, "train").rows
    return sorted(rows, key=lambda pair: len(pair.concrete))[:64]


@pytest.fixture(scope="session")
def vocabulary(pairs: list[ClozeRow]) -> ClozeVocabulary:
    return ClozeVocabulary.of(pairs)


@pytest.fixture(scope="session")
def few(pairs: list[ClozeRow], vocabulary: ClozeVocabulary) -> EncodedPairs:
    return EncodedPairs.of(pairs, vocabulary, 50)


Figures = Callable[..., dict[str, float]]


@pytest.fixture(scope="session")
def figures() -> Figures:
    """Return all figures of a predictor, by its task."""

    def measured(
        predictor: Predictor,
        pairs: list[ClozeRow],
        data: EncodedPairs,
        vocabulary: ClozeVocabulary,
    ) -> dict[str, float]:
        task = cloze.ClozeTask()
        filled = fill(predictor, data, vocabulary)
        numbers = [task.numbers(*row) for row in zip(pairs, filled, strict=True)]
        sums = dict(zip(task.columns, map(sum, zip(*numbers, strict=True)), strict=True))
        return {
            name: ratio.scale * sums[ratio.top] / max(sums[ratio.bottom or ""], 1)
            for name, ratio in task.figures.items()
        }

    return measured
