"""Small datasets of kinship stories, made once."""

from pathlib import Path
from typing import Any

import pytest

from relsmith import write
from relsmith.evaluation.result import Setup
from relsmith.evaluation.training import Training
from relsmith.generators.clutrr import Clutrr

CHAINS = {"side_facts": 0, "direction": "forward"}
"""Options as in the thesis, where small models learn from few stories."""


def made_setup(model: str, **given: Any) -> Setup:
    """Return the setup of a synthetic result."""
    made: dict[str, Any] = {"label": model, "baseline": False, "hyperparameters": {}, "train": None}
    made |= {"training": Training(), "files": {}, "device": "cpu", "versions": {}}
    return Setup(model=model, **made | given)


@pytest.fixture(scope="session")
def clean_stories(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Stories of two and three facts, and a test of up to five."""
    out = tmp_path_factory.mktemp("stories") / "clean"
    options = {"k": "2..5", "train_k": "2,3", "hold_out": "templates,clauses", **CHAINS}
    write(Clutrr.configure(options), out, {"train": 800, "test": 120})
    return out


@pytest.fixture(scope="session")
def noisy_stories(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Stories with noise."""
    out = tmp_path_factory.mktemp("stories") / "noisy"
    options = {"k": "2,3", "noise": "supporting", **CHAINS}
    write(Clutrr.configure(options), out, {"train": 800, "test": 120})
    return out
