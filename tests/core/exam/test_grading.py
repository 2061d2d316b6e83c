"""Grades and their intervals."""

from itertools import pairwise

import pytest

from relsmith.clusters import share_interval
from relsmith.evaluation.statistics import share
from relsmith.exam.grading import Grade, Submission, grade, log_entry
from relsmith.exam.holder import Holder
from relsmith.seed import Stream
from relsmith.testing.profile import scaled

from .conftest import right_answers


def test_whole_percents_are_rounded_outward() -> None:
    grade = Grade(200, 101, 0.4321, 0.5701)
    assert grade.whole_percents() == {"questions": 200, "score": 51, "low": 43, "high": 58}
    assert Grade(3, 3, 0.4, 1.0).whole_percents()["score"] == 100


def test_one_answer_changes_a_rounded_score_only_at_a_limit() -> None:
    scores = [Grade(1000, right, 0, 1).whole_percents()["score"] for right in range(1001)]
    assert sum(one != two for one, two in pairwise(scores)) == 100


@pytest.mark.parametrize("clusters", [30, 400])
def test_intervals_are_those_of_the_evaluation(clusters: int) -> None:
    stream = Stream("intervals", clusters)
    for _ in range(scaled(20)):
        skill = [stream.random() for _ in range(clusters)]
        keys = [str(stream.below(clusters)) for _ in range(400)]
        right = [stream.random() < skill[int(key)] for key in keys]
        low, high = share_interval(right, keys)
        expected = share([float(each) for each in right], keys)
        width = expected.high - expected.low
        assert low == pytest.approx(expected.low, abs=0.15 * width)
        assert high == pytest.approx(expected.high, abs=0.15 * width)


def test_intervals_of_few_clusters_cover_the_truth() -> None:
    stream, covered, tries = Stream("coverage"), 0, scaled(2000)
    for _ in range(tries):
        skill = [stream.random() for _ in range(6)]
        right = [stream.random() < skill[n % 6] for n in range(120)]
        low, high = share_interval(right, [str(n % 6) for n in range(120)])
        covered += low <= 0.5 <= high
    assert 0.92 < covered / tries < 0.98


def test_intervals_at_the_ends() -> None:
    assert share_interval([True] * 5, [*"abcde"])[1] == 1
    assert share_interval([True] * 100, [*"ab"] * 50)[0] < 0.4, "two clusters"
    assert share_interval([False] * 5, [*"abcde"])[0] == 0
    assert share_interval([True, False], ["a", "a"])[0] < 0.1


def test_clusters_count_not_rows(made: object, holder: Holder) -> None:
    right = right_answers(holder)
    (grades,) = grade(holder.sealed, [Submission("", "", right)])
    assert {name: each[:2] for name, each in grades.items()} == {
        "all": (40, 40),
        "long": (10, 10),
        "short": (30, 30),
    }


def test_a_receipt_depends_on_everything() -> None:
    half = {"all": Grade(10, 5, 0.2, 0.8)}
    receipts = {
        log_entry(before, number, Submission(name, when, {}), data, grades)["receipt"]
        for before, number, name, when, data, grades in (
            ("before", 1, "Ann", "now", b"answers", half),
            ("x", 1, "Ann", "now", b"answers", half),
            ("before", 2, "Ann", "now", b"answers", half),
            ("before", 1, "Bo", "now", b"answers", half),
            ("before", 1, "Ann", "then", b"answers", half),
            ("before", 1, "Ann", "now", b"others", half),
            ("before", 1, "Ann", "now", b"answers", {"all": Grade(10, 6, 0.3, 0.8)}),
        )
    }
    assert len(receipts) == 7
