"""Verdicts by couples, on small examples and against the judge."""

import pytest

from relsmith.kb.worlds.kinship.couples import solve
from relsmith.kb.worlds.kinship.judge import judge
from relsmith.kb.worlds.verdict import Status


@pytest.mark.parametrize(
    ("facts", "x", "word", "right"),
    [
        # Her husband is a son of Amelia, who is Priya's mother: entailed, but by no rule.
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
def test_person_with_a_relation(facts, x, word, right) -> None:
    people = {name for a, _, b in facts for name in (a, b)}
    genders = {
        name: "female" if name in ("Priya", "Amelia", "Yara", "Ann") else "male" for name in people
    }
    verdicts = {y: solve(facts, genders, (x, y), word) for y in sorted(people - {x})}
    assert [y for y, verdict in verdicts.items() if verdict.status is Status.ENTAILED] == right
    for y, verdict in verdicts.items():
        assert verdict == judge(facts, genders, (x, y), word)
        assert solve(facts, genders, (x, y)) == judge(facts, genders, (x, y))
