"""The public files of relation inference, if present."""

from collections.abc import Sequence
from pathlib import Path

import pytest
import torch

from relsmith.evaluation.model import RunContext
from relsmith.evaluation.papers.inference.task import InferencePair, InferenceTask

# More threads than free cores make these tests many times slower.
torch.set_num_threads(1)

FILES = Path(__file__).parents[4].parent / "shared" / "data" / "relinf"


@pytest.fixture(scope="session")
def public() -> Path:
    """The folder of the public files."""
    if not FILES.exists():
        pytest.skip("public relation-inference files not here")
    return FILES


@pytest.fixture(scope="session")
def levy_holt(public: Path) -> Sequence[InferencePair]:
    return InferenceTask().read(public / "levyholt-dev.tsv", "test").rows


@pytest.fixture(scope="session")
def job() -> RunContext:
    return RunContext()
