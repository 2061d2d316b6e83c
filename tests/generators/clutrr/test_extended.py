"""Stories of the world kinship-extended."""

from collections import Counter

import pytest
from stories import clutrr

from relsmith.generators.clutrr.asking.answers import answer_key, conventions
from relsmith.kb.worlds.world import find_world
from relsmith.testing.profile import scaled

EXTENDED = find_world("kinship-extended")


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
    ],
)
def test_a_row_is_scored_by_the_words_of_its_own_world(world, has, lacks, convention) -> None:
    """Check words that both worlds have, such as father and aunt."""
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
