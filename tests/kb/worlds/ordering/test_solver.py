"""Questions for people solved by bounds on differences, held against judge and rankings."""

from itertools import permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relsmith.kb.worlds.ordering.closure import all_matching, all_ranked
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
    assert all_matching(facts, "Ann", asked) == answer


def test_no_comparison_is_refused():
    with pytest.raises(ValueError, match="no comparison 'richer than'"):
        all_matching([], "Ann", "richer than")


SAYS = {
    "taller than": lambda x, y: y > x,
    "shorter than": lambda x, y: y < x,
    "as tall as": lambda x, y: y == x,
    "not taller than": lambda x, y: y <= x,
    "not shorter than": lambda x, y: y >= x,
}
"""Whether y is so, as compared with x, by their heights."""
pairs = st.sampled_from(list(permutations("abcd", 2)))


@settings(max_examples=scaled(300))
@given(st.lists(st.tuples(pairs, st.sampled_from(sorted(SAYS))), min_size=1, max_size=7))
def test_a_rank_is_certain_just_where_it_is_the_same_in_all_rankings(told):
    facts = [(x, word, y) for (x, y), word in told] + [("a", "older than", "b")]
    heights = [dict(zip("abcd", heights, strict=True)) for heights in product(range(4), repeat=4)]
    possible = [
        height
        for height in heights
        if all(SAYS[word](height[x], height[y]) for (x, y), word in told)
    ]
    if not possible:
        return
    for people in ("abcd", "abc", "bd"):
        for superlative, way in (("tallest", 1), ("shortest", -1)):
            for ahead, ordinal in enumerate(("", "second ", "third ")):
                certain = [
                    person
                    for person in people
                    if {
                        sum(way * height[other] > way * height[person] for other in people)
                        for height in possible
                    }
                    == {ahead}
                ]
                assert all_ranked(facts, list(people), ordinal + superlative) == certain


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("tallest", ["Dan"]),
        ("second tallest", ["Cat"]),
        ("third tallest", []),
        ("shortest", ["Ann", "Bob"]),
        ("oldest", []),
    ],
)
def test_ranks_by_example(asked, answer):
    """Cat may be as tall as Ann and Bob, or taller: so it is open whether they are third."""
    facts = [
        ("Ann", "as tall as", "Bob"),
        ("Bob", "not shorter than", "Cat"),
        ("Cat", "taller than", "Dan"),
        ("Ann", "younger than", "Dan"),
    ]
    assert all_ranked(facts, ["Ann", "Bob", "Cat", "Dan"], asked) == answer
