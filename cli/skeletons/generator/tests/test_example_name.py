"""The conformance suite, and tests of this generator's options."""

import pytest

from relsmith.errors import InvalidOption
from relsmith.testing import check_generator
from relsmith_example_name import ExampleNameGenerator


@pytest.mark.parametrize("options", [{}, {"swaps": "9"}])
def test_conformance(options: dict[str, object]) -> None:
    # Once rows are published, pin their digest: golden=relsmith.testing.golden_digest(...).
    check_generator(ExampleNameGenerator, options=options)


@pytest.mark.parametrize("swaps", ["0", "21", "6..2", "many"])
def test_impossible_options_are_refused(swaps: str) -> None:
    with pytest.raises(InvalidOption, match="swaps: expected"):
        ExampleNameGenerator.configure({"swaps": swaps})
