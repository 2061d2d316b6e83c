"""Every generator and question type: right answers score 1, similar wrong ones 0."""

import time
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scorer_probes import (
    WRAPPINGS,
    correct_answers,
    non_answers,
    wrong_answers,
    wrong_texts,
)

from relsmith import Example, Generator, make, score
from relsmith.kb.worlds.world import find_world
from relsmith.prompting.prompt import with_choices
from relsmith.scoring.answers import AnswerKey
from relsmith.scoring.scorer import answer_key
from relsmith.testing.profile import scaled, thinned

KEYED: dict[str, list[tuple[Example, AnswerKey]]] = {}


def keyed(question: tuple[str, Generator]) -> list[tuple[Example, AnswerKey]]:
    """Return rows of a question type with their keys, cached because making keys takes long."""
    kind, generator = question
    if kind not in KEYED:
        made = generator[: scaled(40)]
        if answer_key(made[0]).kind == "relation" and len(answer_key(made[0]).choices) <= 26:
            made += [with_choices(row) for row in made[: scaled(8)]]
        KEYED[kind] = [(row, answer_key(row)) for row in made]
    return KEYED[kind]


def test_correct_answers_score_one(kind_of_question: tuple[str, Generator]) -> None:
    tried = 0
    rows = keyed(kind_of_question)
    for row, answer in rows:
        assert answer.kind == kind_of_question[0].partition(",")[0]
        for text in correct_answers(row):
            assert answer.score(text).value == 1, (row, text, answer.score(text))
            tried += 1
        assert score(row, text) == answer.score(text)
    assert tried > 10 * len(rows)


def test_wrong_answers_score_zero(kind_of_question: tuple[str, Generator]) -> None:
    tried = 0
    rows = keyed(kind_of_question)
    for row, answer in rows:
        for text in wrong_answers(row):
            assert answer.score(text).value == 0, (row, text, answer.score(text))
            tried += 1
    assert tried > 10 * len(rows)


@pytest.mark.parametrize(
    "world", ["kinship", "kinship-extended", "work", "spatial", "time", "space"]
)
def test_no_wrong_claim_of_any_relation_is_accepted(world: str) -> None:
    key = answer_key(make("clutrr", world=world)[0])
    relations = thinned(key.choices, least=4)
    for relation in relations:
        asked = replace(key, right=relation)
        for text in wrong_texts(asked):
            assert asked.score(text).value == 0, (text, asked.score(text))


def test_non_answers_score_zero(kind_of_question: tuple[str, Generator]) -> None:
    for row, answer in keyed(kind_of_question):
        for text in non_answers(row):
            assert answer.score(text).value == 0, (row, text, answer.score(text))


LONG = [
    ("A", "...", "b"),
    ("A. ", "(-", "b"),
    ("(", "a ", ""),
    ("(" * 48_000, "{right} ", ""),
    ("", "{beginning} ", ""),
    ("", "a, the b of ", ";x"),
    ("", "\ufdfa", ""),
]
"""Texts that once took seconds: prefix, repeated unit, suffix."""


def test_long_texts_are_scored_in_less_than_a_second(
    kind_of_question: tuple[str, Generator], slowness: float
) -> None:
    row, answer = keyed(kind_of_question)[0]
    told = str(row.metadata.get("concrete", row.input))
    known = {"{right} ": f"{answer.right} ", "{beginning} ": f"{told[: len(told) // 2]} "}
    for before, unit, after in thinned(LONG, least=3):
        repeated = known.get(unit, unit)
        text = before + repeated * ((49_500 - len(before)) // len(repeated)) + after
        started = time.process_time()
        answer.score(text)
        assert time.process_time() - started < slowness, text[:100]


def test_numbers_of_any_length_raise_no_error(kind_of_question: tuple[str, Generator]) -> None:
    for _, answer in keyed(kind_of_question)[:1]:
        assert answer.score(f'{{"{"9" * 5000}": "zzz"}}').value == 0


@pytest.mark.parametrize(
    "options", [{}, {"world": "spatial"}, {"world": "time"}, {"anonymize": True}]
)
def test_inverse_relations_score_zero(options: dict[str, object]) -> None:
    world = find_world(str(options.get("world", "kinship")))
    said = "{y} is {x}'s {word}." if world.genders else "The {y} is {word} the {x}."
    for row in make("clutrr", **options)[: scaled(40, least=8)]:
        x, y = row.metadata["query"]
        predicate, _ = world.meanings[row.target]
        inverse = world.predicates[world.inverse(predicate) or ""]
        words = {inverse.word(gender) for gender in world.genders or (None,)} - {row.target}
        for word in words:
            assert score(row, word).value == 0
            assert score(row, f"The answer is {word}.").value == 0
        assert score(row, said.format(x=x, y=y, word=row.target)).value == 1
        assert score(row, said.format(x=y, y=x, word=row.target)).value == 0


@cache
def some_rows() -> list[Example]:
    """Return rows of many types; made when tests run, not when they are collected."""
    return [
        row
        for name, options in (
            ("clutrr", {"k": "2..4"}),
            ("clutrr", {"choices": "4", "unknown_share": 0.3}),
            ("clutrr", {"answer": "yes-no", "unknown_share": 0.3}),
            ("clutrr", {"answer": "who", "gender": "given"}),
            ("analogy", {"only": "animal,plural"}),
            ("cloze", {}),
            ("cloze", {"form": "bank"}),
            ("comparatives", {}),
        )
        for row in make(name, **options)[:12]
    ]


ROWS = st.deferred(lambda: st.sampled_from(some_rows()))


@st.composite
def thoughts(draw: st.DrawFn) -> tuple[Example, str]:
    """A row, and text before its answer."""
    row = draw(ROWS)
    words = row.input.split()
    pieces = st.one_of(
        st.text(max_size=20), st.sampled_from(words), st.sampled_from(row.choices or words)
    )
    return row, " ".join(draw(st.lists(pieces, max_size=12)))


MARKED = [w for w in WRAPPINGS if any(mark in w for mark in ("nswer", "boxed", "####"))]


@given(thoughts(), st.sampled_from(MARKED))
def test_text_before_a_marked_answer_is_ignored(
    thought: tuple[Example, str], wrapping: str
) -> None:
    row, before = thought
    right = answer_key(row).right
    assert score(row, f"{before}\n\n{wrapping.format(right)}").value == 1


@given(ROWS, st.text(max_size=40))
def test_any_text_has_a_score(row: Example, text: str) -> None:
    given_score = score(row, text)
    assert given_score.value in (0, 1)
    if given_score.value:
        assert given_score.answer == answer_key(row).right


@given(ROWS, st.text("abcdefgz", min_size=2, max_size=6))
def test_an_answer_within_a_longer_word_scores_zero(row: Example, letters: str) -> None:
    right = answer_key(row).right.rstrip(".")
    longer = [f"{right}{letters}", f"{right}-{letters}"]
    if " is to " not in right:  # of an analogy the second pair suffices, whatever precedes it
        longer.append(f"{letters}-{right}")
    for text in longer:
        assert score(row, text).value == 0, text
