"""Rule files, rule graphs, and the entailment graph on the public file."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from relsmith.errors import InvalidInput, InvalidOption, NotFound
from relsmith.evaluation.model import RunContext
from relsmith.evaluation.papers.inference.curve import Curve
from relsmith.evaluation.papers.inference.layered import RuleList
from relsmith.evaluation.papers.inference.model import Scores
from relsmith.evaluation.papers.inference.rules import (
    InferenceRule,
    RuleGraph,
    _rule,
    read_rules,
)
from relsmith.evaluation.papers.inference.task import Assertion, InferencePair

WORDS = st.sampled_from("writes composes reads eats bites likes".split())


def pair(premise: str, hypothesis: str, *, crossed: bool = False) -> InferencePair:
    second = ("y1", hypothesis, "x1") if crossed else ("x1", hypothesis, "y1")
    return InferencePair(Assertion("x1", premise, "y1"), Assertion(*second), True)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("kill\tharm", InferenceRule("kill", "harm")),
        ("kill\tharm\t0.25", InferenceRule("kill", "harm", False, 0.25)),
        ("be below@R@\tbe above", InferenceRule("be below", "be above", True)),
        ("be below@R@\tbe under@R@", InferenceRule("be below", "be under", False)),
    ],
)
def test_lines(line: str, said: InferenceRule) -> None:
    assert _rule(line, "here:1") == said


@pytest.mark.parametrize(
    "line", ["kill", "kill\t", "a\tb\tmuch", "a\tb\tnan", "a\tb\t1\t2", "[X] ||| a ||| b"]
)
def test_bad_lines_are_named(line: str, tmp_path: Path) -> None:
    path = tmp_path / "rules.tsv"
    path.write_text(f"kill\tharm\n{line}\n")
    with pytest.raises(InvalidInput) as caught:
        list(read_rules(path))
    assert str(caught.value).startswith(f"{path}:2: ")
    assert "\n" not in str(caught.value)


def test_unreadable_files_are_refused(tmp_path: Path, job: RunContext) -> None:
    with pytest.raises(InvalidOption, match=r"rules\[0\]: no such file or folder: '.*none'"):
        RuleList(rules=(tmp_path / "none",)).digests()
    with pytest.raises(NotFound, match="rules: cannot read"):
        RuleList(rules=(tmp_path / "none",)).scores([pair("eats", "bites")], job)
    with pytest.raises(InvalidOption, match="rule-list: rules"):
        RuleList.configure({})
    with pytest.raises(InvalidOption, match="rule-list: rules"):
        RuleList.configure({"rules": ","})
    assert RuleList.configure({"rules": "a/b.tsv, c.txt"}).label == "b,c"


@given(WORDS, WORDS, st.booleans(), st.booleans())
def test_a_rule_applies_with_or_without_swapped_arguments(
    one: str, other: str, swapped: bool, crossed: bool
) -> None:
    graph = RuleGraph()
    graph.add([InferenceRule(one, other, swapped)])
    found = graph.score(pair(one, other, crossed=crossed), 1)
    assert (found == 1) == (swapped == crossed)
    if one != other:
        assert graph.score(pair(other, one, crossed=crossed), 1) is None


def test_passives_are_actives_with_swapped_arguments() -> None:
    graph = RuleGraph()
    graph.add([InferenceRule("compose", "write")])
    assert graph.score(pair("was composed by", "wrote", crossed=True), 1) == 1
    assert graph.score(pair("was composed by", "wrote"), 1) is None
    assert graph.score(pair("was composed by", "had been written by"), 1) == 1
    assert graph.score(pair("did not compose", "wrote"), 1) is None
    assert graph.score(pair("composed", "wrote about"), 1) is None


CHAIN = st.lists(st.tuples(WORDS, WORDS, st.integers(1, 9)), max_size=12)


@given(CHAIN, WORDS, WORDS, st.integers(1, 3))
def test_chains_follow_the_rules_of_the_graph(
    rules: list[tuple[str, str, int]], one: str, other: str, steps: int
) -> None:
    graph = RuleGraph()
    graph.add([InferenceRule(a, b, False, score) for a, b, score in rules])
    ranks = sorted({score for *_, score in rules})

    def walks(at: str, left: int) -> list[list[int]]:
        """Return all chains to the hypothesis, as the scores of their rules."""
        ways = []
        for a, b, score in rules:
            if a == at and left:
                ways += [[score]] if b == other else []
                ways += [[score, *rest] for rest in walks(b, left - 1)]
        return ways

    best = (
        max((min(map(ranks.index, way)) + 1) / len(ranks) / len(way) for way in found)
        if (found := walks(one, steps))
        else None
    )
    assert graph.score(pair(one, other), steps) == (best and pytest.approx(best))


def test_rules_without_content_are_left_out() -> None:
    graph = RuleGraph()
    graph.add([InferenceRule("be in", "have"), InferenceRule("eat", "have")])
    assert graph.score(pair("is in", "has"), 1) is None
    assert graph.score(pair("eats", "has"), 1) is None


def test_scores_order_the_curve_and_can_be_cut(tmp_path: Path, job: RunContext) -> None:
    path = tmp_path / "rules.tsv"
    path.write_text("eat\tbite\t-3.5\nread\tlike\t120\n")
    pairs = [pair("eats", "bites"), pair("reads", "likes"), pair("likes", "reads")]
    assert RuleList(rules=(path,)).scores(pairs, job) == [0.5, 1.0, None]
    assert RuleList(rules=(path,), least=0).scores(pairs, job) == [None, 1.0, None]
    first = [*pairs, pair("likes", "like")]
    assert RuleList(rules=(path,), lemma=True).scores(first, job) == [0.5, 1.0, None, 2.0]


def points(scores: Scores, pairs: Sequence[InferencePair]) -> list[list[int]]:
    numbers = np.array([np.nan if score is None else score for score in scores])
    curve = Curve.of(numbers, np.array([pair.implied for pair in pairs]))
    return np.stack([curve.predicted, curve.right], 1).tolist()


@pytest.mark.slow
def test_the_entailment_graph_raises_recall_at_a_precision_above_0_8(
    levy_holt: Sequence[InferencePair], public: Path, job: RunContext
) -> None:
    path = public / "entailment-graph-rules.tsv"
    alone = RuleList(rules=(path,)).scores(levy_holt, job)
    assert points(alone, levy_holt) == [[113, 99]]
    both = RuleList(rules=(path,), lemma=True, steps=2).scores(levy_holt, job)
    assert points(both, levy_holt) == [[181, 156], [213, 181], [239, 193]]
    assert 193 / 239 > 0.8
    assert 193 > 1.2 * 156
