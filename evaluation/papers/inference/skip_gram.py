"""Skip-gram with negative sampling over any pairs of things and contexts.

References: Levy and Goldberg, Dependency-Based Word Embeddings, 2014 (word2vecf).
"""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import torch
from torch import Tensor, nn
from torch.nn import functional

Thing = TypeVar("Thing", bound=Hashable)
Context = TypeVar("Context", bound=Hashable)


@dataclass(frozen=True)
class Training:
    """How vectors are trained."""

    size: int = 100
    epochs: int = 5
    negatives: int = 5
    rate: float = 0.1
    batch: int = 1024
    seed: int = 0


@dataclass(frozen=True)
class Embeddings(Generic[Thing]):
    """A vector for each thing."""

    numbers: dict[Thing, int]
    vectors: Tensor

    def __getitem__(self, thing: Thing) -> Tensor:
        return self.vectors[self.numbers[thing]]

    def __contains__(self, thing: Thing) -> bool:
        return thing in self.numbers


def train(
    counts: Mapping[tuple[Thing, Context], int], training: Training, device: str = "cpu"
) -> Embeddings[Thing]:
    """Learn which contexts go with which thing, against contexts drawn by frequency.

    A pair that was seen more often is drawn more often; an epoch draws as many as were seen.
    """
    things = _numbered(thing for thing, _ in counts)
    contexts = _numbered(context for _, context in counts)
    seen = torch.tensor([[things[thing], contexts[context]] for thing, context in counts])
    weights = torch.tensor(list(counts.values()), dtype=torch.float64)
    frequency = torch.zeros(len(contexts), dtype=torch.float64).index_add_(0, seen[:, 1], weights)
    noise = _Draw(frequency**0.75)
    pairs = _Draw(weights)
    random = torch.Generator().manual_seed(training.seed)
    start = (torch.rand(len(things), training.size, generator=random) - 0.5) / training.size
    left = nn.Embedding(len(things), training.size, sparse=True, _weight=start).to(device)
    zeros = torch.zeros(len(contexts), training.size)
    right = nn.Embedding(len(contexts), training.size, sparse=True, _weight=zeros).to(device)
    optimizer = torch.optim.Adagrad([left.weight, right.weight], lr=training.rate)
    steps = max(1, round(int(weights.sum()) / training.batch)) * training.epochs
    # Said outright, for torch warns of what it does by default: not to check its own gradients.
    unchecked: Any = torch.sparse.check_sparse_tensor_invariants
    with unchecked(False):
        for _ in range(steps):
            drawn = seen[pairs(training.batch, random)]
            others = noise(training.batch * training.negatives, random)
            thing, context = drawn[:, 0].to(device), drawn[:, 1].to(device)
            wrong = others.view(training.batch, training.negatives).to(device)
            vectors = left(thing)
            agree = functional.logsigmoid((vectors * right(context)).sum(1))
            differ = functional.logsigmoid(-(right(wrong) @ vectors.unsqueeze(2)).squeeze(2)).sum(1)
            optimizer.zero_grad()
            torch.autograd.backward(-(agree + differ).mean())
            optimizer.step()
    return Embeddings(things, left.weight.detach().cpu())


def _numbered(items: Iterable[Thing]) -> dict[Thing, int]:
    return {item: number for number, item in enumerate(dict.fromkeys(items))}


class _Draw:
    """Numbers by weight; quicker than torch.multinomial, and without its limit of 2**24."""

    def __init__(self, weights: Tensor) -> None:
        self._sums = weights.cumsum(0)

    def __call__(self, count: int, random: torch.Generator) -> Tensor:
        drawn = torch.rand(count, generator=random, dtype=torch.float64) * self._sums[-1]
        return torch.searchsorted(self._sums, drawn, right=True).clamp(max=len(self._sums) - 1)
