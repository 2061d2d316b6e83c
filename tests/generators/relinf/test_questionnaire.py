"""Questionnaires have every sentence once, in chunks, with the answer masked."""

import math

from relsmith import Example
from relsmith.generators.relinf.questionnaire import instructions, questionnaires


def test_every_sentence_once_in_chunks_of_one_question(rows: list[Example]) -> None:
    made = questionnaires(rows, most=10)
    items = [item for one in made for item in one.items]
    assert len({item.task for item in items}) == len(items)
    assert {item.task for item in items} == {row.metadata["task"] for row in rows}
    texts = {row.metadata["task"]: row.input for row in rows}
    by_question: dict[str, list[int]] = {}
    for one in made:
        assert all(texts[item.task] == f"{one.question}\n{item.sentence}" for item in one.items)
        by_question.setdefault(one.question, []).append(len(one.items))
    for sizes in by_question.values():
        assert max(sizes) <= 10
        assert max(sizes) - min(sizes) <= 1
        assert len(sizes) == math.ceil(sum(sizes) / 10)
    assert len({one.name for one in made}) == len(made)


def test_no_answer_is_shown(rows: list[Example]) -> None:
    for row in rows:
        known = row.metadata
        mask, other = (
            f"[{known['question']['type'].upper()}]",
            known["triple"][2 - known["answer_at"]],
        )
        shown = row.input.split("\n")[1]
        ends = (mask, f"{other}.") if known["answer_at"] == 0 else (other, f"{mask}.")
        assert shown.lower().startswith(ends[0].lower())
        assert shown.endswith(ends[1])


def test_sentences_are_shuffled(rows: list[Example]) -> None:
    """Check the shuffling: retrieval yields sentences of one argument and relation in a row."""
    retrieved = list(dict.fromkeys(row.metadata["task"] for row in rows))
    asked = [item.task for one in questionnaires(rows) for item in one.items]
    assert sorted(asked) == sorted(retrieved)
    assert sum(a == b for a, b in zip(asked, retrieved, strict=True)) < len(asked) / 10
    assert questionnaires(rows) == questionnaires(rows)


def test_instructions_have_a_worked_example() -> None:
    for words in ("Which animal guards", "protects houses", "lives in houses", "spelled over"):
        assert words in instructions()
