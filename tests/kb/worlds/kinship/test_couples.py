"""Everyone of whom a word follows: found by couples, held against the judge and seen red."""

import pytest

from relsmith.kb.worlds.kinship import couples
from relsmith.kb.worlds.kinship.couples import all_matching


@pytest.mark.parametrize(
    ("facts", "x", "word", "right"),
    [
        # Her husband is a son of Amelia, who is Priya's mother: no rule says so, every family does.
        (
            [("Priya", "mother", "Amelia"), ("Yara", "mother-in-law", "Amelia")],
            *("Priya", "sister-in-law", ["Yara"]),
        ),
        ([("Frank", "son", "Al"), ("Frank", "grandson", "Guy")], "Al", "nephew", []),
        ([("Al", "brother", "Bo"), ("Bo", "brother", "Cy")], "Al", "brother", ["Bo", "Cy"]),
        ([("Al", "uncle", "Bo"), ("Al", "father", "Cy")], "Cy", "brother", []),
        ([("Al", "wife", "Ann"), ("Ann", "brother", "Bo")], "Al", "brother-in-law", ["Bo"]),
        ([("Al", "father", "Bo"), ("Bo", "father", "Al")], "Al", "father", []),
    ],
)
def test_who_it_is(facts, x, word, right) -> None:
    people = {name for a, _, b in facts for name in (a, b)}
    genders = {
        name: "female" if name in ("Priya", "Amelia", "Yara", "Ann") else "male" for name in people
    }
    assert all_matching(facts, genders, x, word) == right


def test_it_does_not_ask_the_judge_that_made_the_rows() -> None:
    assert "judge" not in vars(couples)
