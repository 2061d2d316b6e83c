"""The same seed gives the same numbers; an interrupted run ends as an uninterrupted one."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from relsmith.errors import InvalidOption
from relsmith.evaluation.device import find_device
from relsmith.evaluation.stories import harness
from relsmith.evaluation.stories.encoding import Encoded, Sizes, Vocabulary
from relsmith.evaluation.stories.harness import Fitted, fit, predict
from relsmith.evaluation.stories.models.gat import GAT
from relsmith.evaluation.stories.models.transformer import Transformer
from relsmith.evaluation.stories.rows import Story
from relsmith.evaluation.training import Training

SMALL = Transformer(layers=1, width=16, inner=32, dropout=0.3, heads=2)


def same(left: Fitted, right: Fitted) -> bool:
    states = left.module.state_dict(), right.module.state_dict()
    return left.history == right.history and all(
        torch.equal(states[0][name], states[1][name]) for name in states[0]
    )


def test_the_same_seed_gives_the_same_numbers(few: Encoded, sizes: Sizes) -> None:
    training = Training(epochs=3, batch=16)
    first = fit(SMALL, sizes, few, training, seed=5)
    torch.rand(7)  # what others draw in between does not matter
    assert same(first, fit(SMALL, sizes, few, training, seed=5))
    assert not same(first, fit(SMALL, sizes, few, training, seed=6))


def test_the_callers_random_state_is_left_alone(few: Encoded, sizes: Sizes) -> None:
    torch.manual_seed(1)
    expected = torch.rand(3)
    torch.manual_seed(1)
    fit(SMALL, sizes, few, Training(epochs=1, batch=32))
    assert torch.equal(torch.rand(3), expected)
    assert not torch.are_deterministic_algorithms_enabled()


class Killed(Exception):
    pass


@pytest.mark.parametrize("when", [1, 3])
def test_a_killed_run_goes_on_where_it_stopped(
    when: int, few: Encoded, sizes: Sizes, tmp_path: Path
) -> None:
    training = Training(epochs=5, batch=16)
    checkpoint = tmp_path / "deep" / "one.pt"
    epochs_seen = []

    def kill(rows: int) -> None:
        epochs_seen.append(rows)
        if len(epochs_seen) == when:
            raise Killed

    with pytest.raises(Killed):
        fit(SMALL, sizes, few, training, checkpoint=checkpoint, tick=kill)
    resumed = fit(SMALL, sizes, few, training, checkpoint=checkpoint, tick=epochs_seen.append)
    assert len(epochs_seen) == 5
    assert same(resumed, fit(SMALL, sizes, few, training))


def test_training_stops_when_validation_no_longer_improves(few: Encoded, sizes: Sizes) -> None:
    training = Training(epochs=60, patience=2, batch=16, validation=0.3, learning_rate=0.01)
    fitted = fit(GAT(rounds=1), sizes, few, training)
    assert fitted.epochs == fitted.best_epoch + 2 < 60


def test_training_goes_on_while_the_loss_falls(
    few: Encoded, sizes: Sizes, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = iter([(0.2, -3.0), (0.1, -2.9), (0.1, -2.8), (0.1, -2.8), (0.1, -2.9)])
    monkeypatch.setattr(harness, "_validate", lambda *given: next(scores))
    fitted = fit(GAT(rounds=1), sizes, few, Training(epochs=9, patience=2, batch=32))
    assert fitted.epochs == 5
    assert fitted.best_epoch == 1


def test_the_best_epoch_is_what_is_kept(few: Encoded, sizes: Sizes) -> None:
    training = Training(epochs=30, patience=6, batch=16, validation=0.3, learning_rate=0.01)
    fitted = fit(GAT(rounds=1), sizes, few, training)
    only = fit(GAT(rounds=1), sizes, few, training.model_copy(update={"epochs": fitted.best_epoch}))
    assert fitted.best_epoch < fitted.epochs
    state = fitted.module.state_dict()
    assert all(torch.equal(state[name], held) for name, held in only.module.state_dict().items())


def test_rows_kept_for_validation_are_not_trained_on(few: Encoded, sizes: Sizes) -> None:
    training = Training(epochs=2, batch=16, validation=0.25)
    _, kept = harness._divided(len(few), 0.25, 0)
    assert len(kept) == 16
    targets = few.targets.clone()
    targets[kept] = (targets[kept] + 1) % sizes.targets
    assert fit(SMALL, sizes, few, training).history == (
        fit(SMALL, sizes, replace(few, targets=targets), training).history
    )


def test_placeholders_are_drawn_anew_in_each_epoch_and_not_in_tests(few: Encoded) -> None:
    first, second = (few.draw(torch.Generator().manual_seed(one)) for one in (1, 2))
    assert not torch.equal(first, second)
    assert torch.equal(first, few.draw(torch.Generator().manual_seed(1)))


@pytest.mark.parametrize("shuffled", [False, True])
def test_with_shuffled_targets_there_is_nothing_to_learn(
    shuffled: bool, stories: list[Story]
) -> None:
    """A model that saw the answer side would know shuffled answers as well as true ones."""
    vocabulary = Vocabulary.of(stories)
    train, test = (Encoded.of(some, vocabulary) for some in (stories[:600], stories[600:]))
    if shuffled:
        order = torch.Generator().manual_seed(0)
        train, test = (
            replace(data, targets=data.targets[torch.randperm(len(data), generator=order)])
            for data in (train, test)
        )
    fitted = fit(
        GAT(), Sizes.of(vocabulary), train, Training(epochs=12, patience=12, learning_rate=3e-3)
    )
    accuracy = float((predict(fitted.module, test) == test.targets).float().mean())
    assert accuracy < 0.15 if shuffled else accuracy > 0.35


def test_devices_are_found_or_refused() -> None:
    assert find_device("cpu").type == "cpu"
    assert find_device("auto").type in ("cpu", "cuda")
    with pytest.raises(InvalidOption, match="--device: cannot use 'gpu'"):
        find_device("gpu")
