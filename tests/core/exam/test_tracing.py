"""Leaked texts are traced to their candidate, even in part and in another format."""

import json
from collections.abc import Iterator
from itertools import chain

import pytest

from relsmith.errors import InvalidOption
from relsmith.exam.holder import Holder
from relsmith.exam.sealing import Question, SealedExam
from relsmith.exam.tracing import trace

NAMES = [f"candidate {n}" for n in range(20)]


def texts(holder: Holder, name: str) -> list[str]:
    return [
        each.rows[holder.sealed.secret.wording(name, each.id, 2)].input
        for each in holder.sealed.questions()
    ]


@pytest.mark.parametrize("kind", ["json", "plain", "half", "wrapped"])
def test_a_leak_names_its_candidate(kind: str, worded: Holder) -> None:
    leaked = texts(worded, NAMES[7])
    text = {
        "json": json.dumps([{"q": each} for each in leaked], indent=1),
        "plain": "\n\n".join(leaked),
        "half": "\n".join(leaked[::2]),
        "wrapped": "\n".join(chain(*(each.split() for each in leaked))),
    }[kind]
    found = trace(worded.sealed, NAMES, text)
    assert found[0].candidate == NAMES[7]
    assert found[0].matching == found[0].found >= len(leaked[::2]) - 1
    assert found[0].found > found[1].matching
    if kind != "half":
        assert found[0].chance < 0.01 < found[1].chance


def test_a_text_without_wordings_names_nobody(worded: Holder) -> None:
    found = trace(worded.sealed, NAMES, "Nothing of the exam. Not a word.")
    assert {(each.matching, each.found, each.chance) for each in found} == {(0, 0, 1.0)}


def test_a_stranger_matches_by_chance(worded: Holder) -> None:
    text = " ".join(texts(worded, "somebody else"))
    assert min(each.chance for each in trace(worded.sealed, NAMES, text)) > 0.01


def test_questions_with_equal_wordings_tell_nobody(worded: Holder) -> None:
    class Same(SealedExam):
        def questions(self) -> Iterator[Question]:
            for each in super().questions():
                yield each._replace(rows=each.rows[:1] * 2)

    text = "\n".join(texts(worded, NAMES[7]))
    assert {each.found for each in trace(Same(*worded.sealed), NAMES, text)} == {0}


def test_an_exam_without_wordings_cannot_be_traced(worded: Holder) -> None:
    exam = worded.exam.model_copy(update={"wordings": False})
    with pytest.raises(InvalidOption, match="all candidates have the same questions"):
        trace(worded.sealed._replace(exam=exam), NAMES, "")
