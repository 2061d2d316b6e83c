"""Embeddings of words in analogies: frozen, under a classifier for each probe, or compared."""

from abc import abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import torch
from pydantic import Field
from torch import Tensor
from typing_extensions import override

from ....errors import NotFound
from ...model import FittedModel, RunContext
from ...result import TrainingSummary
from ...task import Fold, TaskRows
from ...trainer import Progress
from .classifier import fit, predict
from .model import AnalogyModel, answered, best, by_probe, distinct, latest
from .task import SUPERVISED, Analogy, Quad


class Embedder(Protocol):
    """An embedding that is loaded; it is frozen, and asked once for each quad of a relation."""

    def embed(self, quads: Sequence[Quad]) -> Tensor:
        """Vectors for each quad: quads x vectors x size."""

    def similarity(self, vectors: Tensor) -> Tensor:
        """How alike the two pairs of each quad are, by what `embed` gave."""


@dataclass(frozen=True)
class Embedded:
    """Quads by number, and the vectors of each."""

    numbers: dict[Quad, int]
    vectors: Tensor

    def joined(self, rows: Sequence[Analogy]) -> Tensor:
        """All vectors of each row's only quad, as one."""
        return self.vectors[[self.numbers[row.quads[0]] for row in rows]].flatten(1)


class Embedding(AnalogyModel):
    """A frozen embedding: an MLP over it learns true from false, its cosine chooses the better."""

    hidden: int = Field(256, ge=1, description="hidden size of the classifier")
    learning_rate: float = Field(1e-3, gt=0, description="of Adam, for the classifier")

    @abstractmethod
    def load(self, device: torch.device, words: Collection[str]) -> Embedder:
        """Load it; these are all the words that it will be asked for."""

    @override
    def fit(self, fold: Fold[Any], job: RunContext) -> FittedModel:
        """Embed the quads of a fold once for all seeds, and train a classifier for each probe."""
        lessons = _lessons(fold)
        data = tuple(part.whole for part in (fold.train, *fold.tests) if part is not None)
        embedder = latest(
            job, "embedder", (self, data), lambda: self.load(torch.device(job.device), _words(data))
        )

        def embed() -> Embedded:
            asked = [row for test in fold.tests for row in test.rows]
            numbers = distinct([*asked, *(row for rows in lessons.values() for row in rows)])
            return Embedded(numbers, embedder.embed(list(numbers)))

        embedded = latest(job, "embedded", (self, fold.tests[0]), embed)
        fitted = {
            probe: fit(
                embedded.joined(rows),
                rows,
                self.hidden,
                self.learning_rate,
                _part(job, place, len(lessons)),
            )
            for place, (probe, rows) in enumerate(lessons.items())
        }

        def judge(probe: tuple[str, str], rows: Sequence[Analogy]) -> list[int]:
            if probe in fitted:
                return predict(fitted[probe][0], embedded.joined(rows), job.training)
            return best(rows, embedded.numbers, embedder.similarity(embedded.vectors))

        learning = _learning([progress for _, progress in fitted.values()])
        return FittedModel(lambda rows: answered(rows.rows, judge), learning)


def _lessons(fold: Fold[Analogy]) -> dict[tuple[str, str], list[Analogy]]:
    """What there is to train on for each probe that is tested supervised."""
    tested = sorted({probe for test in fold.tests for probe in by_probe(test.rows)})
    learnt = by_probe(fold.train.rows if fold.train else [])
    wanted = [probe for probe in tested if probe[0] == SUPERVISED]
    for probe in wanted:
        if probe not in learnt:
            raise NotFound(
                f"there are no {' '.join(probe)} rows of {fold.key!r} to train on; "
                f"make the dataset with both splits"
            )
    return {probe: learnt[probe] for probe in wanted}


def _words(data: Sequence[TaskRows[Analogy]]) -> set[str]:
    pairs = {pair for part in data for row in part.rows for pair in (row.query, *row.offers)}
    return {word for pair in pairs for word in pair}


def _part(job: RunContext, place: int, parts: int) -> RunContext:
    """The job of one of several classifiers; their fold is what is kept, so no checkpoints."""
    return replace(job, checkpoint=None, advance=lambda share: job.advance((place + share) / parts))


def _learning(progress: Sequence[Progress]) -> TrainingSummary:
    """How the classifier learnt that took the longest."""
    if not progress:
        return TrainingSummary()
    longest = max(progress, key=lambda part: part.epoch)
    return TrainingSummary(
        epochs=longest.epoch, best_epoch=longest.best_epoch, validation=longest.best[0]
    )
