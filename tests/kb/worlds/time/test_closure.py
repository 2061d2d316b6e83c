"""Who questions solved by the closure of moments, held against real events and the judge."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relsmith.kb.worlds.time import world
from relsmith.kb.worlds.time.closure import all_matching, possible_words
from relsmith.kb.worlds.time.intervals import relation
from relsmith.kb.worlds.time.judge import WORDS, judge
from relsmith.kb.worlds.verdict import Status
from relsmith.testing.profile import scaled

moments = st.lists(st.integers(0, 9), min_size=2, max_size=2, unique=True).map(sorted).map(tuple)


@given(st.data())
def test_all_matching_agrees_with_the_judge(data):
    """Two programs that share no code must agree."""
    word = {name: entry.word() for name, entry in world().predicates.items()}
    spans = data.draw(st.lists(moments, min_size=3, max_size=8))
    pairs = st.lists(st.integers(0, len(spans) - 1), min_size=2, max_size=2, unique=True)
    told = data.draw(st.lists(pairs, min_size=1, max_size=12))
    facts = [(f"t{x}", word[relation(spans[x], spans[y])], f"t{y}") for x, y in told]
    events = sorted({event for x, _, y in facts for event in (x, y)})
    for asked in WORDS:
        for x in events:
            certain = [
                y
                for y in events
                if y != x and judge(facts, (x, y), asked).status is Status.ENTAILED
            ]
            assert all_matching(facts, {}, x, asked) == certain


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("began and ended at the same time as", ["ball"]),
        ("ended before the start of", ["act"]),
        ("began after the end of", []),
    ],
)
def test_by_example(asked, answer):
    """No rule of two steps finds the ball, of which one path gives the start, another the end."""
    facts = [
        ("fair", "began at the same time as but ended earlier than", "hike"),
        ("ball", "began at the same time as but ended earlier than", "hike"),
        ("fair", "began later than but ended at the same time as", "race"),
        ("ball", "began later than but ended at the same time as", "race"),
        ("ball", "ended before the start of", "act"),
    ]
    assert all_matching(facts, {}, "fair", asked) == answer


@settings(max_examples=scaled(150))
@given(st.data())
def test_what_is_left_is_what_the_judge_thinks_possible(data):
    """One puts all moments in an order with each word, the other looks at four moments alone."""
    word = {name: entry.word() for name, entry in world().predicates.items()}
    spans = data.draw(st.lists(moments, min_size=3, max_size=6))
    pairs = st.lists(st.integers(0, len(spans) - 1), min_size=2, max_size=2, unique=True)
    told = data.draw(st.lists(pairs, min_size=1, max_size=8))
    facts = [(f"t{x}", word[relation(spans[x], spans[y])], f"t{y}") for x, y in told]
    for x, y in ((0, 1), (1, 2), (2, 0)):
        query = (f"t{x}", f"t{y}")
        possible = possible_words(facts, {}, query)
        assert possible == sorted(judge(facts, query).answers)
        assert word[relation(spans[x], spans[y])] in possible


def test_what_cannot_be_leaves_nothing():
    facts = [("a", "began after the end of", "b"), ("b", "began after the end of", "a")]
    assert possible_words(facts, {}, ("a", "b")) == []
