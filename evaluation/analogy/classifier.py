"""The MLP over frozen embeddings: trained for one relation and probe at a time."""

import copy
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from ..device import deterministic, random_number
from ..training import Training


@dataclass(frozen=True)
class Fitted:
    """A classifier as it was at its best epoch."""

    module: nn.Module
    epochs: int
    best_epoch: int


def fit(
    vectors: Tensor, rows: Tensor, targets: Tensor, hidden: int, training: Training, *, seed: int
) -> Fitted:
    """Train until validation no longer improves; `rows` says which vector each row has."""
    device = vectors.device
    with deterministic(device):
        torch.manual_seed(random_number(seed, "start"))
        module = nn.Sequential(
            nn.Linear(vectors.shape[1], hidden), nn.ReLU(), nn.Linear(hidden, 2)
        ).to(device)
        optimizer = torch.optim.Adam(module.parameters(), lr=training.learning_rate)
        rows, targets = rows.to(device), targets.to(device)
        order = torch.randperm(len(rows), device="cpu").to(device)
        validation_count = int(len(rows) * training.validation)
        validation_rows, fitted_rows = order[:validation_count], order[validation_count:]
        best, best_epoch, state, epoch = (-1.0, 0.0), 0, copy.deepcopy(module.state_dict()), 0
        while epoch < training.epochs and epoch - best_epoch < training.patience:
            epoch += 1
            torch.manual_seed(random_number(seed, "epoch", epoch))
            shuffled = fitted_rows[torch.randperm(len(fitted_rows), device="cpu").to(device)]
            total = torch.zeros((), device=device)
            for batch in torch.split(shuffled, training.batch):
                loss = functional.cross_entropy(module(vectors[rows[batch]]), targets[batch])
                optimizer.zero_grad(set_to_none=True)
                torch.autograd.backward(loss)
                optimizer.step()
                total += loss.detach() * len(batch)
            validated = _validate(module, vectors, rows[validation_rows], targets[validation_rows])
            score = validated if validation_count else (0.0, -float(total))
            if score > best:
                best, best_epoch, state = score, epoch, copy.deepcopy(module.state_dict())
        module.load_state_dict(state)
    return Fitted(module, epoch, best_epoch)


@torch.no_grad()
def predict(module: nn.Module, vectors: Tensor, rows: Tensor) -> Tensor:
    """1 for true and 0 for false, each row; a vector that rows share is judged once."""
    judged = torch.cat([module(batch).argmax(1) for batch in torch.split(vectors, 4096)])
    return judged[rows.to(judged.device)].cpu()


@torch.no_grad()
def _validate(
    module: nn.Module, vectors: Tensor, rows: Tensor, targets: Tensor
) -> tuple[float, float]:
    """Accuracy and minus the loss."""
    if not len(rows):
        return 0.0, 0.0
    scores = module(vectors[rows])
    right = (scores.argmax(1) == targets).float().mean()
    return float(right), -float(functional.cross_entropy(scores, targets))
