"""Base forms by rule."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relsmith.kb.lexicon.english import bases, inflection, stem, suffixed, third_person, words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pair.split("=")
        for pair in (
            "cut=cutting, bake=baking, baked=bakes, stirred=stirring, knife=knives, half=halves, "
            "dish=dishes, dry=dried, tie=tied, tie=tying, thin=thinner, large=largest, "
            "tidy=tidier, gentle=gently, easy=easily, Roll=rolling, potato=potatoes, "
            "freeze=frozen, cook's=cook"
        ).split(", ")
    ],
)
def test_forms_of_one_word_have_a_base_in_common(one: str, other: str) -> None:
    assert bases(one) & bases(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pair.split("=")
        for pair in (
            "tap=tape, peel=peeler, butter=butt, spring=spr, glass=glas, bed=b, water=wat, "
            "bowl=bowling-alley"
        ).split(", ")
    ],
)
def test_unrelated_words_have_no_common_base(one: str, other: str) -> None:
    assert not bases(one) & bases(other)


@pytest.mark.parametrize(
    ("word", "ending"),
    [
        pair.split("=")
        for pair in (
            "knives=s, cups=s, glass=base, stirring=ing, string=base, frozen=ed, mixed=ed, "
            "shed=base, slowly=ly, thicker=er, peeler=base"
        ).split(", ")
    ],
)
def test_inflection(word: str, ending: str) -> None:
    assert inflection(word) == ending


@given(st.text(max_size=20))
def test_any_text_is_a_base_of_itself(word: str) -> None:
    found = bases(word)
    assert found and all(isinstance(base, str) for base in found)
    assert bases(word.upper()) == bases(word.upper().lower())
    inflection(word)


def test_kinds_of_words_do_not_overlap_by_mistake() -> None:
    assert not words("stop") & words("units")
    assert words("numbers") & words("units") == {"second"}


@pytest.mark.parametrize(
    ("word", "ending", "spelt"),
    [
        pair.split("=")
        for pair in (
            "happy=ness=happiness, gray=ness=grayness, beauty=ful=beautiful, carry=s=carries, "
            "watch=s=watches, go=s=goes, play=s=plays"
        ).split(", ")
    ],
)
def test_endings_are_added(word: str, ending: str, spelt: str) -> None:
    assert suffixed(word, ending) == spelt
    assert bases(spelt) & {word} or ending != "s"


def test_third_person_forms() -> None:
    assert [third_person(verb) for verb in ("be", "have", "fix", "try")] == [
        "is",
        "has",
        "fixes",
        "tries",
    ]


@pytest.mark.parametrize("forms", ["mouse mice", "tries try tried", "Wolf wolves", "stop stopping"])
def test_forms_have_one_stem(forms: str) -> None:
    assert len({stem(form) for form in forms.split()}) == 1
