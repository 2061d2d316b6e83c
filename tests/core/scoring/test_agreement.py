"""Agreement against published values and another implementation."""

import math
from collections import Counter
from collections.abc import Sequence

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from relsmith.scoring.agreement import krippendorff_alpha

# A row for each observer, a column for each unit, a point for a missing value.
PRINTED = {
    # K. Krippendorff, Computing Krippendorff's Alpha-Reliability, 2011: two observers and values
    "two": (["0100000000", "1110010100"], 0.095),
    # the same: four observers, five values, some missing
    "four": (["123321412...", "1233224125..", ".33323422513", "12332441251."], 0.743),
    # en.wikipedia.org/wiki/Krippendorff's_alpha, a computational example
    "three": ([".....34121133.3", "1.213343.......", "..21344.21133.4"], 0.691),
}


def units(observers: Sequence[str]) -> list[Counter[str]]:
    return [
        Counter(value for value in column if value != ".")
        for column in zip(*observers, strict=True)
    ]


@pytest.mark.parametrize("name", PRINTED)
def test_alpha_equals_the_published_values(name: str) -> None:
    observers, printed = PRINTED[name]
    assert krippendorff_alpha(units(observers)) == pytest.approx(printed, abs=0.0005)


votes = st.lists(st.sampled_from("abc"), max_size=5).map(Counter)


@given(st.lists(votes, min_size=1, max_size=12))
def test_alpha_equals_that_of_another_program(cells: list[Counter[str]]) -> None:
    ours = krippendorff_alpha(cells)
    pairable = [cell for cell in cells if cell.total() > 1]
    if len(set().union(*pairable)) < 2:
        assert ours is None
        return
    counts = np.array([[cell[value] for value in "abc"] for cell in pairable])
    domain = [0, 1, 2]
    theirs = krippendorff.alpha(
        value_counts=counts, value_domain=domain, level_of_measurement="nominal"
    )
    assert ours is not None
    assert math.isclose(ours, theirs, abs_tol=1e-9)


def test_alpha_is_undefined_without_variation() -> None:
    assert krippendorff_alpha([]) is None
    assert krippendorff_alpha([Counter("aaa"), Counter("b")]) is None
