"""Aggregation rules, and the judge's."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relsmith.generators.relinf.aggregation import (
    aggregate,
    check_rule,
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
