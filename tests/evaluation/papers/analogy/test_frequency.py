"""The Kolmogorov-Smirnov test against scipy's, and frequencies of pairs."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from relsmith.evaluation.papers.analogy.frequency import pair_frequency
from relsmith.evaluation.statistics import kolmogorov_smirnov

VALUES = st.lists(st.integers(0, 9).map(float), min_size=1, max_size=30)


@given(VALUES, VALUES)
def test_the_distance_is_the_largest_gap_between_the_two(one, other) -> None:
    gaps = [
        abs(sum(x <= at for x in one) / len(one) - sum(x <= at for x in other) / len(other))
        for at in {*one, *other}
    ]
    distance, probability = kolmogorov_smirnov(one, other)
    assert distance == pytest.approx(max(gaps))
    assert 0 <= probability <= 1


@given(VALUES, VALUES)
def test_the_probability_is_what_scipy_says(one, other) -> None:
    distance, probability = kolmogorov_smirnov(one, other)
    size = math.sqrt(len(one) * len(other) / (len(one) + len(other)))
    assert probability == pytest.approx(float(special.kolmogorov(size * distance)), abs=1e-6)


def test_a_pair_is_nearly_as_rare_as_its_rarer_word() -> None:
    common, rare = pair_frequency(("dog", "dog")), pair_frequency(("aardvark", "aardvark"))
    assert common > rare + 1
    assert rare < pair_frequency(("dog", "aardvark")) < rare + math.log10(2) + 0.001
    assert pair_frequency(("dog", "qzxvvk")) == 0
