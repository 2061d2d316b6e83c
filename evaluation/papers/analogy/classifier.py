"""An MLP over frozen embeddings, trained for one relation and probe at a time."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional
from typing_extensions import override

from ...device import deterministic, random_number
from ...model import RunContext
from ...trainer import Objective, Progress, autocast, train
from ...training import Training
from .task import AnalogyRow


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
