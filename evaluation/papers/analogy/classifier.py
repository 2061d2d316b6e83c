"""The MLP over frozen embeddings: trained for one relation and probe at a time."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional
from typing_extensions import override

from ...device import deterministic, random_number
from ...model import RunContext
from ...trainer import Objective, Progress, autocast, train
from ...training import Training
from .task import Analogy


class Judging(Objective):
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
    vectors: Tensor, rows: Sequence[Analogy], hidden: int, learning_rate: float, job: RunContext
) -> tuple[nn.Module, Progress]:
    """A classifier as it was at its best epoch, and how it got there."""
    with deterministic(vectors.device):
        torch.manual_seed(random_number(job.seed, "start"))
        module = nn.Sequential(nn.Linear(vectors.shape[1], hidden), nn.ReLU(), nn.Linear(hidden, 2))
    return module, train(Judging(module, vectors, rows, learning_rate), job)


@torch.no_grad()
def predict(module: nn.Module, vectors: Tensor, training: Training) -> list[int]:
    """1 for true and 0 for false, for each vector."""
    with deterministic(vectors.device), autocast(vectors.device, training):
        answers = torch.cat([module(batch).argmax(1) for batch in torch.split(vectors, 4096)])
    numbers: list[int] = answers.tolist()
    return numbers
