"""How a network learns from stories."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from typing_extensions import override

from ...device import deterministic, random_number
from ...model import FittedModel, RunContext
from ...result import TrainingSummary
from ...task import Fold, TaskRows
from ...trainer import Objective, autocast, train
from ...training import Training
from .encoding import Batch, Encoded, Sizes, Vocabulary
from .task import Story


class OwnLoss(nn.Module):
    """A module that learns more than the answers."""

    @abstractmethod
    def loss(self, batch: Batch, targets: Tensor) -> Tensor:
        """Summed over stories."""


class StoryObjective(Objective):
    """Stories on a device; in every epoch people have new placeholders."""

    def __init__(self, module: nn.Module, data: Encoded, learning_rate: float) -> None:
        super().__init__(module, data.groups, learning_rate)
        self.data, self.lengths = data, data.counts[:, 0]
        self.drawn = for_tests(data)

    @override
    def begin(self, seed: int, epoch: int) -> None:
        generator = torch.Generator().manual_seed(random_number(seed, "placeholders", epoch))
        self.drawn = self.data.draw(generator)

    @override
    def loss(self, rows: Tensor, stage: str) -> tuple[Tensor, int]:
        batch = self.data.batch(rows, self.drawn)
        targets = self.data.targets[rows.to(batch.words.device)]
        if isinstance(self.module, OwnLoss):
            return self.module.loss(batch, targets), len(rows)
        scores = self.module(batch).float()
        return functional.cross_entropy(scores, targets, reduction="sum"), len(rows)

    @override
    def validate(self, batches: Sequence[Tensor], stage: str) -> tuple[float, float]:
        # For the loss as well; the next epoch draws anew.
        self.drawn = for_tests(self.data)
        batched = (self.data.batch(rows, self.drawn) for rows in batches)
        scores = torch.cat([self.module(batch).float() for batch in batched])
        targets = self.data.targets[torch.cat(list(batches)).to(scores.device)]
        right = float((scores.argmax(1) == targets).float().mean())
        if isinstance(self.module, OwnLoss):
            return right, super().validate(batches, stage)[1]
        return right, -float(functional.cross_entropy(scores, targets))


def for_tests(data: Encoded) -> Tensor:
    """Placeholders that are the same every time."""
    return data.draw(torch.Generator().manual_seed(random_number(0, "test")))


@torch.no_grad()
def predict(module: nn.Module, data: Encoded, training: Training, *, batch: int = 200) -> Tensor:
    """The number of the answer to each row; few at once, as states of any two people are large."""
    module.eval()
    drawn, device = for_tests(data), data.words.device
    with deterministic(device), autocast(device, training):
        rows = torch.split(torch.arange(len(data)), batch)
        return torch.cat([module(data.batch(numbers, drawn)).float() for numbers in rows]).argmax(1)


def learn(
    build: Callable[[Sizes], nn.Module], learning_rate: float, fold: Fold[Story], job: RunContext
) -> FittedModel:
    """Train a module on the stories of a fold; its tests say which words there will be."""
    assert fold.train
    stories = fold.train.rows
    tested = [story for rows in fold.tests for story in rows.rows]
    vocabulary = job.once(("vocabulary", fold.train), lambda: Vocabulary.of(stories, tested))

    def encoded(rows: TaskRows[Any]) -> Encoded:
        return job.once(
            ("encoded", rows, job.device), lambda: Encoded.of(rows.rows, vocabulary, job.device)
        )

    with deterministic(torch.device(job.device)):
        torch.manual_seed(random_number(job.seed, "start"))
        module = build(Sizes.of(vocabulary))
    objective = StoryObjective(module, encoded(fold.train), learning_rate)
    progress = train(objective, job)
    targets = list(vocabulary.targets)

    def answers(rows: TaskRows[Any]) -> list[str]:
        numbers = predict(module, encoded(rows), job.training).tolist()
        return [targets[number] for number in numbers]

    learning = TrainingSummary(
        epochs=progress.epoch,
        best_epoch=progress.best_epoch,
        validation=progress.best[0],
    )
    return FittedModel(answers, learning)
