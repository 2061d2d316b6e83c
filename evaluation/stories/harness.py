"""Training and testing: the same seed on the same device gives the same numbers."""

import copy
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from ..checkpoint import restore_checkpoint, save_checkpoint
from ..device import deterministic, random_number
from ..training import Tick, Training
from .encoding import Encoded, Sizes
from .model import Network


@dataclass(frozen=True)
class Fitted:
    """A trained module as it was at its best epoch."""

    module: nn.Module
    epochs: int
    best_epoch: int
    validation: float
    history: list[float]


@dataclass
class _Progress:
    """Where training stands: all that a checkpoint holds beside module and optimizer."""

    epoch: int
    gained: int
    """The last epoch with a higher accuracy or a lower loss than ever before."""
    lowest: float
    best_epoch: int
    best: tuple[float, float]
    best_state: dict[str, Any]
    history: list[float]


def fit(
    network: Network,
    sizes: Sizes,
    train: Encoded,
    training: Training,
    *,
    seed: int = 0,
    checkpoint: Path | None = None,
    tick: Tick | None = None,
) -> Fitted:
    """Train until validation no longer improves; go on from the checkpoint where there is one."""
    device = train.words.device
    with deterministic(device):
        torch.manual_seed(random_number(seed, "start"))
        module = network.build(sizes).to(device)
        trained = [weight for weight in module.parameters() if weight.requires_grad]
        optimizer = torch.optim.Adam(trained, lr=training.learning_rate)
        fitted_rows, validation_rows = _divided(len(train), training.validation, seed)
        progress = _Progress(0, 0, math.inf, 0, (-1.0, 0.0), {}, [])
        if checkpoint and checkpoint.exists():
            progress = restore_checkpoint(checkpoint, module, optimizer, _Progress, device)
        while (
            progress.epoch < training.epochs
            and progress.epoch - progress.gained < training.patience
        ):
            progress.epoch += 1
            loss = _epoch(module, optimizer, train, fitted_rows, training, seed, progress.epoch)
            progress.history.append(loss)
            score = _validate(module, train, validation_rows, training, -loss)
            if score > progress.best or -score[1] < progress.lowest:
                progress.gained = progress.epoch
            progress.lowest = min(progress.lowest, -score[1])
            if score > progress.best:
                progress.best, progress.best_epoch = score, progress.epoch
                progress.best_state = copy.deepcopy(module.state_dict())
            if checkpoint:
                save_checkpoint(checkpoint, module, optimizer, progress)
            if tick:
                tick(progress.epoch * len(fitted_rows))
        module.load_state_dict(progress.best_state)
    return Fitted(
        module.eval(), progress.epoch, progress.best_epoch, progress.best[0], progress.history
    )


def predict(module: nn.Module, data: Encoded, *, batch: int = 500) -> Tensor:
    """The number of the answer to each row, with placeholders drawn the same way every time."""
    return _scores(module, data, torch.arange(len(data)), batch).argmax(1)


def _epoch(
    module: nn.Module,
    optimizer: torch.optim.Optimizer,
    data: Encoded,
    rows: Tensor,
    training: Training,
    seed: int,
    epoch: int,
) -> float:
    """Go through the rows once, in a new order and with new placeholders; the mean loss."""
    torch.manual_seed(random_number(seed, "epoch", epoch))
    module.train()
    order = rows[torch.randperm(len(rows))]
    drawn = data.draw(torch.Generator().manual_seed(random_number(seed, "placeholders", epoch)))
    targets = torch.split(data.targets[order.to(data.targets.device)], training.batch)
    total = torch.zeros((), device=data.words.device)
    for numbers, target in zip(torch.split(order, training.batch), targets, strict=True):
        with _mixed(data.words.device):
            scores = module(data.batch(numbers, drawn))
        loss = functional.cross_entropy(scores.float(), target)
        optimizer.zero_grad(set_to_none=True)
        torch.autograd.backward(loss)
        optimizer.step()
        total += loss.detach() * len(numbers)
    return float(total) / len(rows)


def _validate(
    module: nn.Module, data: Encoded, rows: Tensor, training: Training, otherwise: float
) -> tuple[float, float]:
    """Accuracy and minus the loss of the rows kept back; without any, the training loss alone."""
    if not len(rows):
        return 0.0, otherwise
    scores = _scores(module, data, rows, 5 * training.batch)
    targets = data.targets[rows.to(data.targets.device)]
    right = (scores.argmax(1) == targets).float().mean()
    loss = functional.cross_entropy(scores, targets)
    return float(right), -float(loss)


@torch.no_grad()
def _scores(module: nn.Module, data: Encoded, rows: Tensor, batch: int) -> Tensor:
    module.eval()
    drawn = data.draw(torch.Generator().manual_seed(random_number(0, "test")))
    with _mixed(data.words.device):
        scores = [
            module(data.batch(numbers, drawn)).float() for numbers in torch.split(rows, batch)
        ]
    return torch.cat(scores)


def _mixed(device: torch.device) -> torch.autocast:
    return torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda")


def _divided(count: int, share: float, seed: int) -> tuple[Tensor, Tensor]:
    """Which rows to train on, and which to keep for validation."""
    generator = torch.Generator().manual_seed(random_number(seed, "validation"))
    order = torch.randperm(count, generator=generator)
    validation_count = int(count * share)
    return order[validation_count:].sort().values, order[:validation_count].sort().values
