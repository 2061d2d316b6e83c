"""Training: the same seed on the same device gives the same numbers."""

import copy
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import torch
from pydantic import BaseModel, ConfigDict, Field
from torch import Tensor, nn

from ..checkpoint import restore_checkpoint, save_checkpoint
from ..device import deterministic, random_number
from ..training import Tick
from .encoding import Encoded, Vocabulary
from .prediction import Fitted, Predictor

if TYPE_CHECKING:
    from .model import Network


class Training(BaseModel):
    """How networks are trained."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    epochs: int = Field(default=50, ge=1, description="most times to go through the training rows")
    patience: int = Field(
        default=5, ge=1, description="stop after so many epochs without improvement"
    )
    batch: int = Field(default=32, ge=1, description="rows in a step")
    validation: float = Field(
        default=0.1, ge=0, lt=1, description="share of abstracts kept for early stopping"
    )
    clip: float = Field(default=5.0, gt=0, description="most that the gradient's norm may be")


@dataclass
class _Progress:
    """Where training stands: all that a checkpoint holds beside module and optimizer."""

    stage: int
    epoch: int
    begun: int
    best_epoch: int
    best: float
    best_state: dict[str, Any]
    history: list[float]


def fit(
    network: "Network",
    train: Encoded,
    vocabulary: Vocabulary,
    training: Training,
    *,
    seed: int = 0,
    checkpoint: Path | None = None,
    tick: Tick | None = None,
) -> Fitted:
    """Train stage by stage; go on from the checkpoint where there is one."""
    device = train.all.source.device
    with deterministic(device):
        torch.manual_seed(random_number(seed, "start"))
        module = network.build(train, vocabulary).to(device)
        trained = [weight for weight in module.parameters() if weight.requires_grad]
        optimizer = torch.optim.Adam(trained, lr=network.learning_rate)
        fitted_rows, validation_rows = divided(train, training.validation, seed)
        progress = _Progress(0, 0, 0, 0, torch.inf, copy.deepcopy(module.state_dict()), [])
        if checkpoint and checkpoint.exists():
            progress = restore_checkpoint(checkpoint, module, optimizer, _Progress, device)
        while _goes_on(network, training, progress):
            stage = network.stages[progress.stage]
            progress.epoch += 1
            loss = _epoch(module, optimizer, train, fitted_rows, training, stage, seed, progress)
            progress.history.append(loss)
            if len(validation_rows):
                loss = validate(module, train, validation_rows, training, stage)
            if loss < progress.best:
                progress.best, progress.best_epoch = loss, progress.epoch
                progress.best_state = copy.deepcopy(module.state_dict())
            if checkpoint:
                save_checkpoint(checkpoint, module, optimizer, progress)
            if tick:
                tick(progress.epoch * len(fitted_rows))
        module.load_state_dict(progress.best_state)
    return Fitted(
        cast(Predictor, module.eval()),
        progress.epoch,
        progress.best_epoch,
        progress.best,
        progress.history,
    )


def _goes_on(network: "Network", training: Training, progress: _Progress) -> bool:
    """Whether there is another epoch; where a stage is over, the next begins."""
    stage = network.stages[progress.stage]
    most = network.epochs(stage, training.epochs)
    since = progress.epoch - max(progress.best_epoch, progress.begun)
    if progress.epoch - progress.begun < most and since < training.patience:
        return True
    later = network.stages[progress.stage + 1 :]
    if not later or not network.epochs(later[0], training.epochs):
        return False
    progress.stage, progress.begun, progress.best = progress.stage + 1, progress.epoch, torch.inf
    return _goes_on(network, training, progress)


def divided(data: Encoded, share: float, seed: int) -> tuple[Tensor, Tensor]:
    """Which rows to train on, and which to keep; those of one abstract stay together."""
    groups = torch.tensor(data.groups)
    count = int(groups.max()) + 1
    generator = torch.Generator().manual_seed(random_number(seed, "validation"))
    for_validation = torch.zeros(count, dtype=torch.bool)
    for_validation[torch.randperm(count, generator=generator)[: int(count * share)]] = True
    return (~for_validation[groups]).nonzero().squeeze(1), for_validation[groups].nonzero().squeeze(
        1
    )


def _epoch(
    module: nn.Module,
    optimizer: torch.optim.Optimizer,
    data: Encoded,
    rows: Tensor,
    training: Training,
    stage: str,
    seed: int,
    progress: _Progress,
) -> float:
    """Go through the rows once, in a new order; the mean loss of a word."""
    torch.manual_seed(random_number(seed, "epoch", progress.epoch))
    module.train()
    total, words = torch.zeros((), device=data.all.source.device), 0
    weights = [weight for weight in module.parameters() if weight.requires_grad]
    for numbers in torch.split(rows[torch.randperm(len(rows))], training.batch):
        batch = data.batch(numbers)
        loss = cast(Any, module).loss(batch, stage)
        count = int(batch.target_lengths.sum())
        optimizer.zero_grad(set_to_none=True)
        torch.autograd.backward(loss / count)
        nn.utils.clip_grad_norm_(weights, training.clip)
        optimizer.step()
        total += loss.detach()
        words += count
    return float(total) / words


@torch.no_grad()
def validate(
    module: nn.Module, data: Encoded, rows: Tensor, training: Training, stage: str
) -> float:
    """The mean loss of a word in rows that were kept back."""
    module.eval()
    total = sum(
        float(cast(Any, module).loss(data.batch(numbers), stage))
        for numbers in torch.split(rows, training.batch)
    )
    return total / int(data.all.target_lengths[rows].sum())
