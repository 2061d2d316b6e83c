"""Combination of several methods."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relsmith.evaluation.papers.inference.layered import combine_scores

SURE = st.none() | st.floats(0, 1, exclude_min=True)


@given(st.lists(st.tuples(SURE, SURE, SURE), min_size=1))
def test_combined_scores_rank_earlier_methods_first(
    rows: list[tuple[float | None, float | None, float | None]],
) -> None:
    found = combine_scores([list(layer) for layer in zip(*rows, strict=True)])
    for row, score in zip(rows, found, strict=True):
        assert (score is None) == all(one is None for one in row)
    ranks = [
        next(((2 - at, one) for at, one in enumerate(row) if one is not None), None) for row in rows
    ]
    pairs = [(rank, score) for rank, score in zip(ranks, found, strict=True) if rank and score]
    for rank, score in pairs:
        for other, lower in pairs:
            if rank[0] > other[0]:
                assert score > lower or score == pytest.approx(lower)
            if rank[0] == other[0] and rank[1] >= other[1]:
                assert score >= lower
