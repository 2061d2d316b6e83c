"""Scores of answers in free text, from tables of right and wrong ones."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from relsmith import Example, Score, score
from relsmith.scoring.answers import Blanks, OneOf
from relsmith.scoring.scorer import answer_key

EVERY: list[dict[str, Any]] = yaml.load(
    Path(__file__).with_name("answers.yaml").read_text("utf-8"), yaml.CSafeLoader
)
TABLE = [entry for entry in EVERY if "writer" not in entry]
INDEPENDENT = [entry for entry in EVERY if "writer" in entry]
"""Texts by writers who did not know the scorer."""
_REFUSED = {"AB": 0.02, "C": 0.05}
"""Largest share of right answers by independent writers that may be refused."""
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


def test_independent_texts_are_many_and_of_both_kinds() -> None:
    right, wrong = (sum(len(entry[name]) for entry in INDEPENDENT) for name in ("right", "wrong"))
    assert right + wrong >= 1500
    page = (Path(__file__).parents[3] / "docs" / "scoring.md").read_text()
    assert f"has {len(CASES)} answers of ours and {right + wrong:,} by" in page
    assert 0.45 < wrong / (right + wrong) < 0.55
    assert {entry["kind"] for entry in INDEPENDENT} >= {entry["kind"] for entry in TABLE} - {
        "candidate",
        "labelled",
        "default",
    }


@pytest.mark.parametrize("entry", INDEPENDENT, ids=lambda entry: entry["row"]["id"])
def test_no_wrong_independent_text_is_accepted(entry: dict[str, Any]) -> None:
    key = answer_key(Example(**entry["row"]))
    assert [text for text in entry["wrong"] if key.score(text).value] == []


@pytest.mark.parametrize(("writers", "share"), _REFUSED.items())
def test_few_right_independent_texts_are_refused(writers: str, share: float) -> None:
    refused, every = [], 0
    for entry in INDEPENDENT:
        if entry["writer"] in writers:
            key = answer_key(Example(**entry["row"]))
            every += len(entry["right"])
            refused += [text for text in entry["right"] if not key.score(text).value]
    assert len(refused) <= share * every, "\n".join(refused)


@pytest.mark.parametrize(("entry", "text", "value"), CASES)
def test_answers_get_the_score_of_the_table(entry: dict[str, Any], text: str, value: float) -> None:
    given = score(Example(**entry["row"]), text)
    assert given.value == value, given
    assert isinstance(given, Score)
    assert given.why
    if value:
        assert given.answer == answer_key(Example(**entry["row"])).right


@pytest.mark.parametrize(
    ("pieces", "words", "text"),
    [
        (("concrete walls are", "things"), ["grey"], "Concrete walls are grey things."),
        (("walls are", "things"), ["grey"], "Concrete: walls are grey things."),
        (("the", "a", "long"), ["cat has", "mile"], "The cat has a mile long."),
        (("take", "", "now"), ["2", "cups"], "Take 2 cups now."),
    ],
)
def test_answers_that_repeat_the_text_are_read_word_by_word(
    pieces: tuple[str, ...], words: list[str], text: str
) -> None:
    key = Blanks(right=" | ".join(words), accepted=tuple((word,) for word in words), pieces=pieces)
    assert key.score(text).value == 1


def test_words_of_an_answer_are_no_ordinal_and_no_correction() -> None:
    pairs = ("minute is to minutely", "hot is to bad")
    choices = [f"What first is to firstly, {pair}." for pair in pairs]
    key = OneOf(choices[1], "which", tuple(choices), dict(zip(choices, choices, strict=True)), True)
    assert [key.score(text).value for text in (*choices, "The first.", "The second.")] == [0, 1] * 2
    gaps = Blanks(right="gas | wait", accepted=(("gas",), ("wait",)))
    assert gaps.score("gas | wait").value == 1
