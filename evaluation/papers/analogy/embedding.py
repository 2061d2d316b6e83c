"""Analogy models with frozen embeddings: a classifier for each probe, or the cosine."""

from abc import abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import torch
from pydantic import Field
from torch import Tensor, nn
from torch.nn import functional
from typing_extensions import override

from ....errors import NotFound
from ...device import deterministic, random_number
from ...model import FittedModel, RunContext
from ...result import TrainingSummary
from ...task import Fold, TaskRows
from ...trainer import Objective, Progress, autocast, train
from ...training import Training
from .model import (
    AnalogyModel,
    answer_by_probe,
    best_candidates,
    by_probe,
    keep_latest,
    number_quads,
)
from .task import SUPERVISED, AnalogyRow, WordQuad


class Embedder(Protocol):
    """A loaded, frozen embedding; it is called once for each quad of a relation."""

    def embed(self, quads: Sequence[WordQuad]) -> Tensor:
        """Return the vectors of the two pairs, or of the words: quads x vectors x size."""


def similarity(vectors: Tensor) -> Tensor:
    """Return the cosine of the two pairs of each quad, given the output of `embed`.

    Of four vectors, those of the words, the differences are compared.
    """
    if vectors.shape[1] == 4:
        vectors = vectors[:, 1::2] - vectors[:, ::2]
    return functional.cosine_similarity(vectors[:, 0], vectors[:, 1])


@dataclass(frozen=True)
class EmbeddedQuads:
    """The vectors of quads, by index."""

    numbers: dict[WordQuad, int]
    vectors: Tensor

    def joined(self, rows: Sequence[AnalogyRow]) -> Tensor:
        """Concatenate the vectors of each row's only quad."""
        return self.vectors[[self.numbers[row.quads[0]] for row in rows]].flatten(1)


class Embedding(AnalogyModel):
    """A frozen embedding; an MLP over it judges true or false, its cosine chooses the best."""

    hidden: int = Field(256, ge=1, description="hidden size of the classifier")
    learning_rate: float = Field(1e-3, gt=0, description="of Adam, for the classifier")

    @abstractmethod
    def load(self, device: torch.device, words: Collection[str]) -> Embedder:
        """Load the embedding; `words` are all words that it will be called with."""

    @override
    def fit(self, fold: Fold[Any], job: RunContext) -> FittedModel:
        """Embed the quads of a fold once for all seeds, and train a classifier for each probe."""
        training = _training_rows(fold)
        data = tuple(part.whole for part in (fold.train, *fold.tests) if part is not None)
        embedder = keep_latest(
            job, "embedder", (self, data), lambda: self.load(torch.device(job.device), _words(data))
        )

        def embed() -> EmbeddedQuads:
            tested = [row for test in fold.tests for row in test.rows]
            numbers = number_quads([*tested, *(row for rows in training.values() for row in rows)])
            return EmbeddedQuads(numbers, embedder.embed(list(numbers)))

        embedded = keep_latest(job, "embedded", (self, fold.tests[0]), embed)
        fitted = {
            probe: fit(
                embedded.joined(rows),
                rows,
                self.hidden,
                self.learning_rate,
                _part(job, place, len(training)),
            )
            for place, (probe, rows) in enumerate(training.items())
        }

        def judge(probe: tuple[str, str], rows: Sequence[AnalogyRow]) -> list[int]:
            if probe in fitted:
                return predict(fitted[probe][0], embedded.joined(rows), job.training)
            return best_candidates(rows, embedded.numbers, similarity(embedded.vectors))

        longest = max((p for _, p in fitted.values()), key=lambda p: p.epoch, default=None)
        learning = longest.summary if longest else TrainingSummary()
        return FittedModel(lambda rows: answer_by_probe(rows.rows, judge), learning)


def _training_rows(fold: Fold[AnalogyRow]) -> dict[tuple[str, str], list[AnalogyRow]]:
    """Return the training rows of each supervised probe tested; raise NotFound if one has none."""
    tested = sorted({probe for test in fold.tests for probe in by_probe(test.rows)})
    available = by_probe(fold.train.rows if fold.train else [])
    wanted = [probe for probe in tested if probe[0] == SUPERVISED]
    for probe in wanted:
        if probe not in available:
            raise NotFound(
                f"there are no {' '.join(probe)} rows of {fold.key!r} to train on; "
                f"make the dataset with both splits"
            )
    return {probe: available[probe] for probe in wanted}


def _words(data: Sequence[TaskRows[AnalogyRow]]) -> set[str]:
    pairs = {pair for part in data for row in part.rows for pair in (row.query, *row.candidates)}
    return {word for pair in pairs for word in pair}


def _part(job: RunContext, place: int, parts: int) -> RunContext:
    """Return the context of one of several classifiers; no checkpoints, since folds are saved."""
    return replace(job, checkpoint=None, advance=lambda share: job.advance((place + share) / parts))


class ClassifierObjective(Objective):
    """Training on vectors of analogies that are true or false.

    In a relation's rows every pair is combined with every other, so validation rows always share
    pairs with training rows. At least no candidate, in either order, is in both.
    """

    def __init__(
        self, module: nn.Module, vectors: Tensor, rows: Sequence[AnalogyRow], learning_rate: float
    ) -> None:
        super().__init__(module, [frozenset(row.candidates[0]) for row in rows], learning_rate)
        self.vectors = vectors
        self.targets = torch.tensor([row.target for row in rows], device=vectors.device)

    @override
    def loss(self, rows: Tensor, stage: str) -> tuple[Tensor, int]:
        numbers = rows.to(self.vectors.device)
        scores = self.module(self.vectors[numbers]).float()
        return functional.cross_entropy(scores, self.targets[numbers], reduction="sum"), len(rows)

    @override
    def validate(self, batches: Sequence[Tensor], stage: str) -> tuple[float, float]:
        numbers = torch.cat(list(batches)).to(self.vectors.device)
        scores, targets = self.module(self.vectors[numbers]).float(), self.targets[numbers]
        right = (scores.argmax(1) == targets).float().mean()
        return float(right), -float(functional.cross_entropy(scores, targets))


def fit(
    vectors: Tensor, rows: Sequence[AnalogyRow], hidden: int, learning_rate: float, job: RunContext
) -> tuple[nn.Module, Progress]:
    """Train a classifier and return it as it was in its best epoch, with the progress."""
    with deterministic(vectors.device):
        torch.manual_seed(random_number(job.seed, "start"))
        module = nn.Sequential(nn.Linear(vectors.shape[1], hidden), nn.ReLU(), nn.Linear(hidden, 2))
    return module, train(ClassifierObjective(module, vectors, rows, learning_rate), job)


@torch.no_grad()
def predict(module: nn.Module, vectors: Tensor, training: Training) -> list[int]:
    """Return 1 for true and 0 for false, for each vector."""
    with deterministic(vectors.device), autocast(vectors.device, training):
        answers = torch.cat([module(batch).argmax(1) for batch in torch.split(vectors, 4096)])
    return answers.tolist()
