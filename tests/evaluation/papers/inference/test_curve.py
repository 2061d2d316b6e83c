"""Precision-recall curves: recounted independently, bounded, independent of order."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from relsmith.evaluation.papers.inference.curve import Curve

SCORE = st.none() | st.integers(0, 6).map(lambda n: n / 6) | st.floats(0, 1)
Ranked = list[tuple[float | None, bool]]
RANKED = st.lists(st.tuples(SCORE, st.booleans()), max_size=40)


def curve_of(ranked: Ranked) -> Curve:
    scores = np.array([np.nan if score is None else score for score, _ in ranked], float)
    implied = np.array([label for _, label in ranked], bool)
    return Curve.of(scores, implied)


def points(curve: Curve) -> list[list[float]]:
    return np.stack([curve.predicted, curve.right], 1).tolist()


@given(RANKED)
def test_every_point_equals_an_independent_count(ranked: Ranked) -> None:
    curve = curve_of(ranked)
    thresholds = sorted({score for score, _ in ranked if score is not None}, reverse=True)
    assert len(curve.predicted) == len(thresholds)
    implied = [label for _, label in ranked].count(True)
    for place, threshold in enumerate(thresholds):
        predicted = [label for score, label in ranked if score is not None and score >= threshold]
        assert points(curve)[place] == [len(predicted), predicted.count(True)]
        assert curve.precisions[place] == predicted.count(True) / len(predicted)
        assert curve.recalls[place] == (predicted.count(True) / implied if implied else 0)


@given(RANKED, st.floats(0, 1))
def test_area_and_recall_stay_within_bounds(ranked: Ranked, least: float) -> None:
    curve = curve_of(ranked)
    recalls = curve.recalls.tolist()
    assert recalls == sorted(recalls)
    assert 0 <= curve.area(least) <= curve.area(0) + 1e-9 <= 1 + 2e-9
    assert 0 <= curve.recall_at(least) <= 1
    assert curve.recall_at(1) <= curve.recall_at(least)
    assert curve.area(least) <= max(recalls, default=0) + 1e-9


@given(RANKED, st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(ranked: Ranked, rng: random.Random) -> None:
    shuffled = rng.sample(ranked, len(ranked))
    assert points(curve_of(ranked)) == points(curve_of(shuffled))


@given(st.lists(st.booleans(), min_size=1))
def test_the_best_ranking_has_all_the_area(implied: list[bool]) -> None:
    best = curve_of([(float(label), label) for label in implied])
    assert best.area() == (1.0 if any(implied) else 0.0)
    assert best.recall_at(0.8) == (1.0 if any(implied) else 0.0)


def test_an_area_by_hand() -> None:
    curve = curve_of([(0.9, True), (0.8, True), (0.8, False), (0.1, False), (None, True)])
    assert points(curve) == [[1, 1], [3, 2], [4, 2]]
    assert curve.area() == pytest.approx(1 / 3 * 1 + 1 / 3 * 2 / 3)
    assert curve.area(0.7) == pytest.approx(1 / 3)
    assert curve.recall_at(0.8) == pytest.approx(1 / 3)
    assert curve.recall_at(0.6) == pytest.approx(2 / 3)
    assert curve_of([]).area() == curve_of([]).recall_at(0.8) == 0
