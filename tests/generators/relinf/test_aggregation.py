"""Aggregation rules, agreement compared with references, detection of bad annotators."""

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relsmith.generators.relinf.aggregation import (
    against_experts,
    aggregate,
    alpha,
    check_rule,
    worker_quality,
)
from relsmith.generators.relinf.annotation import Vote
from relsmith.generators.relinf.label_judge import decide

LABELS = ["yes", "no", "nonsense"]
RULES = ["all-but-one", "majority", "4/5", "3/5", "2/3"]


def cast(*labels: str) -> dict[str, list[Vote]]:
    return {"t": [Vote("t", f"w{n}", label) for n, label in enumerate(labels)]}  # type: ignore[arg-type]


Y, N, X = LABELS


@pytest.mark.parametrize(
    ("labels", "rule", "label"),
    [
        ((Y, Y, Y, Y, Y), "all-but-one", Y),
        ((Y, Y, Y, Y, N), "all-but-one", Y),
        ((Y, Y, Y, N, N), "all-but-one", None),
        ((X, X, X, N, X), "all-but-one", X),
        ((Y, Y, N), "all-but-one", Y),
        ((Y, N), "all-but-one", None),
        ((Y,), "all-but-one", None),
        ((Y, Y, Y, N, N), "3/5", Y),
        ((Y, Y, Y, N, N), "4/5", None),
        ((Y, Y, Y, Y), "4/5", Y),
        ((Y, Y, Y), "4/5", None),
        ((Y,) * 7 + (N,) * 3, "4/5", None),
        ((Y,) * 8 + (N,) * 2, "4/5", Y),
        ((Y, Y, N), "majority", Y),
        ((Y, N), "majority", None),
        ((Y, Y, N, X), "majority", None),
        ((Y,), "majority", Y),
    ],
)
def test_rules(labels: tuple[str, ...], rule: str, label: str | None) -> None:
    verdict = aggregate(cast(*labels), rule)["t"]
    assert (verdict and verdict.label) == label
    if verdict:
        assert verdict.confidence == pytest.approx(
            labels.count(verdict.label) / len(labels), abs=1e-4
        )


@pytest.mark.parametrize("rule", ["5/4", "2/5", "most", "1/2", "0/3", "-1/3", "4/5/6", ""])
def test_unknown_rules_are_refused(rule: str) -> None:
    with pytest.raises(ValueError, match=r"expected|half"):
        check_rule(rule)


matrix = st.lists(
    st.dictionaries(st.sampled_from("abcdef"), st.sampled_from(LABELS), min_size=1),
    min_size=1,
    max_size=30,
)


@given(matrix, st.sampled_from(RULES))
def test_the_judge_agrees_by_other_means(table: list[dict[str, str]], rule: str) -> None:
    votes = {
        f"t{n}": [Vote(f"t{n}", worker, label) for worker, label in row.items()]  # type: ignore[arg-type]
        for n, row in enumerate(table)
    }
    for task, verdict in aggregate(votes, rule).items():
        label, confidence = decide([vote.label for vote in votes[task]], rule)
        if verdict is None:
            assert label == ""
        else:
            assert confidence == pytest.approx(verdict.confidence, abs=2e-4)
            # Two equally likely labels may come out either way.
            assert label == verdict.label or confidence < 0.5001


def crowd(errors: list[float], tasks: int = 400) -> tuple[dict[str, str], dict[str, list[Vote]]]:
    rng = random.Random(3)
    truth = {f"t{n}": rng.choices(LABELS, [3, 6, 1])[0] for n in range(tasks)}
    votes = {
        task: [
            Vote(
                task,
                f"w{w}",
                rng.choice([x for x in LABELS if x != label]) if rng.random() < e else label,
            )  # type: ignore[arg-type]
            for w, e in enumerate(errors)
        ]
        for task, label in truth.items()
    }
    return truth, votes


def test_bad_annotators_come_first() -> None:
    _, votes = crowd([0.02, 0.7, 0.05, 0.04, 0.03])
    found = worker_quality(votes)
    assert found[0].worker == "w1"
    assert found[0].with_others is not None
    assert found[0].with_others < 0.5 < (found[1].with_others or 0)
    assert {one.votes for one in found} == {400}


def test_alpha_by_its_definition() -> None:
    _, votes = crowd([0.1, 0.2, 0.3], tasks=60)
    votes["t0"] = votes["t0"][:1]
    votes["t1"] = votes["t1"][:2]
    pairs: Counter[tuple[str, str]] = Counter()
    for on in votes.values():
        for one in on:
            for other in on:
                if one.worker != other.worker:
                    pairs[one.label, other.label] += 1 / (len(on) - 1)  # type: ignore[assignment]
    totals = Counter()
    for (one, _), weight in pairs.items():
        totals[one] += weight  # type: ignore[assignment]
    n = sum(totals.values())
    observed = sum(weight for (one, other), weight in pairs.items() if one != other) / n
    expected = sum(totals[a] * totals[b] for a in totals for b in totals if a != b) / (n * (n - 1))
    assert alpha(votes) == pytest.approx(1 - observed / expected)


@pytest.mark.parametrize("votes", [{}, cast(Y), cast(Y, Y)])
def test_undefined_agreement_is_none(votes: dict[str, list[Vote]]) -> None:
    assert alpha(votes) is None


def test_perfect_agreement() -> None:
    votes = {**cast(Y, Y, Y), "u": [Vote("u", f"w{n}", N) for n in range(3)]}
    assert alpha(votes) == pytest.approx(1)


def test_against_experts() -> None:
    verdicts = aggregate(
        {
            "a": cast(Y, Y, Y)["t"],
            "b": cast(N, N, N)["t"],
            "c": cast(X, X, X)["t"],
            "d": cast(Y, N, X)["t"],
            "e": cast(Y, Y, Y)["t"],
        }
    )
    experts = {task: [Vote(task, "expert", Y)] for task in "abcd"}
    found = against_experts(verdicts, experts)
    assert (found.compared, found.agreed, found.precision) == (2, 1, 0.5)
