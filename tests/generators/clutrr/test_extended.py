"""Stories of the worlds kinship-extended and kinship-unstated."""

import re
from collections import Counter

import pytest
from stories import clutrr

from relsmith.errors import InvalidOption
from relsmith.generators.clutrr.asking.answers import answer_key, conventions
from relsmith.kb.worlds.world import find_world
from relsmith.testing.profile import scaled

EXTENDED, UNSTATED = find_world("kinship-extended"), find_world("kinship-unstated")


def test_answers_are_asked_for_equally_often() -> None:
    generator = clutrr("k=3 style=facts", world=EXTENDED.name)
    asked = Counter(EXTENDED.meanings[row.target][0] for row in generator.examples(480))
    assert set(asked) == {rule.head for rule in EXTENDED.ruleset().rules}
    assert max(asked.values()) < 1.5 * min(asked.values())


@pytest.mark.parametrize(
    ("world", "has", "lacks", "convention"),
    [
        ("kinship", {"aunt"}, {"first cousin", "pibling"}, "blood"),
        ("kinship-extended", {"first cousin"}, {"pibling"}, "Stepparents"),
        ("kinship-unstated", {"sibling", "sister", "pibling"}, set(), "pibling instead"),
    ],
)
def test_a_row_is_scored_by_the_words_of_its_own_world(world, has, lacks, convention) -> None:
    """Check words that all three worlds have, such as father and aunt."""
    row = next(clutrr("k=2 conventions=none", world=world).examples(1))
    choices = set(answer_key(row).choices)
    assert has <= choices and not lacks & choices
    assert convention in conventions(row)
    assert world != "kinship" or "Stepparents" not in conventions(row)


def test_cousin_is_one_answer_for_both_genders() -> None:
    """Check that questions about a story differ in their answers, with one word for all cousins."""
    generator = clutrr("questions=3 k=2..3", world=EXTENDED.name)
    rows = list(generator.examples(3 * scaled(900)))
    for first in range(0, len(rows), 3):
        assert not generator.check_group(rows[first : first + 3]), rows[first].input


def test_relation_words_show_only_stated_genders() -> None:
    asked: Counter[str] = Counter()
    for row in clutrr("k=2..4", world=UNSTATED.name).examples(300):
        genders = dict(row.metadata["genders"])
        for _, word, y in [*row.metadata["facts"], *row.metadata["side_facts"]]:
            predicate = UNSTATED.predicates[UNSTATED.meanings[word][0]]
            assert word == predicate.word(genders[y])
        its = genders[row.metadata["query"][1]]
        asked[its] += 1
        assert row.target == UNSTATED.predicates[UNSTATED.meanings[row.target][0]].word(its)
        for name, gender in genders.items():
            pool = getattr(UNSTATED.story_spec.names, gender)
            assert name in pool
        # Never "they are" of one person, nor he or she of one of unstated gender.
        story = row.input.removeprefix(UNSTATED.conventions.brief)
        assert not re.search(r"\bthey\b", story, re.I)
    assert min(asked.values()) > 50


def test_a_list_of_genders_leaves_out_those_that_are_not_stated() -> None:
    for row in clutrr("gender=given style=plain", world=UNSTATED.name).examples(20):
        cast = re.search(r"or niece\. (.*?)(?<=male)\. ", row.input)
        listed = set(re.split(r", | and |; | is | are ", cast[1])) if cast else set()
        stated = {name for name, its in row.metadata["genders"] if its != "unstated"}
        assert listed - {"male", "female"} == stated


def test_names_from_a_file_have_a_gender_or_none_is_stated(tmp_path) -> None:
    ends = [f"{a}{b}x" for a in "aeiou" for b in "lmnrst"]
    lines = [f"{gender[0].upper()}{end}, {gender}" for gender in UNSTATED.genders for end in ends]
    (tmp_path / "names.txt").write_text("\n".join(lines))
    options = {"names": str(tmp_path / "names.txt"), "k": "2"}
    row = next(clutrr(world=UNSTATED.name, **options).examples(1))
    for name, gender in row.metadata["genders"]:
        assert name[0] == gender[0].upper()
    with pytest.raises(InvalidOption, match="expected a name of letters and female or male after"):
        clutrr("world=kinship-extended", **options)
