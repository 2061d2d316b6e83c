"""The one training loop: the same seed on the same device gives the same numbers."""

import copy
import math
from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from ..errors import InvalidInput
from ..storage import files
from .device import deterministic, random_number
from .model import Job
from .training import Training

_NEAR = 10


class Lesson(ABC):
    """A module, the rows it learns from by number, and what it does with some of them."""

    stages: tuple[str, ...] = ("likelihood",)
    """What is minimised, one after another; the best epoch is one of the last stage."""

    def __init__(self, module: nn.Module, groups: Sequence[Hashable], learning_rate: float) -> None:
        self.module, self.learning_rate = module, learning_rate
        self.groups = groups
        """For each row, with which others it stays when some are kept for validation."""
        self.lengths: Tensor | None = None
        """Of each row, where a batch takes as long as its longest."""

    def epochs(self, stage: str, most: int) -> int:
        """How many epochs a stage may take, of those that all may take."""
        return most

    def begin(self, seed: int, epoch: int) -> None:
        """Draw whatever is drawn anew for each epoch."""
        del seed, epoch

    @abstractmethod
    def loss(self, rows: Tensor, stage: str) -> tuple[Tensor, int]:
        """The summed loss of these rows, and over how many things it is summed."""

    def validate(self, batches: Sequence[Tensor], stage: str) -> tuple[float, float]:
        """How good answers to the rows are, and how low the loss; more is better, of both."""
        losses = [self.loss(rows, stage) for rows in batches]
        total = sum(float(loss) for loss, _ in losses)
        return 0.0, -total / sum(count for _, count in losses)


@dataclass
class Progress:
    """Where training stands: all that a checkpoint holds beside module and optimizer."""

    stage: int = 0
    epoch: int = 0
    begun: int = 0
    """The last epoch before the stage."""
    gained: int = 0
    """The last epoch with a better answer or a lower loss than ever before in its stage."""
    lowest: float = math.inf
    best_epoch: int = 0
    best: tuple[float, float] = (-math.inf, -math.inf)
    best_state: dict[str, Any] = field(default_factory=dict)
    history: list[float] = field(default_factory=list)


def train(lesson: Lesson, job: Job) -> Progress:
    """Train until validation no longer improves; the module ends as it was at its best.

    Where there is a checkpoint, training goes on from it.
    """
    device, training = torch.device(job.device), job.training
    with deterministic(device):
        module = lesson.module.to(device)
        weights = [weight for weight in module.parameters() if weight.requires_grad]
        optimizer = torch.optim.Adam(_by_rate(lesson), fused=device.type == "cuda")
        kept_back, learnt_from = divided(lesson.groups, training.validation, job.seed)
        progress = Progress()
        if job.checkpoint and job.checkpoint.exists():
            progress = _restore(job.checkpoint, module, optimizer, device)
        while _goes_on(lesson, training, progress):
            progress.epoch += 1
            progress.gained = max(progress.gained, progress.begun)
            loss = _epoch(lesson, optimizer, weights, learnt_from, job, progress)
            progress.history.append(loss)
            _look(lesson, progress, _validate(lesson, kept_back, training, progress, -loss))
            if job.checkpoint:
                _save(job.checkpoint, module, optimizer, progress)
            job.advance(min(1.0, progress.epoch / training.epochs))
        module.load_state_dict(progress.best_state)
        module.eval()
    return progress


def _by_rate(lesson: Lesson) -> list[dict[str, Any]]:
    """What is trained, by learning rate: that of the lesson, unless a part has its own."""
    rates = {
        weight: rate
        for part in lesson.module.modules()
        if (rate := getattr(part, "own_rate", None))
        for weight in part.parameters()
    }
    groups: dict[float, list[nn.Parameter]] = {}
    for weight in lesson.module.parameters():
        if weight.requires_grad:
            groups.setdefault(rates.get(weight, lesson.learning_rate), []).append(weight)
    return [{"params": weights, "lr": rate} for rate, weights in groups.items()]


def mixed(device: torch.device, training: Training) -> torch.autocast:
    """Computes in what training says."""
    return torch.autocast(device.type, torch.bfloat16, enabled=training.precision == "bfloat16")


