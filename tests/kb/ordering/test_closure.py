"""Who questions solved by bounds on differences, held against the judge."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relsmith.kb.ordering.closure import everyone
from relsmith.kb.ordering.judge import WORDS, judge
from relsmith.kb.verdict import Status


@settings(deadline=None, max_examples=200)
@given(st.data())
def test_whoever_is_certain_is_so_for_the_judge_and_nobody_else(data):
    """Two programs that share no code must agree."""
    names = "abcdefg"[: data.draw(st.integers(2, 7))]
    two = st.lists(st.sampled_from(names), min_size=2, max_size=2, unique=True)
    words = st.sampled_from(WORDS if data.draw(st.booleans()) else WORDS[:5])
    told = data.draw(st.lists(st.tuples(two, words), min_size=1, max_size=12))
    facts = [(x, word, y) for (x, y), word in told]
    people = sorted({name for x, _, y in facts for name in (x, y)})
    if judge(facts, ("a", "b")).status is Status.IMPOSSIBLE:
        return
    for asked in WORDS:
        for x in people:
            certain = [
                y
                for y in people
                if y != x and judge(facts, (x, y), asked).status is Status.ENTAILED
            ]
            assert everyone(facts, {}, x, asked) == certain


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("taller than", ["Dan", "Eve"]),
        ("not shorter than", ["Bob", "Cat", "Dan", "Eve"]),
        ("as tall as", ["Bob"]),
        ("not taller than", ["Bob"]),
        ("older than", []),
        ("younger than", ["Eve"]),
    ],
)
def test_by_example(asked, answer):
    facts = [
        ("Ann", "as tall as", "Bob"),
        ("Bob", "not shorter than", "Cat"),
        ("Cat", "taller than", "Dan"),
        ("Eve", "shorter than", "Ann"),
        ("Ann", "younger than", "Eve"),
    ]
    assert everyone(facts, {}, "Ann", asked) == answer


def test_no_comparison_is_refused():
    with pytest.raises(ValueError, match="no comparison 'richer than'"):
        everyone([], {}, "Ann", "richer than")
