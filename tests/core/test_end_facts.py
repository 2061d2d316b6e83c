"""The baseline from end facts: its features by hand, its regression against another program."""

from random import Random

import numpy as np
import pytest

from relsmith import end_facts
from relsmith.end_facts import end_fact_features, end_relations, predict_from_end_facts

FACTS = [("Ann", "son", "Bob"), ("Cat", "aunt", "Ann"), ("Dan", "wife", "Cat")]


def test_only_end_facts_are_read_each_from_its_end() -> None:
    assert end_relations(FACTS, ("Ann", "Cat")) == (["son", "~aunt"], ["wife", "~aunt"])
    assert end_relations(FACTS, ("Bob", "Dan")) == (["~son"], ["~wife"])


def test_features_are_relations_pairs_genders_and_numbers_of_facts() -> None:
    genders = {"Ann": "female", "Bob": "male", "Dan": "male"}
    assert end_fact_features(FACTS, ("Ann", "Dan"), genders) == (
        *("first son", "first ~aunt", "last ~wife"),
        *("son, ~wife", "~aunt, ~wife"),
        *("first gender female", "first facts 2", "last gender male", "last facts 1"),
    )
    # Facts between other people, and their genders, change nothing.
    more = [*FACTS, ("Bob", "wife", "Eve")]
    other = genders | {"Bob": "female", "Eve": "female"}
    assert end_fact_features(more, ("Ann", "Dan"), other) == end_fact_features(
        FACTS, ("Ann", "Dan"), genders
    )


def rows(count: int) -> tuple[list[tuple[str, ...]], list[str]]:
    """Return features, and answers that depend on two of them, with noise."""
    random = Random(1)
    features = [
        tuple(sorted({random.choice("abcdefgh") for _ in range(random.randint(1, 5))}))
        for _ in range(count)
    ]
    answers = [
        random.choice("xyz") if random.random() < 0.3 else "x" if "a" in some else "yz"["b" in some]
        for some in features
    ]
    return features, answers


def test_the_regression_equals_that_of_another_program() -> None:
    linear_model = pytest.importorskip("sklearn.linear_model")
    features, answers = rows(400)
    names = sorted({name for some in features for name in some})
    dense = np.array([[name in some for name in names] for some in features], float)
    other = linear_model.LogisticRegression(
        C=1 / end_facts._PENALTY, fit_intercept=False, tol=1e-9, max_iter=5000
    ).fit(dense, answers)
    column = {name: number for number, name in enumerate(names)}
    counts = np.array([[answer == target for target in "xyz"] for answer in answers], float)
    ours = end_facts._fit(end_facts._places(features, column), counts, len(names))
    assert not ours[-1].any()
    assert np.allclose(ours[:-1].T, other.coef_, atol=2e-3)
    assert (
        predict_from_end_facts(zip(features, answers, strict=True), features)
        == other.predict(dense).tolist()
    )


def test_it_converges_and_the_order_of_rows_does_not_matter() -> None:
    features, answers = rows(300)
    known = list(zip(features, answers, strict=True))
    asked, _ = rows(350)
    assert predict_from_end_facts(known, asked) == predict_from_end_facts(known[::-1], asked)

    def loss(place: np.ndarray) -> tuple[float, np.ndarray]:
        return float(((place - 3) ** 4).sum()), 4 * (place - 3) ** 3

    assert end_facts._minimize(loss, np.ones(5), 1e-9) == pytest.approx(3, abs=1e-2)


def test_unknown_features_are_ignored_and_without_training_rows_there_is_no_answer() -> None:
    known = [(("a", "c"), "aunt"), (("b", "c"), "son"), (("b", "c"), "son")]
    assert predict_from_end_facts(known, [("a", "new"), ("b",), ("c",), ()]) == [
        *("aunt", "son", "son", "aunt")
    ]
    assert predict_from_end_facts([], [("a",)]) == [""]
    assert predict_from_end_facts(known, []) == []
