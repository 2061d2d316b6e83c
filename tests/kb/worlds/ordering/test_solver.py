"""Verdicts by bounds on differences agree with judge and rankings."""

from itertools import permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relsmith.kb.worlds.ordering.judge import judge
from relsmith.kb.worlds.ordering.solver import solve
from relsmith.kb.worlds.verdict import Status
from relsmith.testing.profile import scaled


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
    people = ["Bob", "Cat", "Dan", "Eve"]
    verdicts = {person: solve(facts, ("Ann", person), asked) for person in people}
    assert [p for p in people if verdicts[p].status is Status.ENTAILED] == answer


SAYS = {
    "taller than": lambda x, y: y > x,
    "shorter than": lambda x, y: y < x,
    "as tall as": lambda x, y: y == x,
    "not taller than": lambda x, y: y <= x,
    "not shorter than": lambda x, y: y >= x,
}
"""Return whether y compares with x in this way by their heights."""
pairs = st.sampled_from(list(permutations("abcd", 2)))


@settings(max_examples=scaled(300))
@given(st.lists(st.tuples(pairs, st.sampled_from(sorted(SAYS))), min_size=1, max_size=7))
def test_verdicts_agree_with_all_rankings(told):
    facts = [(x, word, y) for (x, y), word in told] + [("a", "older than", "b")]
    heights = [dict(zip("abcd", heights, strict=True)) for heights in product(range(4), repeat=4)]
    possible = [
        height
        for height in heights
        if all(SAYS[word](height[x], height[y]) for (x, y), word in told)
    ]
    for x, y in permutations("abcd", 2):
        for word, holds in SAYS.items():
            found = {holds(height[x], height[y]) for height in possible}
            status = {
                (): Status.IMPOSSIBLE,
                (True,): Status.ENTAILED,
                (False,): Status.CONTRADICTED,
                (False, True): Status.UNDETERMINED,
            }[tuple(sorted(found))]
            verdict = solve(facts, (x, y), word)
            assert verdict.status is status
            assert verdict == judge(facts, (x, y), word)
        assert solve(facts, (x, y)) == judge(facts, (x, y))
