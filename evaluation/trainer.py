"""The training loop. The same seed on the same device gives the same numbers."""

import copy
import math
from abc import ABC, abstractmethod
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from ..errors import InvalidInput
from ..storage import files
from .device import deterministic, random_number
from .model import RunContext
from .result import TrainingSummary
from .statistics import wilson
from .training import Training

_BATCHES_PER_BUCKET = 10
"""Batches among which rows are sorted by length."""


HeldOut = tuple[float, Sequence[Collection[Hashable]]]
"""A factor of the validation share, and for each row the parts that may be held out with it."""


class Objective(ABC):
    """A module to train, its training rows by index, and their loss."""

    stages: tuple[str, ...] = ("likelihood",)
    """Losses that are minimised one after another; the best epoch is from the last stage."""

    def __init__(self, module: nn.Module, groups: Sequence[Hashable], learning_rate: float) -> None:
        self.module, self.learning_rate = module, learning_rate
        self.groups = groups
        """For each row, its group; validation never splits a group."""
        self.held_out: Sequence[HeldOut] = ()
        """Parts of rows, such as templates, some of which only validation rows have."""
        self.answer_numbers: Tensor | None = None
        """The number of each row's answer, if a constant answer is a baseline."""
        self.lengths: Tensor | None = None
        """Length of each row, if batches should have rows of similar length."""

    def epochs(self, stage: str, most: int) -> int:
        """Return the maximum number of epochs of a stage, given that of the whole training."""
        return most

    def begin(self, seed: int, epoch: int) -> None:
        """Draw the random values of an epoch."""
        del seed, epoch

    @abstractmethod
    def loss(self, rows: Tensor, stage: str) -> tuple[Tensor, int]:
        """Return the summed loss of these rows and the number of summands."""

    def validate(self, batches: Sequence[Tensor], stage: str) -> tuple[float, float]:
        """Return the accuracy on these rows and the negative mean loss; higher is better."""
        losses = [self.loss(rows, stage) for rows in batches]
        total = sum(float(loss) for loss, _ in losses)
        return 0.0, -total / sum(count for _, count in losses)


@dataclass
class Progress:
    """State of training; with module and optimizer, the content of a checkpoint."""

    stage: int = 0
    epoch: int = 0
    begun: int = 0
    """The last epoch before the current stage."""
    gained: int = 0
    """The last epoch with the best score or the lowest loss of its stage so far."""
    lowest: float = math.inf
    best_epoch: int = 0
    best: tuple[float, float] = (-math.inf, -math.inf)
    best_state: dict[str, Any] = field(default_factory=dict)
    history: list[float] = field(default_factory=list)
    chance: float | None = None
    """Validation accuracy that a constant answer may have by chance."""

    @property
    def summary(self) -> TrainingSummary:
        """Epochs, and the accuracy of the best one in validation."""
        return TrainingSummary(
            epochs=self.epoch,
            best_epoch=self.best_epoch,
            validation=self.best[0],
            chance=self.chance,
        )


def train(objective: Objective, job: RunContext) -> Progress:
    """Train until validation stops improving, then restore the best epoch.

    Training resumes from the checkpoint if there is one.
    """
    device, training = torch.device(job.device), job.training
    with deterministic(device):
        module = objective.module.to(device)
        weights = [weight for weight in module.parameters() if weight.requires_grad]
        optimizer = torch.optim.Adam(_parameter_groups(objective), fused=device.type == "cuda")
        kept_back, learnt_from = split_validation(
            objective.groups, training.validation, job.seed, objective.held_out
        )
        progress = Progress(chance=chance(objective.answer_numbers, kept_back, learnt_from))
        if job.checkpoint and job.checkpoint.exists():
            progress = _restore(job.checkpoint, module, optimizer, device)
        while _has_next_epoch(objective, training, progress):
            progress.epoch += 1
            progress.gained = max(progress.gained, progress.begun)
            loss = _epoch(objective, optimizer, weights, learnt_from, job, progress)
            progress.history.append(loss)
            _record_epoch(
                objective, progress, _validate(objective, kept_back, training, progress, -loss)
            )
            if job.checkpoint:
                _save(job.checkpoint, module, optimizer, progress)
            job.advance(min(1.0, progress.epoch / training.epochs))
        module.load_state_dict(progress.best_state)
        module.eval()
    return progress


def chance(answers: Tensor | None, validation: Tensor, training: Tensor) -> float | None:
    """Return the upper limit of the validation accuracy of the most frequent training answer.

    It is that of the 95 % interval: a model that is not above it has learnt nothing. None if rows
    have no answers or none is kept for validation.
    """
    if answers is None or not (len(validation) and len(training)):
        return None
    most = answers.cpu()[training].bincount().argmax()
    share = float((answers.cpu()[validation] == most).float().mean())
    return wilson(share, len(validation)).high


def _parameter_groups(objective: Objective) -> list[dict[str, Any]]:
    """Return optimizer parameter groups; a submodule may have its own learning rate."""
    rates = {
        weight: rate
        for part in objective.module.modules()
        if (rate := getattr(part, "own_rate", None))
        for weight in part.parameters()
    }
    groups: dict[float, list[nn.Parameter]] = {}
    for weight in objective.module.parameters():
        if weight.requires_grad:
            groups.setdefault(rates.get(weight, objective.learning_rate), []).append(weight)
    return [{"params": weights, "lr": rate} for rate, weights in groups.items()]


def autocast(device: torch.device, training: Training) -> torch.autocast:
    """Return the autocast context for the precision of training."""
    return torch.autocast(device.type, torch.bfloat16, enabled=training.precision == "bfloat16")