def divided(groups: Sequence[Hashable], share: float, seed: int) -> tuple[Tensor, Tensor]:
    """Which rows to keep for validation, and which to train on; groups stay together."""
    numbers: dict[Hashable, int] = {}
    group = torch.tensor([numbers.setdefault(name, len(numbers)) for name in groups])
    generator = torch.Generator().manual_seed(random_number(seed, "validation"))
    wanted = round(len(groups) * share)
    kept = torch.zeros(len(numbers), dtype=torch.bool)
    sizes = torch.bincount(group, minlength=len(numbers))
    for number in torch.randperm(len(numbers), generator=generator).tolist():
        size = int(sizes[number])
        if size <= wanted:
            kept[number] = True
            wanted -= size
    chosen = kept[group]
    return chosen.nonzero().squeeze(1), (~chosen).nonzero().squeeze(1)


def _goes_on(lesson: Lesson, training: Training, progress: Progress) -> bool:
    """Whether there is another epoch; where a stage is over, the next begins."""
    stage = lesson.stages[progress.stage]
    since = progress.epoch - max(progress.gained, progress.begun)
    most = lesson.epochs(stage, training.epochs)
    if progress.epoch - progress.begun < most and since < training.patience:
        return True
    later = lesson.stages[progress.stage + 1 :]
    if not later or not lesson.epochs(later[0], training.epochs):
        return False
    progress.stage, progress.begun = progress.stage + 1, progress.epoch
    progress.lowest, progress.best = math.inf, (-math.inf, -math.inf)
    return _goes_on(lesson, training, progress)


def _epoch(
    lesson: Lesson,
    optimizer: torch.optim.Optimizer,
    weights: list[nn.Parameter],
    rows: Tensor,
    job: Job,
    progress: Progress,
) -> float:
    """Go through the rows once, in a new order; the mean loss."""
    device, training = torch.device(job.device), job.training
    torch.manual_seed(random_number(job.seed, "epoch", progress.epoch))
    lesson.module.train()
    lesson.begin(job.seed, progress.epoch)
    batches = _batches(rows[torch.randperm(len(rows))], lesson.lengths, training.batch)
    total, things = torch.zeros((), device=device), 0
    for numbers in batches:
        with mixed(device, training):
            loss, count = lesson.loss(numbers, lesson.stages[progress.stage])
        optimizer.zero_grad(set_to_none=True)
        torch.autograd.backward(loss / count)
        if training.clip:
            nn.utils.clip_grad_norm_(weights, training.clip)
        optimizer.step()
        total += loss.detach()
        things += count
    return float(total) / things


def _batches(order: Tensor, lengths: Tensor | None, size: int) -> list[Tensor]:
    """Rows in this order; those of like length together, among as many as make `_NEAR` batches."""
    if lengths is None:
        return list(torch.split(order, size))
    near = [rows[lengths[rows].argsort(stable=True)] for rows in torch.split(order, _NEAR * size)]
    batches = torch.split(torch.cat(near), size)
    return [batches[number] for number in torch.randperm(len(batches)).tolist()]


@torch.no_grad()
def _validate(
    lesson: Lesson, rows: Tensor, training: Training, progress: Progress, otherwise: float
) -> tuple[float, float]:
    """What the rows kept back say; without any, the training loss alone."""
    if not len(rows):
        return 0.0, otherwise
    lesson.module.eval()
    with mixed(next(lesson.module.parameters()).device, training):
        batches = torch.split(rows, 5 * training.batch)
        return lesson.validate(batches, lesson.stages[progress.stage])


def _look(lesson: Lesson, progress: Progress, score: tuple[float, float]) -> None:
    """Note whether this epoch was an improvement, and keep the module where it was the best."""
    if score > progress.best or -score[1] < progress.lowest:
        progress.gained = progress.epoch
    progress.lowest = min(progress.lowest, -score[1])
    if score > progress.best:
        progress.best, progress.best_epoch = score, progress.epoch
        progress.best_state = copy.deepcopy(lesson.module.state_dict())


def _save(
    path: Path, module: nn.Module, optimizer: torch.optim.Optimizer, progress: Progress
) -> None:
    held = {"module": module.state_dict(), "optimizer": optimizer.state_dict(), **vars(progress)}
    with files.replacing(path, force=True) as successor:
        torch.save(held, successor)


def _restore(
    path: Path, module: nn.Module, optimizer: torch.optim.Optimizer, device: torch.device
) -> Progress:
    """Put module and optimizer back where they stood, and say how far training had come."""
    try:
        held = torch.load(path, map_location=device, weights_only=True)
        module.load_state_dict(held["module"])
        optimizer.load_state_dict(held["optimizer"])
        return Progress(**{part.name: held[part.name] for part in fields(Progress)})
    except Exception as error:  # torch says in many ways that a file is damaged
        raise InvalidInput(
            f"{path} is no checkpoint of this run ({type(error).__name__}); remove it to train anew"
        ) from error
