"""Skip-gram with negative sampling over any pairs of items and contexts.

References: Levy and Goldberg, Dependency-Based Word Embeddings, 2014 (word2vecf).
"""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import torch
from torch import Tensor, nn
from torch.nn import functional

Item = TypeVar("Item", bound=Hashable)
Context = TypeVar("Context", bound=Hashable)


@dataclass(frozen=True)
class SkipGramTraining:
    """Training options."""

    size: int = 100
    epochs: int = 5
    negatives: int = 5
    rate: float = 0.1
    batch: int = 1024
    seed: int = 0


@dataclass(frozen=True)
class Embeddings(Generic[Item]):
    """A vector for each item."""

    numbers: dict[Item, int]
    vectors: Tensor

    def __getitem__(self, item: Item) -> Tensor:
        return self.vectors[self.numbers[item]]

    def __contains__(self, item: Item) -> bool:
        return item in self.numbers


def train(
    counts: Mapping[tuple[Item, Context], int], training: SkipGramTraining, device: str = "cpu"
) -> Embeddings[Item]:
    """Train item vectors on counts of items with contexts; negatives are drawn by frequency.

    Pairs are drawn in proportion to their counts; an epoch draws as many as were counted.
    """
    items = _numbered(item for item, _ in counts)
    contexts = _numbered(context for _, context in counts)
    seen = torch.tensor([[items[item], contexts[context]] for item, context in counts])
    weights = torch.tensor(list(counts.values()), dtype=torch.float64)
    frequency = torch.zeros(len(contexts), dtype=torch.float64).index_add_(0, seen[:, 1], weights)
    noise = _Draw(frequency**0.75)
    pairs = _Draw(weights)
    random = torch.Generator().manual_seed(training.seed)
    start = (torch.rand(len(items), training.size, generator=random) - 0.5) / training.size
    left = nn.Embedding(len(items), training.size, sparse=True, _weight=start).to(device)
    zeros = torch.zeros(len(contexts), training.size)
    right = nn.Embedding(len(contexts), training.size, sparse=True, _weight=zeros).to(device)
    optimizer = torch.optim.Adagrad([left.weight, right.weight], lr=training.rate)
    steps = max(1, round(int(weights.sum()) / training.batch)) * training.epochs
    # torch warns unless it is told explicitly not to check its sparse gradients.
    unchecked: Any = torch.sparse.check_sparse_tensor_invariants
    with unchecked(False):
        for _ in range(steps):
            drawn = seen[pairs(training.batch, random)]
            others = noise(training.batch * training.negatives, random)
            item, context = drawn[:, 0].to(device), drawn[:, 1].to(device)
            wrong = others.view(training.batch, training.negatives).to(device)
            vectors = left(item)
            agree = functional.logsigmoid((vectors * right(context)).sum(1))
            differ = functional.logsigmoid(-(right(wrong) @ vectors.unsqueeze(2)).squeeze(2)).sum(1)
            optimizer.zero_grad()
            torch.autograd.backward(-(agree + differ).mean())
            optimizer.step()
    return Embeddings(items, left.weight.detach().cpu())


def _numbered(items: Iterable[Item]) -> dict[Item, int]:
    return {item: number for number, item in enumerate(dict.fromkeys(items))}


class _Draw:
    """Draws indices by weight; faster than torch.multinomial, and without its limit of 2**24."""

    def __init__(self, weights: Tensor) -> None:
        self._sums = weights.cumsum(0)

    def __call__(self, count: int, random: torch.Generator) -> Tensor:
        drawn = torch.rand(count, generator=random, dtype=torch.float64) * self._sums[-1]
        return torch.searchsorted(self._sums, drawn, right=True).clamp(max=len(self._sums) - 1)
