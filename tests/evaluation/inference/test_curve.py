"""Curves: recounted without our code, bounded, monotone, blind to the order of ties."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relsmith.evaluation.relinf.curve import Curve, Point, union

SCORE = st.none() | st.integers(0, 6).map(lambda n: n / 6) | st.floats(0, 1)
RANKED = st.lists(st.tuples(SCORE, st.booleans()), max_size=40)


@given(RANKED)
def test_every_point_is_recounted(ranked: list[tuple[float | None, bool]]) -> None:
    scores, implied = [one[0] for one in ranked], [one[1] for one in ranked]
    curve = Curve.of(scores, implied)
    thresholds = sorted({score for score in scores if score is not None}, reverse=True)
    assert len(curve.points) == len(thresholds)
    for threshold, point in zip(thresholds, curve.points, strict=True):
        taken = [label for score, label in ranked if score is not None and score >= threshold]
        assert point == (len(taken), taken.count(True))
        assert curve.precision(point) == taken.count(True) / len(taken)
        if any(implied):
            assert curve.recall(point) == taken.count(True) / implied.count(True)


@given(RANKED, st.floats(0, 1))
def test_area_and_recall_stay_within_bounds(
    ranked: list[tuple[float | None, bool]], least: float
) -> None:
    curve = Curve.of([one[0] for one in ranked], [one[1] for one in ranked])
    recalls = [curve.recall(point) for point in curve.points]
    assert recalls == sorted(recalls)
    assert 0 <= curve.area(least) <= curve.area(0) <= 1 + 1e-9
    assert 0 <= curve.recall_at(least) <= 1
    assert curve.recall_at(1) <= curve.recall_at(least)
    assert curve.area(least) <= max(recalls, default=0) + 1e-9


@given(RANKED, st.randoms(use_true_random=False))
def test_the_order_of_rows_tells_nothing(
    ranked: list[tuple[float | None, bool]], rng: random.Random
) -> None:
    shuffled = rng.sample(ranked, len(ranked))
    curves = [Curve.of([a for a, _ in one], [b for _, b in one]) for one in (ranked, shuffled)]
    assert curves[0] == curves[1]


@given(st.lists(st.booleans(), min_size=1))
def test_the_best_ranking_has_all_the_area(implied: list[bool]) -> None:
    best = Curve.of([float(label) for label in implied], implied)
    assert best.area() == (1.0 if any(implied) else 0.0)
    assert best.recall_at(0.8) == (1.0 if any(implied) else 0.0)


def test_an_area_by_hand() -> None:
    curve = Curve.of([0.9, 0.8, 0.8, 0.1, None], [True, True, False, False, True])
    assert curve.points == [(1, 1), (3, 2), (4, 2)]
    assert curve.area() == pytest.approx(1 / 3 * 1 + 1 / 3 * 2 / 3)
    assert curve.area(0.7) == pytest.approx(1 / 3)
    assert curve.recall_at(0.8) == pytest.approx(1 / 3)
    assert curve.recall_at(0.6) == pytest.approx(2 / 3)
    assert Curve([], 0).recall(Point(0, 0)) == Curve([], 0).precision(Point(0, 0)) == 0


SURE = st.none() | st.floats(0, 1, exclude_min=True)


@given(st.lists(st.tuples(SURE, SURE, SURE), min_size=1))
def test_a_union_keeps_what_comes_first_first(
    rows: list[tuple[float | None, float | None, float | None]],
) -> None:
    found = union([list(layer) for layer in zip(*rows, strict=True)])
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
