"""Agreement of verbs with subjects, in the generator and its independent judge."""

import pytest

from relsmith.generators.relinf import agreement, agreement_judge
from relsmith.generators.relinf.question import Question
from relsmith.generators.relinf.sentences import hypothesis, masked_sentence
from relsmith.kb.triples.facts import facts

SINGULAR_NOUNS = (
    "gold,France,Socrates,measles,the United States,the Thames,vitamin C,a knife,the Nile,Brutus,"
    "Henry VIII,the Netherlands,Los Angeles,octopus,gas,news,cola,War and Peace,an army of ants"
).split(",")
PLURAL_NOUNS = (
    "antelopes,conquistadors,the Romans,the Andes,Muslims,wolves,mice,the Chinese,men,teeth,emus,"
    "bees and wasps,members of parliament,glasses,sheep,tsunamis,oxpeckers,kiwis,two knives,"
    "fishermen,mechanics"
).split(",")


@pytest.mark.parametrize(("arguments", "many"), [(SINGULAR_NOUNS, False), (PLURAL_NOUNS, True)])
def test_number(arguments: list[str], many: bool) -> None:
    assert [a for a in arguments if agreement.is_plural_phrase(a) != many] == []
    assert [a for a in arguments if agreement_judge.takes_plural(["", "", a], 2) != many] == []


FORMS = [
    ("is the prey of", "are the prey of"),
    ("wants to have", "want to have"),
    ("was built by", "were built by"),
    ("does not eat", "do not eat"),
    ("carries", "carry"),
    ("watches over", "watch over"),
    ("goes with", "go with"),
    ("often has", "often have"),
    ("gives its color to", "give their color to"),
    ("invaded", "invaded"),
    ("can eat", "can eat"),
    ("found", "found"),
    ("focuses", "focus"),
    ("bores into", "bore into"),
    ("rents", "rent"),
]


@pytest.mark.parametrize(("one", "many"), FORMS)
def test_forms(one: str, many: str) -> None:
    assert agreement.plural(one) == agreement_judge.inflected(one, True) == many
    assert agreement.singular(many) == agreement_judge.inflected(many, False) == one


def test_third_person_pronouns_are_kept() -> None:
    assert agreement.singular("love their", neuter=False) == "loves their"
    assert agreement_judge.inflected("love their", False, neuter=False) == "loves their"


def test_sentences_of_the_issue() -> None:
    prey = Question(1, "animal", "is the prey of", "cheetahs")
    eaten = ("antelopes", "are eaten by", "cheetahs")
    assert hypothesis(prey, eaten, 0) == "Antelopes are the prey of cheetahs."
    assert masked_sentence(prey, eaten, 0) == "[ANIMAL] is eaten by cheetahs."
    wants = Question(1, "person", "wants to have", "gold", 1, "who")
    assert hypothesis(wants, ("gold", "drew", "conquistadors"), 2) == (
        "Conquistadors want to have gold."
    )
    assert masked_sentence(wants, ("goldsmiths", "melt", "gold"), 0) == "[PERSON] melts gold."


def test_maker_and_judge_agree_on_all_facts() -> None:
    for triple in facts():
        for place in (0, 2):
            many = agreement.is_plural_argument(triple, place)
            assert agreement_judge.takes_plural(triple, place) == many, triple
        relation = triple.relation
        assert agreement.plural(relation) == agreement_judge.inflected(relation, True), triple
        if agreement.is_plural_argument(triple, 0):
            assert agreement.singular(relation) == agreement_judge.inflected(relation, False)
            assert agreement.plural(agreement.singular(relation)) == relation, triple
