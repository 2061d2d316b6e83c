"""Base forms are those of NLTK's morphy, for irregular forms the irregular base first."""

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relsmith.kb.lexicon.wordnet import lemmatise, locate, nltk_reader
from relsmith.kb.lexicon.wordnet.morphology import Morphology, morphology

POS = ("n", "v", "a", "r")


@cache
def ours() -> Morphology:
    return morphology(locate())


@cache
def words() -> list[str]:
    return sorted(set().union(*(ours().words[pos] for pos in POS)))[::37]


ENDINGS = ("", "s", "es", "ed", "ing", "er", "est", "ies", "men", "ches")


@given(st.data(), st.sampled_from(ENDINGS), st.integers(0, 3), st.sampled_from(POS))
def test_the_same_base_forms_as_nltk(data: st.DataObject, ending: str, cut: int, pos: str) -> None:
    word = data.draw(st.sampled_from(words()))
    form = word[: len(word) - cut] + ending
    found = [base.replace(" ", "_") for base in ours().base_forms(form, pos)]
    assert sorted(found) == sorted(nltk_reader()._morphy(form, pos))


@pytest.mark.parametrize("pos", POS)
def test_every_irregular_form_goes_to_its_base(pos: str) -> None:
    for form, bases in ours().exceptions[pos].items():
        known = [base for base in bases if base in ours().words[pos]]
        if known:
            assert ours().base_forms(form, pos)[0] == known[0].replace("_", " ")
        found = {base.replace(" ", "_") for base in ours().base_forms(form, pos)}
        assert found == set(nltk_reader()._morphy(form, pos))


@pytest.mark.parametrize(
    ("word", "pos", "base"),
    [
        ("taxes", "n", "tax"),
        ("Buses", "n", "bus"),
        ("men", "n", "man"),
        ("mice", "n", "mouse"),
        ("glasses", "n", "glasses"),
        ("gas", "n", "gas"),
        ("found", "v", "find"),
        ("founded", "v", "found"),
        ("is", "v", "be"),
        ("eliminates", "v", "eliminate"),
        ("smallest", "a", "small"),
        ("quickly", "r", "quickly"),
        ("hot dogs", "n", "hot dog"),
        ("Zorbulax", "n", "zorbulax"),
        ("", "n", ""),
    ],
)
def test_words(word: str, pos: str, base: str) -> None:
    assert lemmatise(word, pos) == base


def test_an_unknown_part_of_speech_is_named() -> None:
    with pytest.raises(ValueError, match="expected one of n, v, a, r, but got 'noun'"):
        lemmatise("tax", "noun")  # type: ignore[arg-type]
