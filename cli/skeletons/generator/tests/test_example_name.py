"""The conformance suite, and what is special to this generator."""

import pytest

from relsmith.errors import InvalidOption
from relsmith.testing import check_generator
from relsmith_example_name import ExampleNameGenerator


def test_keeps_the_promises() -> None:
    # Once others have rows, pin them: golden=relsmith.testing.golden_digest(...) as text.
    check_generator(ExampleNameGenerator)


def test_keeps_them_with_other_options() -> None:
    check_generator(ExampleNameGenerator, options={"swaps": "9"})


@pytest.mark.parametrize("swaps", ["0", "21", "6..2", "many"])
def test_impossible_options_are_refused(swaps: str) -> None:
    with pytest.raises(InvalidOption, match="swaps: expected"):
        ExampleNameGenerator.configure({"swaps": swaps})
