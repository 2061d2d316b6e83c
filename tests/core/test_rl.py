"""The reward with parts: what cannot be gained by it."""

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relsmith import Example, make
from relsmith.errors import InvalidOption
from relsmith.generators.clutrr.metadata import stated_facts
from relsmith.prompting.rl import trl_reward
from relsmith.rl import reward
from relsmith.testing.profile import scaled


@cache
def noisy() -> list[Example]:
    return make("clutrr", k="2..4", noise="all", style="plain")[:10]


MUTUAL = ("brother", "sister", "brother-in-law", "sister-in-law")
WEIGHTS = {"answer": 1.0, "format": 0.5, "steps": 0.5}


@pytest.fixture(scope="module")
def rows() -> list[Example]:
    return make("clutrr", k="2..4", explain=True, noise="supporting")[: scaled(100)]


def sound(row: Example) -> str:
    return f"{' '.join(row.metadata['explanation'])}\nAnswer: {row.target}"


def stated(facts: list[list[str]]) -> str:
    return "".join(f"{y} is {x}'s {word}.\n" for x, word, y in facts)


def test_a_sound_derivation_earns_most(rows: list[Example]) -> None:
    for row in rows:
        assert reward(row, f"Answer: {row.target}") == reward(row, sound(row)) == 1
        assert reward(row, stated(row.metadata["facts"]) + f"Answer: {row.target}", steps=1) == 1
        assert reward(row, f"Answer: {row.target}", **WEIGHTS) == 0.75
        assert reward(row, row.target, **WEIGHTS) == 0.5
        best = reward(row, sound(row), **WEIGHTS)
        assert best > 0.9 or len(row.metadata["explanation"]) > 1


def test_useless_repeated_and_wrong_claims_earn_nothing(rows: list[Example]) -> None:
    for row in rows:
        facts, answer = row.metadata["facts"], f"Answer: {row.target}"
        useless = row.metadata["side_facts"] or row.metadata["noise_facts"][0][0]
        short = stated(facts) + answer
        assert reward(row, stated(useless * 3) + answer, steps=1) == 0.5
        assert reward(row, stated(useless) + short, steps=1) < 1
        assert reward(row, stated(facts) + short, steps=1) < 1
        assert reward(row, stated(facts), steps=1) == 0
        assert reward(row, stated(facts) + "Answer: nobody", steps=1) == 0
        turned = [[y, word, x] for x, word, y in facts]
        gender = dict(row.metadata["genders"])
        # Of two sisters, each is the sister of the other.
        if any(word not in MUTUAL or gender[x] != gender[y] for x, word, y in facts):
            assert reward(row, stated(turned) + answer, steps=1) <= 0.5


def test_open_answers_have_no_steps() -> None:
    rows = [row for row in make("clutrr", k="2", unknown_share=0.9)[:8] if row.target == "unknown"]
    assert rows
    for row in rows:
        assert reward(row, "Answer: unknown", steps=1) == 1
        assert reward(row, "Answer: aunt", steps=1) == 0


def test_it_is_the_reward_for_trl(rows: list[Example]) -> None:
    for_trl = trl_reward(**WEIGHTS)
    assert for_trl.__name__ == "reward"
    for row in rows[:20]:
        texts = [sound(row), f"Answer: {row.target}", row.target, "no idea"]
        due = [reward(row, text, **WEIGHTS) for text in texts]
        assert for_trl(texts, [row.encoded()] * 4, answer=["aunt"] * 4) == due


@given(st.integers(0, 9), st.lists(st.integers(0, 30), max_size=4), st.booleans())
def test_more_claims_never_earn_more(number: int, more: list[int], is_before: bool) -> None:
    """Add any facts of the story, useful or not, repeated or not, to the shortest derivation."""
    row = noisy()[number]
    facts = stated_facts(row.metadata)
    added = stated([facts[place % len(facts)] for place in more])
    short = stated(row.metadata["facts"])
    best = reward(row, f"{short}Answer: {row.target}", answer=0, steps=1)
    text = f"{added}{short}" if is_before else f"{short}{added}"
    worth = reward(row, f"{text}Answer: {row.target}", answer=0, steps=1)
    assert best == 1
    assert worth < best or not more
    assert reward(row, f"{added}Answer: {row.target}", answer=0, steps=1) <= best
    assert 0 <= worth <= 1


def test_weights_are_checked(rows: list[Example]) -> None:
    for weights in ({"steps": -1.0}, {"answer": 0.0}):
        with pytest.raises(InvalidOption, match="weights"):
            reward(rows[0], "", **weights)
