"""Stories of the world kinship-extended: right with every option, and wrong ones found out."""

from collections import Counter
from copy import deepcopy
from dataclasses import replace

import pytest

from relsmith.errors import InvalidOption
from relsmith.generators.clutrr import Clutrr
from relsmith.generators.clutrr.answers import answer_key, conventions
from relsmith.judge import findings
from relsmith.kb.world import find_world

WORLD = find_world("kinship-extended")
OPTIONS = [
    {},
    {"k": "5..10", "style": "plain"},
    {"noise": "all"},
    {"questions": "3", "k": "2..3"},
    {"noise": "supporting", "siblings": "words,names,order,noise,inverse,gender"},
    {"answer": "yes-no"},
    {"answer": "who", "gender": "given", "k": "2,3"},
    {"unknown_share": 0.4, "k": "2,3"},
    {"task": "mixed", "style": "facts"},
    {"anonymize": True, "choices": "3"},
    {"conventions": "full", "explain": True},
    {"direction": "forward", "beside": "0"},
    {"words": "500", "noise": "all", "k": "2"},
    {"people": "36", "k": "2"},
    {"children": "2", "marriage": "0.5"},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_every_row_is_right(options) -> None:
    generator = Clutrr.configure({"world": WORLD.name, **options})
    rows = 7 if {"siblings", "words", "answer"} & options.keys() else 24
    for row in generator.examples(rows):
        assert not findings(generator, row), row.input


REFUSED = [
    ({"people": "30"}, "stories of up to 4 facts need 40 to draw from, but got 30"),
    ({"k": "12"}, "stories of up to 12 facts need 72 to draw from, but got 60"),
    ({"k": "8", "noise": "all"}, "stories of up to 17 facts need 66 to draw from, but got 60"),
    ({"rules": "thesis"}, "rules: kinship-extended has sound, but got 'thesis'"),
    ({"answer": "who"}, "'who' asks of everyone, whose gender must be --gender given"),
]


@pytest.mark.parametrize(("options", "said"), REFUSED)
def test_what_cannot_be_is_refused(options, said: str) -> None:
    with pytest.raises(InvalidOption, match=said):
        Clutrr.configure({"world": WORLD.name, **options})


def test_all_that_follows_is_asked_for_equally_often() -> None:
    generator = Clutrr.configure({"world": WORLD.name, "k": "3", "style": "facts"})
    asked = Counter(WORLD.meanings[row.target][0] for row in generator.examples(480))
    assert set(asked) == {rule.head for rule in WORLD.ruleset().rules}
    assert max(asked.values()) < 1.5 * min(asked.values())


def _another(word: str) -> str:
    """A word for somebody else of the same gender."""
    name, gender = WORLD.meanings[word]
    return WORLD.predicates["inv-in-law" if name != "inv-in-law" else "child"].word(
        gender or "male"
    )


def _plant_answer(row, known) -> None:
    row["target"] = _another(row["target"])


def _plant_word(row, known) -> None:
    x, word, y = known["facts"][0]
    known["facts"][0] = [x, _another(word), y]


def _plant_direction(row, known) -> None:
    for number, (x, word, y) in enumerate(known["facts"]):
        name, gender = WORLD.meanings[word]
        if WORLD.inverse(name) != name and gender == dict(known["genders"])[x]:
            known["facts"][number] = [y, word, x]
            return
    _plant_word(row, known)


def _plant_gender(row, known) -> None:
    for pair in known["genders"]:
        pair[1] = "male" if pair[1] == "female" else "female"


def _plant_name(row, known) -> None:
    x, _, y = known["facts"][0]
    start = known["starts"][0]
    told = row["input"][start:].replace(x, "\0").replace(y, x).replace("\0", y)
    row["input"] = row["input"][:start] + told


def _plant_opening(row, known) -> None:
    row["input"] = row["input"].replace("need not be married", "are always married", 1)


def _plant_conclusion(row, known) -> None:
    known["concluded"][0] = _another(known["concluded"][0])


def _plant_clause(row, known) -> None:
    known["clause"][0] = "SO" if known["clause"][0] != "SO" else "child"


def _plant_query(row, known) -> None:
    known["query"].reverse()


def _plant_fact_that_cannot_be(row, known) -> None:
    x, _, y = known["facts"][0]
    known["beside_facts"].append([x, "wife", y])


FAULTS = [
    _plant_answer,
    _plant_word,
    _plant_direction,
    _plant_gender,
    _plant_name,
    _plant_opening,
    _plant_conclusion,
    _plant_clause,
    _plant_query,
    _plant_fact_that_cannot_be,
]


@pytest.mark.parametrize("plant", FAULTS, ids=lambda plant: plant.__name__)
def test_a_fault_is_found(plant) -> None:
    generator = Clutrr.configure({"world": WORLD.name, "style": "plain"})
    for row in generator.examples(12):
        said = {"input": row.input, "target": row.target}
        known = deepcopy(row.metadata)
        plant(said, known)
        assert findings(generator, replace(row, **said, metadata=known)), said


def test_a_row_is_scored_by_the_words_of_its_own_world() -> None:
    """Both worlds have fathers and aunts; what opens a story tells which it is."""
    extended = next(Clutrr.configure({"world": WORLD.name, "k": "2"}).examples(1))
    assert "first cousin" in answer_key(extended).choices
    assert "stepfathers" in conventions(extended)
    kinship = next(Clutrr.configure({"k": "2"}).examples(1))
    assert "first cousin" not in answer_key(kinship).choices
    assert "stepfathers" not in conventions(kinship)


def test_cousins_of_either_gender_are_one_answer() -> None:
    """Two questions about a story have two answers, and a cousin is no other than a cousin."""
    generator = Clutrr.configure({"world": WORLD.name, "questions": "3", "k": "2..3"})
    rows = list(generator.examples(900))
    for first in range(0, len(rows), 3):
        assert not generator.unlike(rows[first : first + 3]), rows[first].input
