"""The conformance suite, and what is special to this generator."""

import pytest

from relsmith.errors import InvalidOption
from relsmith.testing import check_generator
from relsmith_example_name import ExampleNameGenerator


@pytest.mark.parametrize("options", [{}, {"swaps": "9"}])
def test_keeps_the_promises(options: dict[str, object]) -> None:
    # Once others have rows, pin their digest: golden=..., as relsmith.testing.golden_digest says.
    check_generator(ExampleNameGenerator, options=options)


@pytest.mark.parametrize("swaps", ["0", "21", "6..2", "many"])
def test_impossible_options_are_refused(swaps: str) -> None:
    with pytest.raises(InvalidOption, match="swaps: expected"):
        ExampleNameGenerator.configure({"swaps": swaps})
