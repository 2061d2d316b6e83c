"""The table of placements, and small simulations of it."""

from pathlib import Path

import numpy as np
import orjson
import pytest
from placement import CHOICES, compare, fit, markdown, simulated

pytest.importorskip("scipy")


def test_the_page_has_the_table_of_the_file(root: Path) -> None:
    tables = orjson.loads((root / "docs/results/placement/placement.json").read_bytes())
    assert "\n".join(markdown(tables)) in (root / "docs/placement.md").read_text()
    for table in tables.values():
        for choice in ("random", "stratified"):
            assert all(each["coverage"] > 0.93 for each in table[choice].values())
        assert table["stratified"]["10"]["questions"] < table["random"]["10"]["questions"]


def test_a_small_simulation() -> None:
    pool = simulated(np.random.default_rng(1))
    few = pool._replace(right=pool.right[:6], models=pool.models[:6])
    table = compare(few, 2, 1)
    assert table["stratified"]["10"]["questions"] < 1.1 * table["random"]["10"]["questions"]
    assert all(table[choice]["7"]["error"] < 8 for choice in CHOICES)


def test_the_item_response_model_predicts_strata() -> None:
    """After many answers it has the shares of a candidate that it was not fitted to."""
    pool = simulated(np.random.default_rng(2))
    sizes = np.bincount(pool.strata)
    cells = np.stack([np.bincount(pool.strata, right) for right in pool.right])
    model = fit(pool.features, cells[1:], sizes)
    found = model.shares(cells[0], sizes)
    assert np.abs(found - cells[0] / sizes).max() < 0.2
    assert np.abs(found - cells[0] / sizes).mean() < 0.06