def split_validation(
    groups: Sequence[Hashable], share: float, seed: int, held_out: Sequence[HeldOut] = ()
) -> tuple[Tensor, Tensor]:
    """Split rows into validation and training rows without splitting a group.

    For each entry of `held_out`, parts are drawn at random and all rows that have them are
    validation rows, up to the share, times the factor, of the rows that have such parts. Other
    rows of their groups are left out of both. Groups drawn at random fill up the share.
    """
    generator = torch.Generator().manual_seed(random_number(seed, "validation"))
    members = _rows_by_part([(group,) for group in groups])
    kept, learnt = (torch.full((len(groups),), value) for value in (False, True))
    for factor, parts in (*held_out, (1.0, [(group,) for group in groups])):
        having = list(_rows_by_part(parts).values())
        places = sorted({row for rows in having for row in rows})
        wanted = round(len(places) * factor * share) - int(kept[places].sum())
        for number in torch.randperm(len(having), generator=generator).tolist():
            rows = [row for row in having[number] if learnt[row]]
            whole = [row for group in {groups[row] for row in rows} for row in members[group]]
            # Some groups are so large that few rows would be left for training.
            if len(rows) <= wanted and len(whole) <= 3 * len(rows):
                learnt[whole], kept[rows] = False, True
                wanted -= len(rows)
    return kept.nonzero().squeeze(1), learnt.nonzero().squeeze(1)


def _rows_by_part(parts: Sequence[Collection[Hashable]]) -> dict[Hashable, list[int]]:
    rows: dict[Hashable, list[int]] = {}
    for row, some in enumerate(parts):
        for part in some:
            rows.setdefault(part, []).append(row)
    return rows


def _has_next_epoch(objective: Objective, training: Training, progress: Progress) -> bool:
    """Return whether another epoch follows; start the next stage if one is over."""
    stage = objective.stages[progress.stage]
    since = progress.epoch - max(progress.gained, progress.begun)
    most = objective.epochs(stage, training.epochs)
    if progress.epoch - progress.begun < most and since < training.patience:
        return True
    later = objective.stages[progress.stage + 1 :]
    if not later or not objective.epochs(later[0], training.epochs):
        return False
    progress.stage, progress.begun = progress.stage + 1, progress.epoch
    progress.lowest, progress.best = math.inf, (-math.inf, -math.inf)
    return _has_next_epoch(objective, training, progress)


def _epoch(
    objective: Objective,
    optimizer: torch.optim.Optimizer,
    weights: list[nn.Parameter],
    rows: Tensor,
    job: RunContext,
    progress: Progress,
) -> float:
    """Train on all rows once, in random order, and return the mean loss."""
    device, training = torch.device(job.device), job.training
    torch.manual_seed(random_number(job.seed, "epoch", progress.epoch))
    objective.module.train()
    objective.begin(job.seed, progress.epoch)
    batches = _batches(rows[torch.randperm(len(rows))], objective.lengths, training.batch)
    total, things = torch.zeros((), device=device), 0
    for numbers in batches:
        with autocast(device, training):
            loss, count = objective.loss(numbers, objective.stages[progress.stage])
        optimizer.zero_grad(set_to_none=True)
        torch.autograd.backward(loss / count)
        if training.clip:
            nn.utils.clip_grad_norm_(weights, training.clip)
        optimizer.step()
        total += loss.detach()
        things += count
    return float(total) / things


def _batches(order: Tensor, lengths: Tensor | None, size: int) -> list[Tensor]:
    """Split rows into batches; sort by length within `_BATCHES_PER_BUCKET` batches."""
    if lengths is None:
        return list(torch.split(order, size))
    near = [
        rows[lengths[rows].argsort(stable=True)]
        for rows in torch.split(order, _BATCHES_PER_BUCKET * size)
    ]
    batches = torch.split(torch.cat(near), size)
    return [batches[number] for number in torch.randperm(len(batches)).tolist()]


@torch.no_grad()
def _validate(
    objective: Objective, rows: Tensor, training: Training, progress: Progress, otherwise: float
) -> tuple[float, float]:
    """Return the validation score, or the training loss if there are no validation rows."""
    if not len(rows):
        return 0.0, otherwise
    objective.module.eval()
    with autocast(next(objective.module.parameters()).device, training):
        batches = torch.split(rows, 5 * training.batch)
        return objective.validate(batches, objective.stages[progress.stage])


def _record_epoch(objective: Objective, progress: Progress, score: tuple[float, float]) -> None:
    """Record an improvement, and keep the weights of the best epoch."""
    if score > progress.best or -score[1] < progress.lowest:
        progress.gained = progress.epoch
    progress.lowest = min(progress.lowest, -score[1])
    if score > progress.best:
        progress.best, progress.best_epoch = score, progress.epoch
        progress.best_state = copy.deepcopy(objective.module.state_dict())


def _save(
    path: Path, module: nn.Module, optimizer: torch.optim.Optimizer, progress: Progress
) -> None:
    held = {"module": module.state_dict(), "optimizer": optimizer.state_dict(), **vars(progress)}
    with files.replacing(path, force=True) as successor:
        torch.save(held, successor)


def _restore(
    path: Path, module: nn.Module, optimizer: torch.optim.Optimizer, device: torch.device
) -> Progress:
    try:
        held = torch.load(path, map_location=device, weights_only=True)
        module.load_state_dict(held["module"])
        optimizer.load_state_dict(held["optimizer"])
        return Progress(**{part.name: held[part.name] for part in fields(Progress)})
    except Exception as error:  # torch says in many ways that a file is damaged
        raise InvalidInput(
            f"{path} is not a checkpoint of this run ({type(error).__name__}); remove it"
        ) from error
