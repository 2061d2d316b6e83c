"""Truth of pairs under any spelling."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from relsmith.kb.lexicon.english import SINGULARS, stem
from relsmith.kb.relations import Extension, Relation


def test_spelling_and_number_do_not_change_meaning() -> None:
    made_of = Extension(Relation("made of", "lexicographic", (("Omelette", "eggs"), ("a", "b"))))
    for pair in (("omelette", "egg"), ("OMELETTES", "Eggs"), ("ome-lette", "éggs")):
        assert made_of.holds(*pair), pair
    assert not made_of.holds("omelette", "b")
    assert not made_of.holds("eggs", "omelette")


def test_spelling_and_number_matter_for_form_relations() -> None:
    plural = Extension(Relation("plural", "inflectional", (("cat", "cats"), ("dog", "dogs"))))
    assert plural.holds("Cat", "cats")
    assert not plural.holds("cats", "cat")
    assert not plural.holds("cat", "cat")
    own = Extension(Relation("mine", "own", (("cat", "cats"), ("dog", "dogs"))))
    assert not own.holds("cats", "cat"), "it is about forms, whatever its group is called"


def test_symmetric_relations_hold_both_ways() -> None:
    assert Extension(Relation("r", "g", (("a", "b"),), symmetric=True)).holds("b", "a")
    assert not Extension(Relation("r", "g", (("a", "b"),))).holds("b", "a")


def test_why_a_pair_is_false() -> None:
    capital = Extension(Relation("capital", "g", (("Paris", "France"), ("Rome", "Italy"))))
    assert capital.why_false("Rome", "France") == "functional"
    assert capital.why_false("Italy", "Rome") == "other type"
    sound = Extension(Relation("sound", "g", (("dog", "bark"), ("dog", "howl"), ("cat", "purr"))))
    assert sound.why_false("cat", "bark") == "not listed"


@given(st.from_regex(r"[a-z]{3,12}", fullmatch=True).filter(lambda word: word not in SINGULARS))
@example("aaii")
def test_a_plural_is_never_another_word(word: str) -> None:
    forms = [word + "es"]
    if not word.endswith("s"):
        forms.append(word + "s")
    if word.endswith("y"):
        forms.append(word[:-1] + "ies")
    assert {stem(form) for form in forms} == {stem(word)}


def test_words_that_only_look_like_forms_stay_apart() -> None:
    assert stem("prince") != stem("princess")
    assert stem("god") != stem("goddess")
    assert stem("actor") != stem("actress")


def _open(**said) -> Extension:
    pairs = (("dog", "bark"), ("dog", "howl"), ("cow", "moo"), ("rooster", "crow"), ("crow", "caw"))
    blocks = ((("dog", "crow"), ("moo",)), (("cow",), ("bark", "caw")))
    said = {"open": "exclusion list", "excluded": blocks, **said}
    return Extension(Relation("sound", "own", pairs, **said))


def test_unlisted_pairs_of_open_relations_are_false_only_if_excluded() -> None:
    sound = _open()
    assert sound.why_false("dog", "moo") == "exclusion list"
    assert sound.why_false("DOG", "moo") == "exclusion list"
    assert sound.why_false("Dogs", "moo") is None, "another word may have the same stem"
    assert sound.why_false("cow", "howl") is None, "nobody has said so"
    assert sound.why_false("dog", "bark") is None
    assert sound.why_false("moo", "dog") is None
    assert Extension(Relation("r", "own", sound.relation.pairs)).why_false("cow", "howl")


def test_disjoint_types_exclude_words_that_are_of_one_of_them_only() -> None:
    sound = _open(disjoint=True)
    assert sound.why_false("moo", "dog") == "disjoint type"
    assert sound.why_false("dog", "cow") == "disjoint type"
    assert sound.why_false("moo", "bark") == "disjoint type"
    assert sound.why_false("crow", "howl") is None, "a crow makes sounds, and is one"
    assert sound.why_false("stranger", "moo") is None


def test_asymmetric_relations_exclude_inverse_pairs() -> None:
    assert _open(asymmetric=True).why_false("moo", "cow") == "asymmetric"
    assert _open(asymmetric=True).why_false("moo", "dog") is None
    both = _open(symmetric=True)
    assert both.why_false("moo", "dog") == "exclusion list", "either way round"


def test_the_canonical_tail_is_the_first() -> None:
    pairs = (("dog", "bark"), ("dog", "howl"), ("cow", "moo"))
    sound = Relation("sound", "own", pairs, canonical=True)
    assert sound.positive_tails() == {"dog": ("bark",), "cow": ("moo",)}
    assert sound.positive_tails(canonical=False) == sound.tails
    assert Relation("sound", "own", pairs).positive_tails() == sound.tails, (
        "it has no canonical tails"
    )
    friends = Relation("friends", "own", (("a", "b"), ("b", "a"), ("b", "c")), symmetric=True)
    assert friends.positive_tails() == {"a": ("b",), "b": ("c",)}, "no pair both ways round"


def test_antonyms_of_any_sense_are_found() -> None:
    pytest.importorskip("nltk")
    from relsmith.kb.relations.lexical import closure

    opposite = closure(Relation("antonyms", "lexicographic", (("a", "b"),), kind="antonyms"))
    for pair in (("possible", "impossible"), ("day", "night"), ("buy", "sell"), ("hot", "cold")):
        assert opposite(*pair), pair
    assert not opposite("hot", "possible")


def test_sets_of_one_kind_are_compared() -> None:
    """Check that a pair listed in one set is not false in another."""
    exact = Relation("exact", "own", (("jump", "leap"),), kind="synonyms", symmetric=True)
    pairs = (("walk", "march"), ("leap", "bound"), ("jump", "soar"))
    strong = Relation("strong", "own", pairs, kind="synonyms")
    assert Extension(strong).why_false("leap", "soar") == "functional"
    assert Extension(strong, others=[exact]).holds("leap", "jump")
    assert Extension(strong, others=[exact]).why_false("jump", "leap") is None
    other = Relation("other", "own", exact.listed, kind="other")
    assert not Extension(strong, others=[other]).holds("jump", "leap")
