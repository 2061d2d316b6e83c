"""The reward with parts: what cannot be gained by it."""

import pytest

from relsmith import Example, make
from relsmith.errors import InvalidOption
from relsmith.prompting.rl import step_reward
from relsmith.rl import reward
from relsmith.testing.profile import scaled

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


def test_trl_adds_it_to_other_rewards(rows: list[Example]) -> None:
    texts = [stated(rows[0].metadata["facts"]) + f"Answer: {rows[0].target}", "no idea"]
    assert step_reward(texts, [rows[0].encoded()] * 2, answer=["aunt"] * 2) == [1, 0]


def test_weights_are_checked(rows: list[Example]) -> None:
    for weights in ({"steps": -1.0}, {"answer": 0.0}):
        with pytest.raises(InvalidOption, match="weights"):
            reward(rows[0], "", **weights)
