"""Answers in free text: what is right, what is not, and never by a part of a longer word."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from relsmith import Example, Score, score
from relsmith.scoring.scorer import answer_key

TABLE: list[dict[str, Any]] = yaml.safe_load(
    Path(__file__).with_name("answers.yaml").read_text("utf-8")
)
CASES = [
    pytest.param(entry, text, value, id=f"{entry['row']['id']}-{value}-{text[:40]!r}")
    for entry in TABLE
    for value, texts in ((1.0, entry["right"]), (0.0, entry["wrong"]))
    for text in texts
]


def test_the_table_is_large_and_has_every_kind() -> None:
    assert len({(case.values[0]["row"]["id"], case.values[1]) for case in CASES}) >= 300
    for entry in TABLE:
        assert answer_key(Example(**entry["row"])).kind == entry["kind"]


@pytest.mark.parametrize(("entry", "text", "value"), CASES)
def test_an_answer_gets_what_a_reader_would_give(
    entry: dict[str, Any], text: str, value: float
) -> None:
    given = score(Example(**entry["row"]), text)
    assert given.value == value, given
    assert isinstance(given, Score)
    assert given.why
    if value:
        assert given.answer == answer_key(Example(**entry["row"])).right
