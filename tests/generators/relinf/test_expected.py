"""Our list of expected answers is consistent in voice, converse and tense.

Passives and tenses come from lemminflect, not from the generator's own forms.
"""

from collections import defaultdict
from functools import cache
from types import ModuleType

import pytest

from relsmith.generators.relinf import Relinf
from relsmith.generators.relinf.agreement_judge import inflected, takes_plural
from relsmith.generators.relinf.question import read_questions

Pattern = tuple[tuple[str, ...], int]
"""A relation, its verb as a lemma, and the place of the answer."""

ADVERBS = {"once", "often", "sometimes", "never", "rarely", "only", "may", "can", "first"}
CONVERSES = [
    ("is made from", "is used to make"),
    ("is made from", "is turned into"),
    ("is made from", "is processed into"),
    ("is made from", "is made into"),
    ("is made with", "goes into"),
    ("is churned from", "is churned into"),
    ("is seasoned with", "seasons"),
    ("is flavored with", "flavors"),
    ("is caused by", "causes"),
    ("is used to treat", "is treated with"),
    ("eats", "is food for"),
    ("eats", "is the food of"),
    ("preys on", "falls prey to"),
    ("is related to", "is related to"),
    ("shares ancestors with", "shares ancestors with"),
    ("is a neighbor of", "is a neighbor of"),
    ("shares a border with", "shares a border with"),
    ("adjoins", "adjoins"),
    ("is allied with", "is allied with"),
    ("does business with", "does business with"),
    ("fought against", "fought against"),
    ("shares its language with", "shares its language with"),
    ("grazes beside", "grazes beside"),
    ("lives with", "lives with"),
    ("travels with", "travels with"),
    ("tastes good with", "tastes good with"),
    ("pairs well with", "pairs well with"),
    ("sells goods to", "buys goods from"),
    ("buys", "is a buyer of"),
    ("teaches", "learns from"),
    ("taught", "learned from"),
    ("taught", "studied under"),
    ("defeated", "lost to"),
    ("is spread on", "is spread with"),
]
OF_THE_PAST = {
    ("is the author of", "wrote"),
    ("is a play by", "wrote"),
    ("is the work of", "wrote"),
    ("is the work of", "painted"),
    ("was bred from", "is related to"),
}
"""Premises in the present about the past, or in the past about a lasting state."""


def _inflection() -> ModuleType:
    import lemminflect  # which takes a second, even if no test of this file runs

    return lemminflect


@cache
def _lemma(word: str) -> str:
    return str(_inflection().getLemma(word, "VERB")[0])


def _key(relation: str) -> tuple[str, ...]:
    first, *rest = relation.split()
    return (first if first in ADVERBS else _lemma(first), *rest)


@cache
def _passives(relation: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return the passive forms of a relation: `look after`, `be looked after by`."""
    verb, *rest = relation
    if verb == "be" or verb in ADVERBS:
        return []
    return [
        ("be", participle, *rest, "by") for participle in _inflection().getInflection(verb, "VBN")
    ]


def _labels() -> dict[tuple[str, str], dict[Pattern, set[str]]]:
    """Return the expected labels by question type, relation and place."""
    labels: dict[tuple[str, str], dict[Pattern, set[str]]] = defaultdict(lambda: defaultdict(set))
    generator = Relinf()
    for row in generator.examples(generator.capacity(("train",), 0)["train"]):
        known = row.metadata
        if known["expected"] == "nonsense":
            continue
        relation, kind = known["triple"][1], known["question"]
        if takes_plural(known["triple"], 0):
            relation = inflected(relation, False)
        pattern = (_key(relation), known["answer_at"])
        labels[kind["type"], kind["relation"]][pattern].add(known["expected"])
    for question in read_questions().questions:
        for relation in question.unsure:
            place = 2 if relation.startswith("~") else 0
            pattern = (_key(relation.removeprefix("~")), place)
            labels[question.type, question.relation][pattern].add("unsure")
    return labels


@pytest.mark.slow
def test_labels_do_not_change_with_voice_or_converse() -> None:
    """Check that active, passive and listed converses have the same label."""
    compared = 0
    different = []
    for question, patterns in _labels().items():
        for (relation, place), said in patterns.items():
            assert len(said) == 1, (question, relation, place, said)
            others = [(passive, 2 - place) for passive in _passives(relation)]
            for one, other in CONVERSES:
                if _key(one) == relation:
                    others.append((_key(other), 2 - place))
            for pattern in others:
                if pattern in patterns:
                    compared += 1
                    if patterns[pattern] != said:
                        different.append((question, relation, said, pattern, patterns[pattern]))
    assert not different
    assert compared > 500


def _is_past(relation: str) -> bool:
    verb = next(word for word in relation.split() if word not in ADVERBS)
    return verb in _inflection().getInflection(_lemma(verb), "VBD")


@pytest.mark.slow
def test_answers_are_of_the_tense_of_their_question() -> None:
    mixed = set()
    for row in Relinf().examples(Relinf().capacity(("train",), 0)["train"]):
        known = row.metadata
        if known["expected"] == "yes":
            relation, asked = known["triple"][1], known["question"]["relation"]
            if takes_plural(known["triple"], 0):
                relation = inflected(relation, False)
            if _is_past(relation) != _is_past(asked):
                mixed.add((relation, asked))
    assert mixed == OF_THE_PAST


@pytest.mark.slow
def test_lists_have_only_relations_of_the_store() -> None:
    """Check that each listed relation occurs in the store, and in one list only."""
    labels = _labels()
    for question in read_questions().questions:
        met = labels[question.type, question.relation]
        for relation in question.answered_by or ():
            pattern = (_key(relation.removeprefix("~")), 2 if relation.startswith("~") else 0)
            assert met[pattern] == {"yes"}, (question, relation)
