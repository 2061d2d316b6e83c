"""The certificate: a right proof passes, and each way of being wrong is named."""

import orjson
import pytest

from relsmith import Example
from relsmith.generators.clutrr import Clutrr

GENERATOR = Clutrr.configure({"k": "4", "noise": "all"})
ROWS = list(GENERATOR.examples(40))


def replayed(row, change) -> list[str]:
    spoilt = Example.parse(orjson.dumps(row))
    change(spoilt.metadata["proof"], spoilt)
    return GENERATOR.replay(spoilt)


def premise(proof, row) -> None:
    proof[0][0] = -1


def not_yet(proof, row) -> None:
    proof[0], proof[-1] = proof[-1], proof[0]


def from_noise(proof, row) -> None:
    proof[0][0] = row.metadata["k"]


def elsewhere(proof, row) -> None:
    proof[0][1] = proof[0][0]


def apart(proof, row) -> None:
    premises = set(range(4)) - {n + d for n in proof[0] for d in (-1, 0, 1)}
    proof[0][1] = min(premises, default=proof[0][0])


def rule(proof, row) -> None:
    concluded = row.metadata["concluded"]
    concluded[0] = "aunt" if concluded[0] != "aunt" else "uncle"


def conclusion(proof, row) -> None:
    concluded = row.metadata["concluded"]
    concluded[-1] = "aunt" if concluded[-1] != "aunt" else "uncle"


def last_step(proof, row) -> None:
    proof.pop()
    row.metadata["concluded"].pop()


def half_a_step(proof, row) -> None:
    proof.pop()


def everything(proof, row) -> None:
    proof.clear()
    row.metadata["concluded"].clear()


def target(proof, row) -> None:
    row.target = "aunt" if row.target != "aunt" else "uncle"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (premise, "step 1: a premise is neither given nor concluded before"),
        (not_yet, "step 1: a premise is neither given nor concluded before"),
        (from_noise, "step 1: a premise is neither given nor concluded before"),
        (elsewhere, "step 1: the premises do not lead from"),
        (apart, "step 1: the premises do not lead from"),
        (rule, "step 1: no rule gives"),
        (conclusion, "step 3: no rule"),
        (half_a_step, "there is not one conclusion for each step of the proof"),
        (last_step, "the proof does not end in"),
        (everything, "the proof does not end in"),
        (target, "the proof does not end in"),
    ],
)
def test_each_kind_of_wrong_step_is_named(change, words) -> None:
    for row in ROWS:
        found = replayed(row, change)
        assert any(line.startswith(words) for line in found), found


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
        assert all(generator.replay(row) == [] for row in generator.examples(60))


def test_what_is_unknown_has_no_proof() -> None:
    generator = Clutrr.configure({"unknown_share": 0.2})
    row = next(row for row in generator.examples(60) if row.target == "unknown")
    row.metadata |= {name: ROWS[0].metadata[name] for name in ("proof", "concluded")}
    assert generator.replay(row) == ["there is a proof of an unknown answer"]
