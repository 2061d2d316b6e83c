"""Everyone of whom a word follows: found by couples, held against the judge and seen red."""

import pytest

from relsmith.generators.clutrr import Clutrr
from relsmith.generators.clutrr.metadata import stated_facts
from relsmith.kb.worlds.kinship import couples
from relsmith.kb.worlds.kinship.couples import all_matching
from relsmith.kb.worlds.kinship.judge import FEMALE_WORDS, MALE_WORDS, judge
from relsmith.kb.worlds.verdict import Status
from relsmith.validation import findings

WHO = {"answer": "who", "gender": "given", "style": "facts"}


def test_both_ways_agree_on_everyone() -> None:
    """For all words and all people of a story."""
    certain = 0
    for row in Clutrr.configure({**WHO, "k": "2..5", "noise": "supporting"}).examples(9):
        facts, genders = (
            [(x, word, y) for x, word, y in stated_facts(row.metadata)],
            dict(row.metadata["genders"]),
        )
        x = row.metadata["query"][0]
        for word in (*MALE_WORDS, *FEMALE_WORDS):
            found = all_matching(facts, genders, x, word)
            asked = [
                person
                for person in sorted(genders)
                if person != x
                and genders[person] == ("male" if word in MALE_WORDS else "female")
                and judge(facts, genders, (x, person), word).status is Status.ENTAILED
            ]
            assert found == asked, (facts, x, word)
            certain += len(found)
    assert certain > 50


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


def test_the_judge_of_who_questions_sees_a_wrong_set() -> None:
    generator = Clutrr.configure({**WHO, "k": "2..3"})
    for row in generator.examples(30):
        assert findings(generator, row) == []
        people = row.target.split("; ")
        others = [name for name, _ in row.metadata["genders"] if name not in people]
        for wrong in ("; ".join(people[1:]) or "none", "; ".join(sorted([*people, others[0]]))):
            kept, row.target = row.target, wrong
            assert any("is entailed of" in finding for finding in findings(generator, row)), wrong
            row.target = kept


def test_it_does_not_ask_the_judge_that_made_the_rows() -> None:
    assert "judge" not in vars(couples)
