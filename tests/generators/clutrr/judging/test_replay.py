"""Replay accepts right proofs and names each kind of wrong step."""

from dataclasses import replace
from functools import cache

import pytest
from stories import clutrr

from relsmith import Example
from relsmith.generators.clutrr import Clutrr
from relsmith.testing.profile import scaled

GENERATOR = clutrr("k=4 noise=all")


@cache
def rows() -> list[Example]:
    return list(GENERATOR.examples(40))


def aunt_unless(word: str) -> str:
    return "aunt" if word != "aunt" else "uncle"


UNKNOWN_PREMISE = "step 1: a premise is neither given nor concluded before"
APART = "step 1: the premises do not lead from"
NO_END = "the proof does not end in"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda proof, _: {"proof": [[-1, proof[0][1]], *proof[1:]]}, UNKNOWN_PREMISE),
        (lambda proof, _: {"proof": [proof[-1], *proof[1:-1], proof[0]]}, UNKNOWN_PREMISE),
        # Facts from number 4 on are side facts and noise.
        (lambda proof, _: {"proof": [[4, proof[0][1]], *proof[1:]]}, UNKNOWN_PREMISE),
        (lambda proof, _: {"proof": [[proof[0][0]] * 2, *proof[1:]]}, APART),
        (lambda proof, _: {"proof": [[0, 2] if 1 in proof[0] else [0, 3], *proof[1:]]}, APART),
        (lambda _, words: {"concluded": [aunt_unless(words[0]), *words[1:]]}, "step 1: no rule"),
        (lambda _, words: {"concluded": [*words[:-1], aunt_unless(words[-1])]}, "step 3: no rule"),
        (lambda proof, _: {"proof": proof[:-1]}, "there is not one conclusion for each step"),
        (lambda proof, words: {"proof": proof[:-1], "concluded": words[:-1]}, NO_END),
        (lambda *_: {"proof": [], "concluded": []}, NO_END),
    ],
)
def test_each_kind_of_wrong_step_is_named(wrong, message) -> None:
    for row in rows():
        changed = row.metadata | wrong(row.metadata["proof"], row.metadata["concluded"])
        found = GENERATOR.replay(replace(row, metadata=changed))
        assert any(line.startswith(message) for line in found), found


def test_a_proof_of_another_answer_is_found() -> None:
    for row in rows():
        assert GENERATOR.replay(replace(row, target=aunt_unless(row.target)))[-1].startswith(NO_END)


def test_a_right_proof_passes_for_every_kind_of_row() -> None:
    for options in (
        {"rules": "thesis", "k": "2..5"},
        {"task": "memory"},
        {"answer": "yes-no", "task": "mixed"},
        {"unknown_share": 0.2},
        {"world": "spatial", "k": "2..5"},
        {"world": "time", "k": "2..5"},
    ):
        generator = Clutrr.configure(options)
        assert all(generator.replay(row) == [] for row in generator.examples(scaled(40)))


def test_unknown_rows_have_no_proof() -> None:
    generator = clutrr("unknown_share=0.2")
    row = next(row for row in generator.examples(60) if row.target == "unknown")
    row.metadata |= {name: rows()[0].metadata[name] for name in ("proof", "concluded")}
    assert generator.replay(row) == ["there is a proof of an unknown answer"]
