"""Base classes of cloze models: they learn from pairs and predict the words of blanks."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any, ClassVar, cast

import torch
from pydantic import Field
from torch import Tensor, nn
from typing_extensions import override

from ...device import deterministic, random_number
from ...model import FittedModel, Model, RunContext
from ...result import TrainingSummary
from ...task import Fold, TaskRows
from ...trainer import Objective, autocast, train
from .encoding import ClozeVocabulary, EncodedPairs, Predictor
from .filling import fill, word_sampler
from .task import ClozeRow, ClozeTask, FilledBlanks


class ClozeModel(Model):
    """A model that fills blanks."""

    task: ClassVar[type[ClozeTask]] = ClozeTask

    longest: int = Field(50, ge=2, description="maximum tokens of a text, with the start token")
    least: int = Field(2, ge=1, description="rarer words of training count as unknown")

    @abstractmethod
    def learn(
        self, pairs: EncodedPairs, vocabulary: ClozeVocabulary, job: RunContext
    ) -> tuple[Predictor, TrainingSummary]:
        """Learn from the training pairs, on their device."""

    @override
    def fit(self, fold: Fold[Any], job: RunContext) -> FittedModel:
        """Fit to a fold."""
        assert fold.train
        pairs, device = fold.train.rows, torch.device(job.device)
        key = (fold.train, self.least)
        vocabulary = job.once(("words", *key), lambda: ClozeVocabulary.of(pairs, self.least))

        def encoded(rows: TaskRows[ClozeRow]) -> EncodedPairs:
            return job.once(
                ("pairs", *key, self.longest, rows, job.device),
                lambda: EncodedPairs.of(rows.rows, vocabulary, self.longest, device),
            )

        predictor, learning = self.learn(encoded(fold.train), vocabulary, job)

        def answers(rows: TaskRows[ClozeRow]) -> list[FilledBlanks]:
            choose = word_sampler(getattr(self, "temperature", 0.0), job.seed)
            with deterministic(device), autocast(device, job.training):
                filled = fill(predictor, encoded(rows), vocabulary, choose)
                spans = align(predictor, encoded(rows))
            if not spans:
                return filled
            return [replace(row, spans=each) for row, each in zip(filled, spans, strict=True)]

        return FittedModel(answers, learning)


class ClozeNetwork(ClozeModel):
    """A model trained by gradient descent."""

    learning_rate: float = Field(1e-3, gt=0, description="of Adam")
    temperature: float = Field(0.0, ge=0, description="of sampling; 0: the most likely word")
    stages: ClassVar[tuple[str, ...]] = ("likelihood",)
    """Objectives that are minimised in turn; the best epoch is one of the last stage."""

    @property
    @override
    def label(self) -> str:
        return f"{self.name}-t{self.temperature:g}" if self.temperature else self.name

    @abstractmethod
    def build(self, train: EncodedPairs, vocabulary: ClozeVocabulary) -> nn.Module:
        """Make the module, a `Predictor` that also has `loss(batch, stage)`."""

    def epochs(self, stage: str, most: int) -> int:
        """Return the maximum number of epochs of a stage, given that of all."""
        return most

    @override
    def learn(
        self, pairs: EncodedPairs, vocabulary: ClozeVocabulary, job: RunContext
    ) -> tuple[Predictor, TrainingSummary]:
        """Train a network and return it as it was in its best epoch."""
        with deterministic(torch.device(job.device)):
            torch.manual_seed(random_number(job.seed, "start"))
            module = self.build(pairs, vocabulary)
        progress = train(ClozeObjective(self, module, pairs, job.training.batch), job)
        learning = TrainingSummary(
            epochs=progress.epoch, best_epoch=progress.best_epoch, validation=-progress.best[1]
        )
        return cast(Predictor, module), learning


class ClozeObjective(Objective):
    """Training on pairs; those of one abstract stay together. The loss is per word."""

    def __init__(
        self, network: ClozeNetwork, module: nn.Module, data: EncodedPairs, batch: int
    ) -> None:
        super().__init__(module, data.groups, network.learning_rate)
        self.network, self.data, self.batch = network, data, batch
        self.stages = network.stages

    @override
    def epochs(self, stage: str, most: int) -> int:
        return self.network.epochs(stage, most)

    @override
    def loss(self, rows: Tensor, stage: str) -> tuple[Tensor, int]:
        some = self.data.batch(rows)
        return cast(Any, self.module).loss(some, stage), int(some.target_lengths.sum())

    @override
    def validate(self, batches: Sequence[Tensor], stage: str) -> tuple[float, float]:
        # Small batches: a transducer scores every word from every position.
        smaller = [rows for several in batches for rows in torch.split(several, self.batch)]
        return super().validate(smaller, stage)


def align(predictor: Predictor, data: EncodedPairs) -> list[list[int]]:
    """Return for each text how many of its words are aligned to each word of its abstract in turn.

    Empty if the model does not align.
    """
    if not hasattr(predictor, "align"):
        return []
    spans = []
    for numbers in torch.split(torch.arange(len(data)), 100):
        batch = data.batch(numbers)
        places = predictor.align(batch).tolist()
        for words, text in zip(batch.target_lengths.tolist(), places, strict=True):
            spans.append([len(list(run)) for _, run in groupby(text[:words])])
    return spans
