"""The reader of steps finds the claims that people have listed, and judges them alike."""

import pytest
import steps as bench


@pytest.mark.slow
@pytest.mark.parametrize("name", bench.SETS)
def test_claims_of_written_chains_of_thought(name: str) -> None:
    measured = bench.measure([name])
    assert measured.counts["texts"] >= 228
    assert measured.found >= 0.85
    assert measured.wrong <= 0.01
    for (listed, judged), count in measured.confusion.items():
        assert listed == judged, (listed, judged, count)
