"""Training of cloze models, and their answers."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import torch
from torch import Tensor, nn
from typing_extensions import override

from ...device import deterministic, random_number
from ...model import FittedModel, RunContext
from ...result import TrainingSummary
from ...task import Fold, TaskRows
from ...trainer import Objective, autocast, train
from .alignments import Alignment, spans
from .encoding import ClozeVocabulary, EncodedPairs, Predictor
from .filling import fill, word_sampler
from .task import ClozePair, FilledBlanks

if TYPE_CHECKING:
    from .model import ClozeModel, ClozeNetwork


class ClozeObjective(Objective):
    """Training on pairs; those of one abstract stay together. The loss is per word."""

    def __init__(
        self, network: "ClozeNetwork", module: nn.Module, data: EncodedPairs, batch: int
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


def train_network(
    network: "ClozeNetwork", data: EncodedPairs, vocabulary: ClozeVocabulary, job: RunContext
) -> tuple[Predictor, TrainingSummary]:
    """Train a network and return it as it was in its best epoch."""
    with deterministic(torch.device(job.device)):
        torch.manual_seed(random_number(job.seed, "start"))
        module = network.build(data, vocabulary)
    progress = train(ClozeObjective(network, module, data, job.training.batch), job)
    learning = TrainingSummary(
        epochs=progress.epoch, best_epoch=progress.best_epoch, validation=-progress.best[1]
    )
    return cast(Predictor, module), learning


def fit(model: "ClozeModel", fold: Fold[ClozePair], job: RunContext) -> FittedModel:
    """Fit a model to a fold; alignments of all texts are added if the model aligns."""
    assert fold.train
    pairs, device = fold.train.rows, torch.device(job.device)
    key = (fold.train, model.least)
    vocabulary = job.once(("words", *key), lambda: ClozeVocabulary.of(pairs, model.least))

    def encoded(rows: TaskRows[ClozePair]) -> EncodedPairs:
        return job.once(
            ("pairs", *key, model.longest, rows, job.device),
            lambda: EncodedPairs.of(rows.rows, vocabulary, model.longest, device),
        )

    predictor, learning = model.learn(encoded(fold.train), vocabulary, job)

    def answers(rows: TaskRows[ClozePair]) -> list[FilledBlanks]:
        choose = word_sampler(getattr(model, "temperature", 0.0), job.seed)
        with deterministic(device), autocast(device, job.training):
            filled = fill(predictor, encoded(rows), vocabulary, choose)
            aligned = align(predictor, rows, encoded(rows))
        if not aligned:
            return filled
        lengths = [[end - start for start, end, _ in spans(text.alignment)] for text in aligned]
        return [replace(row, spans=each) for row, each in zip(filled, lengths, strict=True)]

    texts = [fold.train, *fold.tests] if not job.seed else []
    with deterministic(device), autocast(device, job.training):
        aligned = [text for rows in texts for text in align(predictor, rows, encoded(rows))]
    return FittedModel(answers, learning, {"alignments": aligned} if aligned else {})


def align(predictor: Predictor, rows: TaskRows[ClozePair], data: EncodedPairs) -> list[Alignment]:
    """Return the best alignment of every text; empty if the model does not align."""
    if not hasattr(predictor, "align"):
        return []
    alignments = []
    for numbers in torch.split(torch.arange(len(data)), 100):
        batch = data.batch(numbers)
        places = predictor.align(batch).tolist()
        for number, row in enumerate(numbers.tolist()):
            words = int(batch.target_lengths[number])
            alignments.append(
                Alignment(
                    split=f"{rows.data.name}/{rows.data.split}",
                    abstract=rows.rows[row].abstract[: int(batch.source_lengths[number])],
                    concrete=rows.rows[row].concrete[:words],
                    alignment=places[number][:words],
                    blanks=[(start - 1, end - 1) for start, end in data.blanks[row]],
                )
            )
    return alignments
