"""The BATS files, which may not be redistributed."""

from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[4] / "shared" / "data" / "bats"


@pytest.fixture
def bats() -> Path:
    if not FOLDER.is_dir():
        pytest.skip("the BATS files are not here")
    return FOLDER
