"""Arguments for the same thing share a key, others do not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relsmith.kb.triples import argument_key


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("the cocoa bean", "Cocoa beans"),
        ("taxes", "tax"),
        ("a leaf", "leaves"),
        ("the children's hospital", "hospital of children"),
        ("The U.S.", "the US"),
        ("x-rays", "X ray"),
        ("a cup of tea", "cups of tea"),
        ("the women of Athens", "Athens' woman"),
        ("ﬁsh", "fish"),
        ("wolves", "its wolf"),
        ("no rash", "a rash"),
        ("cows", "a cow"),
        ("eggs", "an egg"),
        ("lice", "a louse"),
        ("the teeth", "tooth"),
        ("romans", "a Roman"),
    ],
)
def test_inflection_and_stop_words_do_not_count(one: str, other: str) -> None:
    assert argument_key(one) == argument_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("taxis", "taxes"),
        ("gas", "Ga"),
        ("us", "U"),
        ("vitamin A", "a vitamin"),
        ("vitamin D", "vitamin"),
        ("World War I", "World War II"),
        ("coffee", "coffee without milk"),
        ("C++", "C"),
        ("the US", "president"),
        ("the US president", "the president"),
        ("the Who", "the"),
    ],
)
def test_different_arguments_have_different_keys(one: str, other: str) -> None:
    assert argument_key(one) != argument_key(other)


@given(st.text(min_size=1).filter(str.strip))
def test_every_argument_has_a_key(text: str) -> None:
    assert argument_key(text)


@given(st.lists(st.sampled_from("cats a dog who the taxes of vitamin no us".split()), min_size=1))
def test_a_key_has_itself_as_key(words: list[str]) -> None:
    key = argument_key(" ".join(words))
    assert argument_key(key) == key


@given(st.lists(st.sampled_from("cat dog bird tree stone".split()), min_size=1))
def test_order_and_repetition_do_not_count(words: list[str]) -> None:
    key = argument_key(" ".join(words))
    assert key == argument_key(" ".join(reversed(words))) == " ".join(sorted(set(words)))
