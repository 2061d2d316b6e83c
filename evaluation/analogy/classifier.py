"""The MLP over frozen embeddings: trained for one relation and probe at a time."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn
from torch.nn import functional
from typing_extensions import override

from ...errors import NotFound
from ..device import deterministic, random_number
from ..model import Fitted, Job
from ..result import Learning
from ..task import Fold, Rows
from ..tasks.analogy import SUPERVISED, Analogy, Quad
from ..trainer import Lesson, Progress, mixed, train
from ..training import Training
from .model import Embedding, answered, best, by_probe, distinct, latest


class Judging(Lesson):
    """Vectors of analogies, and whether each is true.

    In a relation's rows every tuple is asked about with every other, so that no rows can be kept
    back whose tuples are not trained on as well. What can be had: a pair that is offered on one
    side, in whichever order, is not offered on the other.
    """

    def __init__(
        self, module: nn.Module, vectors: Tensor, rows: Sequence[Analogy], learning_rate: float
    ) -> None:
        super().__init__(module, [frozenset(row.offers[0]) for row in rows], learning_rate)
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
    vectors: Tensor, rows: Sequence[Analogy], hidden: int, learning_rate: float, job: Job
) -> tuple[nn.Module, Progress]:
    """A classifier as it was at its best epoch, and how it got there."""
    with deterministic(vectors.device):
        torch.manual_seed(random_number(job.seed, "start"))
        module = nn.Sequential(nn.Linear(vectors.shape[1], hidden), nn.ReLU(), nn.Linear(hidden, 2))
    return module, train(Judging(module, vectors, rows, learning_rate), job)


@torch.no_grad()
def predict(module: nn.Module, vectors: Tensor, training: Training) -> list[int]:
    """1 for true and 0 for false, for each vector."""
    with deterministic(vectors.device), mixed(vectors.device, training):
        answers = torch.cat([module(batch).argmax(1) for batch in torch.split(vectors, 4096)])
    numbers: list[int] = answers.tolist()
    return numbers


@dataclass(frozen=True)
class Embedded:
    """Quads by number, and the vectors of each."""

    numbers: dict[Quad, int]
    vectors: Tensor

    def joined(self, rows: Sequence[Analogy]) -> Tensor:
        """All vectors of each row's only quad, as one."""
        return self.vectors[[self.numbers[row.quads[0]] for row in rows]].flatten(1)


def learn(model: Embedding, fold: Fold[Analogy], job: Job) -> Fitted:
    """Embed the quads of a fold once for all seeds, and train a classifier for each probe."""
    lessons = _lessons(fold)
    data = tuple(part.whole for part in (fold.train, *fold.tests) if part is not None)
    embedder = latest(
        job, "embedder", (model, data), lambda: model.load(torch.device(job.device), _words(data))
    )

    def embed() -> Embedded:
        asked = [row for test in fold.tests for row in test.rows]
        numbers = distinct([*asked, *(row for rows in lessons.values() for row in rows)])
        return Embedded(numbers, embedder.embed(list(numbers)))

    embedded = latest(job, "embedded", (model, fold.tests[0]), embed)
    fitted = {
        probe: fit(
            embedded.joined(rows),
            rows,
            model.hidden,
            model.learning_rate,
            _part(job, place, len(lessons)),
        )
        for place, (probe, rows) in enumerate(lessons.items())
    }

    def judge(probe: tuple[str, str], rows: Sequence[Analogy]) -> list[int]:
        if probe in fitted:
            return predict(fitted[probe][0], embedded.joined(rows), job.training)
        return best(rows, embedded.numbers, embedder.similarity(embedded.vectors))

    learning = _learning([progress for _, progress in fitted.values()])
    return Fitted(lambda rows: answered(rows.rows, judge), learning)


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


def _words(data: Sequence[Rows[Analogy]]) -> set[str]:
    pairs = {pair for part in data for row in part.rows for pair in (row.query, *row.offers)}
    return {word for pair in pairs for word in pair}


def _part(job: Job, place: int, parts: int) -> Job:
    """The job of one of several classifiers; their fold is what is kept, so no checkpoints."""
    return replace(job, checkpoint=None, advance=lambda share: job.advance((place + share) / parts))


def _learning(progress: Sequence[Progress]) -> Learning:
    """How the classifier learnt that took the longest."""
    if not progress:
        return Learning()
    longest = max(progress, key=lambda part: part.epoch)
    return Learning(epochs=longest.epoch, best_epoch=longest.best_epoch, validation=longest.best[0])
