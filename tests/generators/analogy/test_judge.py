"""Findings of the judge about analogies."""

from dataclasses import replace

import relsmith


def test_a_probe_that_was_not_asked_for_is_found() -> None:
    analogies = relsmith.make("analogy")
    row = analogies[3]
    assert list(analogies.problems(row)) == []
    damaged = replace(row, metadata={**row.metadata, "probe": "other"})
    assert "probe 'other' was not asked for" in list(analogies.problems(damaged))
