"""Rows of the world of time: what the ends of a chain give away, and questions for sets."""

from collections import Counter

import pytest

from relsmith.errors import InvalidOption
from relsmith.generators.clutrr import Clutrr
from relsmith.generators.clutrr.chain import Tally
from relsmith.kb.rules import Rules
from relsmith.kb.time import world
from relsmith.kb.time.judge import WORDS
from relsmith.kb.world import find_world


def test_what_is_told_of_the_two_alone_gives_little_away() -> None:
    """Chains begin and end with equals, which leaves all open, where they can."""
    for k, most in (("4", 65), ("8", 65)):
        generator = Clutrr.configure({"world": "time", "k": k, "style": "facts"})
        figures = Clutrr.measures(list(generator.examples(800)))
        assert figures[f"by what is told of the two alone, k = {k} (%)"] < most


def test_equals_is_taken_apart_only_where_nothing_else_can_be() -> None:
    """It follows from nothing but itself: taken apart for being told often, it is told more."""
    rules = Rules.of(world())
    assert [rules.predicates[unit] for unit in rules.units] == ["equals"]
    assert not Rules.of(find_world("kinship")).units
    tally, (equals,) = Tally(rules), rules.units
    tally.count([equals] * 50 + [rules.number["before"]])
    assert tally.usual[equals] == min(tally.usual) < 0.01


POSSIBLE = {"world": "time", "k": "2..4", "answer": "possible", "unknown_share": 0.7}


@pytest.mark.parametrize(
    "options",
    [{}, {"style": "plain", "noise": "all"}, {"style": "facts"}, {"conventions": "full"}],
    ids=str,
)
def test_all_that_is_possible_is_asked_for(options) -> None:
    generator = Clutrr.configure(POSSIBLE | options)
    sizes: Counter[int] = Counter()
    for row in generator.examples(60):
        assert not generator.problems(row), row.input
        members = row.target.split("; ")
        assert set(members) <= set(WORDS)
        assert row.metadata["relation"] == (row.target if len(members) == 1 else "")
        assert bool(row.metadata["proof"]) == (len(members) == 1)
        sizes[len(members)] += 1
    assert 14 <= sizes[1] <= 22, "three in ten are certain"
    assert len(sizes) > 3


def test_that_anything_may_be_is_seldom_the_answer() -> None:
    """Of stories of six facts that leave something open, three in four leave everything so."""
    generator = Clutrr.configure(POSSIBLE | {"k": "6", "style": "facts"})
    rows = [row.target.count("; ") + 1 for row in generator.examples(200)]
    assert rows.count(len(WORDS)) < 0.5 * sum(size > 1 for size in rows)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"unknown_share": 0}, "say how often more than one relation is left by --unknown-share"),
        ({"world": "kinship"}, "the world kinship has no question for 'possible'"),
        ({"choices": "3"}, "has no effect on possible questions"),
        ({"questions": "2"}, "more than one needs --answer relation"),
        ({"siblings": "names"}, "they need --answer relation"),
    ],
    ids=str,
)
def test_where_nothing_is_left_open_it_is_not_asked(options, said: str) -> None:
    with pytest.raises(InvalidOption, match=said):
        Clutrr.configure(POSSIBLE | options)


def test_a_set_is_read_in_any_order_and_as_a_whole() -> None:
    rows = Clutrr.configure(POSSIBLE).examples(40)
    row = next(row for row in rows if row.target.count("; ") == 2)
    one, two, three = row.target.split("; ")
    key = Clutrr.answer_key(row)
    for text in (
        f"{three}; {one}; {two}",
        f"Answer: {two}, {one}, and {three}.",
        f"1. {one}\n2. {two}\n3. {three}",
    ):
        assert key.score(text).value == 1, text
    more = next(word for word in WORDS if word not in row.target)
    for text in (
        *(f"{one}; {two}", f"{one}; {two}; {three}; {more}", f"not {one}; {two}; {three}"),
        *(f"{one} or {two} or {three}", "none", "unknown", "", f"{one}; {two}; {three}?"),
    ):
        assert key.score(text).value == 0, text
