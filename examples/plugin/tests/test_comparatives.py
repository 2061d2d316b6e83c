"""The conformance suite, and tests of comparative chains."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relsmith.errors import InvalidOption
from relsmith.testing import check_generator
from relsmith.validation import findings
from relsmith_comparatives import Comparatives

GOLDEN = "7e290ef87050df82e911c52e238bd7daac6dae871dc1f8ce78aefb327caa6871"
GOLDEN_EXTRA = "4e199ce6023e10d6853dca3d7dd3a370acdcea45d624d838efd2b38e14f3d4f4"


def test_conformance() -> None:
    check_generator(Comparatives, golden=GOLDEN)


def test_conformance_with_other_options() -> None:
    options = {"people": "4..5", "dimensions": "age,luck", "ask": "most", "extra": "2"}
    check_generator(Comparatives, golden=GOLDEN_EXTRA, options=options | {"order": "chain"})


@settings(deadline=None, max_examples=60)
@given(
    low=st.integers(3, 12),
    more=st.integers(0, 9),
    extra=st.integers(0, 1),
    ask=st.sampled_from(["most", "least", "both"]),
    order=st.sampled_from(["shuffled", "chain"]),
    seed=st.integers(),
)
def test_every_row_is_right_whatever_the_options(
    low: int, more: int, extra: int, ask: str, order: str, seed: int
) -> None:
    people = f"{low}..{min(low + more, 12)}"
    generator = Comparatives.configure(
        {"people": people, "extra": extra, "ask": ask, "order": order}
    )
    for example in generator.examples(20, seed=seed):
        assert findings(generator, example) == []


def test_extra_sentences_do_not_change_the_others() -> None:
    for clean, noisy in zip(
        Comparatives().examples(50), Comparatives(extra=1).examples(50), strict=True
    ):
        assert clean.id == noisy.id
        assert clean.target == noisy.target
        sentences = iter(noisy.input.split(". "))
        assert all(sentence in sentences for sentence in clean.input.split(". "))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"people": "2"}, "people: expected 3 to 12, but got '2'"),
        ({"people": "6..3"}, "did you mean '3..6'?"),
        ({"extra": 2}, "3 people leave only 1 comparison(s) to add, but got 2"),
        ({"dimensions": "age,age"}, "dimensions: each may stand once"),
        ({"dimensions": "age,beauty"}, "but got 'beauty'"),
    ],
)
def test_impossible_options_are_refused(options: dict[str, object], words: str) -> None:
    with pytest.raises(InvalidOption) as caught:
        Comparatives.configure(options)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
