"""People without a stated gender: the same rules, a judge that does not guess, and families."""

from itertools import product

import pytest

from relsmith import Stream
from relsmith.errors import InvalidOption
from relsmith.kb.worlds.kinship_extended import semantics, unstated, world
from relsmith.kb.worlds.kinship_extended.family import EX, WED, ExtendedFamily, broken_axioms
from relsmith.kb.worlds.kinship_extended.judge import judge as judge_stated
from relsmith.kb.worlds.kinship_extended.unstated import _GENDERED, judge
from relsmith.kb.worlds.scene import UNSTATED_NUMBER
from relsmith.kb.worlds.semantics import entailed
from relsmith.kb.worlds.verdict import Status
from relsmith.testing.profile import thinned

WORLD, STATED = unstated(), world()
GENDERS = ("male", "female", "unstated")


def test_the_judge_has_the_words_of_the_world():
    for name, predicate in WORLD.predicates.items():
        plain = STATED.predicates[name]
        male, female, none = (predicate.word(gender) for gender in GENDERS)
        assert (male, female) == (plain.word("male"), plain.word("female"))
        assert predicate.word(None) == none
        if male != female:
            assert _GENDERED[none] == (male, female)
            assert WORLD.meanings[none] == (name, None)
    assert set(_GENDERED) == set(WORLD.meanings) - set(STATED.meanings)
    with pytest.raises(InvalidOption, match="no kinship word 'friend'"):
        judge([("A", "friend", "B")], {}, ("A", "B"))


@pytest.mark.parametrize("kinds", thinned(product(GENDERS, repeat=3), least=7), ids="-".join)
def test_an_answer_is_the_one_for_men_in_the_word_for_the_gender(kinds):
    people = ("A", "B", "C")
    genders = dict(zip(people, kinds, strict=True))
    for rule in WORLD.ruleset().rules:
        first, second = rule.body
        facts = [
            ("A", WORLD.predicates[first].word(genders["B"]), "B"),
            ("B", WORLD.predicates[second].word(genders["C"]), "C"),
        ]
        verdict = judge(facts, genders, ("A", "C"))
        assert verdict.status is Status.ENTAILED
        assert verdict.answers == {WORLD.predicates[rule.head].word(genders["C"])}
        men = [
            (x, WORLD.predicates[name].word("male"), y)
            for (x, _, y), name in zip(facts, rule.body, strict=True)
        ]
        assert judge_stated(men, {}, ("A", "C")).status is Status.ENTAILED


def test_unstated_genders_are_not_entailed():
    genders = {"A": "female", "B": "unstated", "C": "unstated"}
    facts = [("A", "sibling", "B"), ("B", "sibling", "C")]
    query = ("A", "C")
    assert judge(facts, genders, query).answers == {"sibling"}
    for claimed, status in (
        ("sibling", Status.ENTAILED),
        ("brother", Status.UNDETERMINED),
        ("sister", Status.UNDETERMINED),
        ("parent", Status.CONTRADICTED),
        ("mother", Status.CONTRADICTED),
    ):
        assert judge(facts, genders, query, claimed).status is status, claimed
    # A word without gender is true of a woman too, though it is not the word for her.
    genders["C"] = "female"
    facts[1] = ("B", "sister", "C")
    assert judge(facts, genders, query).answers == {"sister"}
    for claimed, status in (
        ("sister", Status.ENTAILED),
        ("sibling", Status.ENTAILED),
        ("brother", Status.CONTRADICTED),
        ("nibling", Status.CONTRADICTED),
    ):
        assert judge(facts, genders, query, claimed).status is status, claimed
    # A gender that a word reveals counts as stated.
    for word in ("sister", "brother"):
        assert judge([("A", word, "B")], {"B": "unstated"}, query).status is Status.IMPOSSIBLE


def test_undetermined_answers_use_the_right_words():
    facts = [("A", "half-sibling", "B"), ("B", "half-sibling", "C")]
    verdict = judge(facts, dict.fromkeys("ABC", "unstated"), ("A", "C"))
    assert verdict.status is Status.UNDETERMINED
    assert {"half-sibling", "sibling"} <= verdict.answers
    assert not verdict.answers & {"half-brother", "brother", "sister"}


def test_some_people_have_no_stated_gender_and_neutral_names():
    scene = WORLD.scene(Stream("unstated"), 200, children=4, marriage=0.85, same_gender=0.1)
    assert 0.25 < scene.gender.count(UNSTATED_NUMBER) / len(scene.gender) < 0.55
    female, male, none = WORLD.story_spec.names
    assert len(none) > 100
    assert not set(none) & {*female, *male, *WORLD.story_spec.family_names}


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_the_share_of_same_gender_couples_is_kept(share):
    for number in range(4):
        stream = Stream("couples", number)
        scene = STATED.scene(stream, 100, children=4, marriage=0.85, same_gender=share)
        place = {name: n for n, name in enumerate(STATED.predicates)}
        same = {scene.gender[a] == scene.gender[b] for a, b in scene.pairs()[place["SO"]]}
        assert same == {share == 1}


def _of_two_genders(family) -> bool:
    """Return whether all couples could be of two genders."""
    couples = [(a, b) for kind, a, b in family.links if kind in (WED, EX)]
    couples += [tuple(two) for person in family.people if len(two := family.parents(person)) == 2]
    gender: dict[str, bool] = {}
    for start in family.people:
        ahead = [] if start in gender else [start]
        gender.setdefault(start, True)
        while ahead:
            person = ahead.pop()
            for a, b in (*couples, *[(b, a) for a, b in couples]):
                if a == person and b not in gender:
                    gender[b] = not gender[a]
                    ahead.append(b)
    return all(gender[a] != gender[b] for a, b in couples)


@pytest.mark.slow
def test_mixed_gender_couples_would_add_no_rule(monkeypatch):
    """Check the axiom, which only forbids: a minimal family that breaks it extends no valid one."""

    def broken(family):
        return broken_axioms(family) + ["two genders"] * (not _of_two_genders(family))

    triangle = ExtendedFamily(frozenset([(WED, "A", "B"), (EX, "B", "C"), (EX, "C", "A")]))
    assert not broken_axioms(triangle)
    assert broken(triangle) == ["two genders"]
    monkeypatch.setattr(semantics, "broken_axioms", broken)
    strict = semantics.ExtendedSemantics()
    assert {
        (*body, head)
        for body in product(WORLD.predicates, repeat=2)
        for head in entailed(strict, body)
    } == {(*rule.body, rule.head) for rule in WORLD.ruleset().rules}
