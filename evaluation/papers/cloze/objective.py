"""How models of cloze tests learn, and how they answer."""

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
from .encoding import Encoded, Vocabulary
from .filling import drawing, fill
from .prediction import Predictor
from .task import Filled, Pair

if TYPE_CHECKING:
    from .model import ClozeModel, Network


class ClozeObjective(Objective):
    """Pairs on a device; those of one abstract stay together. A loss is that of a word."""

    def __init__(self, network: "Network", module: nn.Module, data: Encoded, batch: int) -> None:
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
        # No more rows at once than in training: a transducer says every word from every place.
        smaller = [rows for several in batches for rows in torch.split(several, self.batch)]
        return super().validate(smaller, stage)


def trained(
    network: "Network", data: Encoded, vocabulary: Vocabulary, job: RunContext
) -> tuple[Predictor, TrainingSummary]:
    """A network as it was at its best epoch."""
    with deterministic(torch.device(job.device)):
        torch.manual_seed(random_number(job.seed, "start"))
        module = network.build(data, vocabulary)
    progress = train(ClozeObjective(network, module, data, job.training.batch), job)
    learning = TrainingSummary(
        epochs=progress.epoch, best_epoch=progress.best_epoch, validation=-progress.best[1]
    )
    return cast(Predictor, module), learning


def fit(
    model: "ClozeModel", fold: Fold[Pair], job: RunContext, *, temperature: float = 0.0
) -> FittedModel:
    """Learn from the pairs of a fold; the alignments of all its texts where the model aligns."""
    assert fold.train
    pairs, device = fold.train.rows, torch.device(job.device)
    key = (fold.train, model.least)
    vocabulary = job.once(("words", *key), lambda: Vocabulary.of(pairs, model.least))

    def encoded(rows: TaskRows[Pair]) -> Encoded:
        return job.once(
            ("pairs", *key, model.longest, rows, job.device),
            lambda: Encoded.of(rows.rows, vocabulary, model.longest, device),
        )

    predictor, learning = model.learn(encoded(fold.train), vocabulary, job)

    def answers(rows: TaskRows[Pair]) -> list[Filled]:
        choose = drawing(temperature, job.seed)
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


def align(predictor: Predictor, rows: TaskRows[Pair], data: Encoded) -> list[Alignment]:
    """The best alignment of every text; none where a model does not align."""
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
