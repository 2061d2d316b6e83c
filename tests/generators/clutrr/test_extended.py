"""Stories of the world kinship-extended: what they are asked, and what is refused."""

from collections import Counter

from relsmith.generators.clutrr import Clutrr
from relsmith.generators.clutrr.asking.answers import answer_key, conventions
from relsmith.kb.worlds.world import find_world

WORLD = find_world("kinship-extended")


def test_answers_are_asked_for_equally_often() -> None:
    generator = Clutrr.configure({"world": WORLD.name, "k": "3", "style": "facts"})
    asked = Counter(WORLD.meanings[row.target][0] for row in generator.examples(480))
    assert set(asked) == {rule.head for rule in WORLD.ruleset().rules}
    assert max(asked.values()) < 1.5 * min(asked.values())


def test_a_row_is_scored_by_the_words_of_its_own_world() -> None:
    """Both worlds have fathers and aunts; what opens a story tells which it is."""
    extended = next(Clutrr.configure({"world": WORLD.name, "k": "2"}).examples(1))
    assert "first cousin" in answer_key(extended).choices
    assert "stepfathers" in conventions(extended)
    kinship = next(Clutrr.configure({"k": "2"}).examples(1))
    assert "first cousin" not in answer_key(kinship).choices
    assert "stepfathers" not in conventions(kinship)


def test_cousin_is_one_answer_for_both_genders() -> None:
    """Two questions about a story have two answers, and a cousin is no other than a cousin."""
    generator = Clutrr.configure({"world": WORLD.name, "questions": "3", "k": "2..3"})
    rows = list(generator.examples(900))
    for first in range(0, len(rows), 3):
        assert not generator.check_group(rows[first : first + 3]), rows[first].input
