"""Training: determinism, resuming, validation, early stopping."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from typing_extensions import override

from relsmith.errors import InvalidInput, InvalidOption
from relsmith.evaluation.device import find_device
from relsmith.evaluation.model import RunContext
from relsmith.evaluation.result import TrainingSummary
from relsmith.evaluation.trainer import Objective, autocast, chance, split_validation, train
from relsmith.evaluation.training import Training

ROWS = 60


class AboveZero(Objective):
    """Whether the sum of three numbers is above zero; dropout uses random numbers in each epoch."""

    def __init__(self, groups: Sequence[int] = range(ROWS), learning_rate: float = 0.01) -> None:
        with torch.random.fork_rng():
            torch.manual_seed(0)
            module = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 2))
        super().__init__(module, groups, learning_rate)
        self.inputs = torch.randn(ROWS, 3, generator=torch.Generator().manual_seed(1))
        self.targets = (self.inputs.sum(1) > 0).long()
        self.seen: list[int] = []
        self.begun: list[tuple[int, int]] = []

    @override
    def begin(self, seed: int, epoch: int) -> None:
        self.begun.append((seed, epoch))

    @override
    def loss(self, rows: Tensor, stage: str) -> tuple[Tensor, int]:
        self.seen += rows.tolist()
        scores = self.module(self.inputs[rows])
        return functional.cross_entropy(scores, self.targets[rows], reduction="sum"), len(rows)

    @override
    def validate(self, batches: Sequence[Tensor], stage: str) -> tuple[float, float]:
        rows = torch.cat(list(batches))
        scores = self.module(self.inputs[rows])
        right = (scores.argmax(1) == self.targets[rows]).float().mean()
        return float(right), -float(functional.cross_entropy(scores, self.targets[rows]))


class Scripted(AboveZero):
    """Objective with given validation scores by epoch."""

    def __init__(self, *scores: tuple[float, float]) -> None:
        super().__init__()
        self.scores = iter(scores)

    @override
    def validate(self, batches: Sequence[Tensor], stage: str) -> tuple[float, float]:
        return next(self.scores)


SHORT = RunContext(training=Training(epochs=5, batch=8))


def fitted(job: RunContext, objective: AboveZero | None = None) -> tuple[list[float], list[Tensor]]:
    """Return the losses by epoch, and the final weights."""
    objective = objective or AboveZero()
    return train(objective, job).history, list(objective.module.state_dict().values())


def same(left: tuple[list[float], list[Tensor]], right: tuple[list[float], list[Tensor]]) -> bool:
    return left[0] == right[0] and all(map(torch.equal, left[1], right[1]))


def test_the_same_seed_gives_the_same_numbers() -> None:
    first = fitted(replace(SHORT, seed=5))
    torch.rand(7)  # other draws in between do not matter
    assert same(first, fitted(replace(SHORT, seed=5)))
    assert not same(first, fitted(replace(SHORT, seed=6)))


def test_the_random_state_of_the_caller_is_kept() -> None:
    torch.manual_seed(1)
    expected = torch.rand(3)
    torch.manual_seed(1)
    fitted(SHORT)
    assert torch.equal(torch.rand(3), expected)
    assert not torch.are_deterministic_algorithms_enabled()


class Killed(Exception):
    pass


@pytest.mark.parametrize("when", [1, 2, 4])
def test_a_killed_run_resumes(when: int, tmp_path: Path) -> None:
    told: list[float] = []

    def kill(share: float) -> None:
        told.append(share)
        if len(told) == when:
            raise Killed

    job = replace(SHORT, checkpoint=tmp_path / "deep" / "run.pt", advance=kill)
    with pytest.raises(Killed):
        fitted(job)
    objective = AboveZero()
    resumed = fitted(replace(job, advance=told.append), objective)
    assert told == [0.2, 0.4, 0.6, 0.8, 1.0]
    assert objective.begun == [(0, epoch) for epoch in range(when + 1, 6)]
    assert same(resumed, fitted(SHORT))


def test_an_invalid_checkpoint_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "run.pt").write_bytes(b"rubbish")
    with pytest.raises(InvalidInput, match=r"is not a checkpoint of this run .*; remove it"):
        fitted(replace(SHORT, checkpoint=tmp_path / "run.pt"))


def test_parts_may_have_different_learning_rates() -> None:
    objective = AboveZero()
    first, last = objective.module[0], objective.module[-1]  # type: ignore[index]
    first.own_rate = 1e-9
    before = [first.weight.clone(), last.weight.clone()]
    train(objective, RunContext(training=Training(epochs=3, batch=10)))
    moved = [
        float((new - old).abs().max().detach())
        for new, old in zip((first.weight, last.weight), before, strict=True)
    ]
    assert moved[0] < 1e-6 < 1e-3 < moved[1]


def test_training_stops_when_validation_no_longer_improves() -> None:
    job = RunContext(training=Training(epochs=60, patience=2, batch=8))
    progress = train(Scripted((0.1, -3.0), (0.2, -3.0), (0.1, -3.1), (0.2, -3.0)), job)
    assert (progress.epoch, progress.best_epoch) == (4, 2)


def test_training_continues_while_the_loss_falls() -> None:
    job = RunContext(training=Training(epochs=60, patience=2, batch=8))
    scores = [(0.2, -3.0), (0.1, -2.9), (0.1, -2.8), (0.1, -2.8), (0.1, -2.9)]
    progress = train(Scripted(*scores), job)
    assert (progress.epoch, progress.best_epoch) == (5, 1)


def test_equal_accuracy_is_ranked_by_loss() -> None:
    job = RunContext(training=Training(epochs=3, batch=8))
    assert train(Scripted((0.2, -3.0), (0.2, -2.0), (0.2, -2.5)), job).best_epoch == 2


def test_the_best_epoch_is_kept() -> None:
    scores = [(0.1, -1.0), (0.3, -1.0), (0.2, -1.0), (0.2, -1.0)]
    best = fitted(RunContext(training=Training(epochs=2, batch=8)), Scripted(*scores))
    later = fitted(RunContext(training=Training(epochs=4, batch=8)), Scripted(*scores))
    assert all(map(torch.equal, best[1], later[1]))
    assert len(later[0]) == 4


def test_validation_rows_are_not_trained_on() -> None:
    objective = AboveZero()
    train(objective, RunContext(seed=3, training=Training(epochs=2, batch=8, validation=0.25)))
    kept, learnt = split_validation(objective.groups, 0.25, 3)
    assert len(kept) == 15
    assert sorted(objective.seen) == sorted(2 * learnt.tolist())
    assert not set(objective.seen) & set(kept.tolist())


def test_no_group_is_in_training_and_validation() -> None:
    groups = [f"plot {number // 3}" for number in range(90)]
    for seed in range(5):
        kept, learnt = split_validation(groups, 0.1, seed)
        assert len(kept) == 9
        assert not {groups[row] for row in kept} & {groups[row] for row in learnt}
    assert not torch.equal(split_validation(groups, 0.1, 0)[0], split_validation(groups, 0.1, 1)[0])


def test_a_group_that_is_too_large_is_trained_on() -> None:
    kept, learnt = split_validation(["all"] * 20, 0.1, 0)
    assert (len(kept), len(learnt)) == (0, 20)


def test_held_out_parts_are_only_in_validation_rows() -> None:
    groups = [f"group {row // 2}" for row in range(400)]
    clauses = [(f"clause {row % 40}",) if row < 200 else () for row in range(400)]
    words = [(f"word {row % 97}", f"name {row % 101}") for row in range(400)]
    for seed in range(5):
        parts = [(0.5, clauses), (1.0, words)]
        kept, learnt = (rows.tolist() for rows in split_validation(groups, 0.2, seed, parts))
        seen = {part for row in learnt for part in (*clauses[row], *words[row])}
        # Groups fill up the share if too little room is left for another part.
        assert sum(not {*clauses[row], *words[row]} - seen for row in kept) <= 4
        new = {clauses[row] for row in kept if clauses[row]} - {clauses[row] for row in learnt}
        assert len(new) >= 4  # a tenth of forty
        assert len(kept) == 80
        # Only the other row of a group is left out.
        assert not {groups[row] for row in kept} & {groups[row] for row in learnt}
        assert {groups[row] for row in range(400)} - {groups[row] for row in learnt} == {
            groups[row] for row in kept
        }
    first, again, other = (split_validation(groups, 0.2, seed, parts)[0] for seed in (0, 0, 1))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_parts_whose_groups_are_large_are_not_held_out() -> None:
    """Check that training keeps enough rows; groups fill up the share."""
    groups = [f"group {row // 10}" for row in range(200)]
    words = [(f"word {row}",) for row in range(200)]
    kept, learnt = split_validation(groups, 0.1, 0, [(1.0, words)])
    assert (len(kept), len(learnt)) == (20, 180)
    assert all(
        torch.equal(a, b)
        for a, b in zip(
            split_validation(groups, 0.1, 0, [(1.0, [()] * 200)]),
            split_validation(groups, 0.1, 0),
            strict=True,
        )
    )


def test_chance_is_the_interval_of_the_most_frequent_training_answer() -> None:
    answers = torch.tensor([0] * 50 + [1] * 60 + [1] * 20 + [0] * 80)
    training, validation = torch.arange(110), torch.arange(110, 210)
    # Wilson's interval of 20 of 100.
    assert chance(answers, validation, training) == pytest.approx(0.2888, abs=1e-3)
    assert chance(None, validation, training) is None
    assert chance(answers, validation[:0], training) is None


@pytest.mark.parametrize(("right", "is_at_chance"), [(0.5, True), (0.99, False)])
def test_an_untrained_model_is_at_chance(right: float, is_at_chance: bool) -> None:
    objective = Scripted(*[(right, -1.0)] * 4)
    objective.answer_numbers = (torch.arange(ROWS) % 2).long()
    warnings = train(objective, SHORT4).summary.warnings(patience=2)
    assert warnings == ["at chance, on validation rows no better than a constant answer"] * (
        is_at_chance
    )
    assert train(Scripted(*[(right, -1.0)] * 4), SHORT4).summary.chance is None


SHORT4 = RunContext(training=Training(epochs=4, patience=3, batch=8))


@pytest.mark.parametrize(
    ("epochs", "best", "warned"),
    [(60, 60, True), (60, 51, True), (60, 50, False), (40, 30, False), (0, 0, False)],
)
def test_training_that_ends_at_the_epoch_limit_is_reported(
    epochs: int, best: int, warned: bool
) -> None:
    summary = TrainingSummary(epochs=epochs, best_epoch=best)
    assert summary.warnings(patience=10) == [f"ended at its cap of {epochs} epochs"] * warned


def test_without_validation_all_rows_are_trained_on() -> None:
    objective = AboveZero()
    progress = train(objective, RunContext(training=Training(epochs=3, batch=8, validation=0)))
    assert set(objective.seen) == set(range(ROWS))
    assert progress.history[progress.best_epoch - 1] == min(progress.history)


class Staged(Scripted):
    """Objective of two stages."""

    stages = ("first", "second")

    @override
    def epochs(self, stage: str, most: int) -> int:
        return 2 if stage == "first" else most - 2


def test_the_best_epoch_is_in_the_last_stage() -> None:
    scores = [(0.9, -1.0), (0.8, -1.0), (0.1, -5.0), (0.2, -5.0), (0.1, -5.0)]
    progress = train(Staged(*scores), RunContext(training=Training(epochs=5, batch=8)))
    assert (progress.stage, progress.epoch, progress.best_epoch) == (1, 5, 4)


def test_gradients_are_clipped_on_request() -> None:
    training = Training(epochs=1, batch=8, validation=0)
    clipped = training.model_copy(update={"clip": 1e-3})
    assert not same(fitted(RunContext(training=training)), fitted(RunContext(training=clipped)))


def test_computation_uses_the_precision_of_the_settings() -> None:
    device = torch.device("cpu")
    for precision, kind in (("float32", torch.float32), ("bfloat16", torch.bfloat16)):
        training = Training.model_validate({"precision": precision})
        with autocast(device, training):
            assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype == kind
    assert Training(precision="auto").on("cpu").precision == "float32"
    assert Training(precision="auto").on("cuda").precision == "bfloat16"
    assert Training(precision="float32").on("cuda").precision == "float32"


def test_devices_are_found_or_refused() -> None:
    assert find_device("cpu").type == "cpu"
    assert find_device("auto").type in ("cpu", "cuda")
    with pytest.raises(InvalidOption, match="--device: cannot use 'gpu'"):
        find_device("gpu")


class Lengthy(AboveZero):
    """Rows of two alternating lengths; records the lengths of each batch."""

    def __init__(self) -> None:
        super().__init__()
        self.lengths = torch.arange(ROWS) % 2
        self.met: list[set[int]] = []

    @override
    def loss(self, rows: Tensor, stage: str) -> tuple[Tensor, int]:
        if self.module.training:
            assert self.lengths is not None
            self.met.append(set(self.lengths[rows].tolist()))
        return super().loss(rows, stage)


def test_batches_have_rows_of_similar_length_and_cover_all() -> None:
    objective = Lengthy()
    train(objective, RunContext(training=Training(epochs=2, batch=6, validation=0)))
    assert sum(len(met) > 1 for met in objective.met) <= 2
    assert sorted(objective.seen[:ROWS]) == sorted(objective.seen[ROWS:]) == list(range(ROWS))
    assert objective.seen[:ROWS] != objective.seen[ROWS:]
    assert objective.met[: len(objective.met) // 2] != sorted(
        objective.met[: len(objective.met) // 2], key=min
    )
