"""Stories in which some people's gender is not stated: told, asked about and judged without it."""

import re
from collections import Counter

import pytest

from relsmith.errors import InvalidOption
from relsmith.generators.clutrr import Clutrr
from relsmith.generators.clutrr.asking.answers import answer_key, conventions
from relsmith.kb.worlds.world import find_world

WORLD = find_world("kinship-unstated")


def test_relation_words_show_as_much_gender_as_is_stated() -> None:
    generator = Clutrr.configure({"world": WORLD.name, "k": "2..4"})
    asked: Counter[str] = Counter()
    for row in generator.examples(300):
        genders = dict(row.metadata["genders"])
        for _, word, y in [*row.metadata["facts"], *row.metadata["beside_facts"]]:
            predicate = WORLD.predicates[WORLD.meanings[word][0]]
            assert word == predicate.word(genders[y])
        its = genders[row.metadata["query"][1]]
        asked[its] += 1
        assert row.target == WORLD.predicates[WORLD.meanings[row.target][0]].word(its)
        for name, gender in genders.items():
            pool = getattr(WORLD.story_spec.names, gender)
            assert name in pool
        # It is never "they are" of one, nor he or she of one of whom nothing is stated.
        assert not re.search(r"\bthey\b", row.input.removeprefix(WORLD.story_spec.opening), re.I)
    assert min(asked.values()) > 50


def test_a_list_of_genders_leaves_out_those_that_are_not_stated() -> None:
    generator = Clutrr.configure({"world": WORLD.name, "gender": "given", "style": "plain"})
    for row in generator.examples(20):
        cast = re.search(r"a niece\. (.*?)(?<=male)\. ", row.input)
        listed = set(re.split(r", | and |; | is | are ", cast[1])) if cast else set()
        stated = {name for name, its in row.metadata["genders"] if its != "unstated"}
        assert listed - {"male", "female"} == stated


def test_a_row_is_scored_by_the_words_of_its_own_world() -> None:
    row = next(Clutrr.configure({"world": WORLD.name, "k": "2"}).examples(1))
    assert {"sibling", "sister", "pibling"} <= set(answer_key(row).choices)
    assert "piblings" in conventions(row)
    other = next(Clutrr.configure({"world": "kinship-extended", "k": "2"}).examples(1))
    assert "pibling" not in answer_key(other).choices


def test_names_from_a_file_have_a_gender_or_none_is_stated(tmp_path) -> None:
    ends = [f"{a}{b}x" for a in "aeiou" for b in "lmnrst"]
    lines = [f"{gender[0].upper()}{end}, {gender}" for gender in WORLD.genders for end in ends]
    (tmp_path / "names.txt").write_text("\n".join(lines))
    options = {"names": str(tmp_path / "names.txt"), "k": "2"}
    row = next(Clutrr.configure({"world": WORLD.name, **options}).examples(1))
    for name, gender in row.metadata["genders"]:
        assert name[0] == gender[0].upper()
    with pytest.raises(InvalidOption, match="expected a name of letters and female or male after"):
        Clutrr.configure({"world": "kinship-extended", **options})
