"""The reader who does not know the question, where its best possible accuracy is known."""

import pytest

from relsmith.generators.clutrr import Clutrr


def ceiling(k: int, **options: object) -> float:
    generator = Clutrr.configure({"k": str(k), "style": "facts", **options})
    return Clutrr.measures(generator.examples(200))[f"ceiling without the question, k = {k} (%)"]


@pytest.mark.parametrize("k", [4, 6])
def test_without_side_facts_only_the_direction_is_open(k: int) -> None:
    """Its ends are the only pair k facts apart, and either may be asked about."""
    assert 45 < ceiling(k, beside=0) < 65


def test_side_facts_hide_the_question() -> None:
    assert ceiling(3, beside=4) < 60
