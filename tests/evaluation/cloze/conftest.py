"""Small datasets of cloze tests, made once from our own pairs."""

from pathlib import Path

import pytest
import torch

from relsmith import write
from relsmith.evaluation.cloze.encoding import Encoded, Vocabulary
from relsmith.evaluation.cloze.rows import Pair, read_pairs
from relsmith.generators.cloze import Cloze

# More threads than free cores make these tests many times slower.
torch.set_num_threads(1)


@pytest.fixture(scope="session")
def cloze_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pairs of our own, in two splits."""
    out = tmp_path_factory.mktemp("cloze") / "pairs"
    write(Cloze(difficulty=False), out, {"train": 100, "test": 40})
    return out


@pytest.fixture(scope="session")
def pairs(cloze_folder: Path) -> list[Pair]:
    """64 short pairs."""
    return sorted(read_pairs(cloze_folder, "train"), key=lambda pair: len(pair.concrete))[:64]


@pytest.fixture(scope="session")
def vocabulary(pairs: list[Pair]) -> Vocabulary:
    return Vocabulary.of(pairs)


@pytest.fixture(scope="session")
def few(pairs: list[Pair], vocabulary: Vocabulary) -> Encoded:
    return Encoded.of(pairs, vocabulary, 50)
