"""Base classes of story models: networks, and baselines without a training loop."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import torch
from pydantic import Field
from torch import Tensor, nn
from torch.nn import functional
from typing_extensions import override

from ...device import deterministic, random_number
from ...model import FittedModel, Model, RunContext
from ...task import Fold, TaskRows
from ...trainer import Objective, autocast, train
from ...training import Training
from .encoding import EncodedStories, Sizes, StoryBatch, StoryVocabulary
from .task import StoryRow, StoryTask


class StoryModel(Model):
    """A model that answers relation questions about stories."""

    task: ClassVar[type[StoryTask]] = StoryTask


class StoryNetwork(StoryModel):
    """A neural model; subclasses build the module."""

    learning_rate: float = Field(1e-3, gt=0, description="of Adam")

    @abstractmethod
    def build(self, sizes: Sizes) -> nn.Module:
        """Make the module; it maps a `StoryBatch` to a score for each target."""

    @override
    def fit(self, fold: Fold[Any], job: RunContext) -> FittedModel:
        return fit_network(self.build, self.learning_rate, fold, job)


class StoryBaseline(StoryModel):
    """A baseline without a training loop."""

    baseline: ClassVar = True
    random: ClassVar = False

    @abstractmethod
    def predict(self, train: Sequence[StoryRow], test: Sequence[StoryRow]) -> list[str]:
        """Return an answer for each test row; empty if there is none."""

    @override
    def fit(self, fold: Fold[Any], job: RunContext) -> FittedModel:
        train = fold.train.rows if fold.train else []
        return FittedModel(lambda rows: self.predict(train, rows.rows))


class LossModule(nn.Module):
    """A module with a loss of its own, which covers more than the answers."""

    @abstractmethod
    def loss(self, batch: StoryBatch, targets: Tensor) -> Tensor:
        """Return the loss, summed over stories."""


class StoryObjective(Objective):
    """Training on stories; every epoch draws new placeholders for the people."""

    def __init__(self, module: nn.Module, data: EncodedStories, learning_rate: float) -> None:
        super().__init__(module, data.groups, learning_rate)
        self.data, self.lengths = data, data.counts[:, 0]
        self.held_out, self.answer_numbers = data.held_out, data.targets
        self.placeholders = fixed_placeholders(data)

    @override
    def begin(self, seed: int, epoch: int) -> None:
        generator = torch.Generator().manual_seed(random_number(seed, "placeholders", epoch))
        self.placeholders = self.data.draw(generator)

    @override
    def loss(self, rows: Tensor, stage: str) -> tuple[Tensor, int]:
        batch = self.data.batch(rows, self.placeholders)
        targets = self.data.targets[rows.to(batch.words.device)]
        if isinstance(self.module, LossModule):
            return self.module.loss(batch, targets), len(rows)
        scores = self.module(batch).float()
        return functional.cross_entropy(scores, targets, reduction="sum"), len(rows)

    @override
    def validate(self, batches: Sequence[Tensor], stage: str) -> tuple[float, float]:
        # Used by the loss as well; the next epoch draws new ones.
        self.placeholders = fixed_placeholders(self.data)
        batched = (self.data.batch(rows, self.placeholders) for rows in batches)
        scores = torch.cat([self.module(batch).float() for batch in batched])
        targets = self.data.targets[torch.cat(list(batches)).to(scores.device)]
        right = float((scores.argmax(1) == targets).float().mean())
        if isinstance(self.module, LossModule):
            return right, super().validate(batches, stage)[1]
        return right, -float(functional.cross_entropy(scores, targets))


def fixed_placeholders(data: EncodedStories) -> Tensor:
    """Return placeholders that are the same in every call."""
    return data.draw(torch.Generator().manual_seed(random_number(0, "test")))


@torch.no_grad()
def predict(
    module: nn.Module, data: EncodedStories, training: Training, *, batch: int = 200
) -> Tensor:
    """Return the answer index of each row; small batches because pair states are large."""
    module.eval()
    placeholders, device = fixed_placeholders(data), data.words.device
    with deterministic(device), autocast(device, training):
        rows = torch.split(torch.arange(len(data)), batch)
        return torch.cat(
            [module(data.batch(numbers, placeholders)).float() for numbers in rows]
        ).argmax(1)


def fit_network(
    build: Callable[[Sizes], nn.Module], learning_rate: float, fold: Fold[StoryRow], job: RunContext
) -> FittedModel:
    """Train a network on a fold; its tests only contribute the words that they contain."""
    assert fold.train
    stories = fold.train.rows
    tested = [story for rows in fold.tests for story in rows.rows]
    vocabulary = job.once(("vocabulary", fold.train), lambda: StoryVocabulary.of(stories, tested))

    def encoded(rows: TaskRows[Any]) -> EncodedStories:
        return job.once(
            ("encoded", rows, job.device),
            lambda: EncodedStories.of(rows.rows, vocabulary, job.device),
        )

    with deterministic(torch.device(job.device)):
        torch.manual_seed(random_number(job.seed, "start"))
        module = build(Sizes.of(vocabulary))
    progress = train(StoryObjective(module, encoded(fold.train), learning_rate), job)
    targets = list(vocabulary.targets)

    def answers(rows: TaskRows[Any]) -> list[str]:
        numbers = predict(module, encoded(rows), job.training).tolist()
        return [targets[number] for number in numbers]

    return FittedModel(answers, progress.summary)
