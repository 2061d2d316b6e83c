"""A dataset of candidates shared by tests."""

from pathlib import Path

import pytest

from relsmith import Dataset, Example, write
from relsmith.generators.relinf import Relinf


@pytest.fixture(scope="session")
def candidates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("relinf") / "candidates"
    write(Relinf(), folder, {"train": 1500})
    return folder


@pytest.fixture(scope="session")
def rows(candidates: Path) -> list[Example]:
    return list(Dataset(candidates).rows())


@pytest.fixture(scope="session")
def tasks(rows: list[Example]) -> list[str]:
    return list(dict.fromkeys(row.metadata["task"] for row in rows))
