"""Relation vectors, learnt from the arguments of relations in a store of triples.

References: section 4.1 of Levy and Dagan, 2016; Lin and Pantel, DIRT, 2001.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from pydantic import Field
from torch import Tensor, nn
from torch.nn import functional
from typing_extensions import override

from ....kb.triples.argument import argument_key
from ....kb.triples.store import open_store
from ....kb.triples.triple import Triple
from ...model import RunContext
from .layered import LayeredModel
from .model import File, Scores
from .task import InferencePair
from .words import Form, analyse, swapped_as_active

Side = tuple[Form, bool]
"""A relation, and whether its arguments are swapped."""


class RelationEmbeddings(LayeredModel):
    """Cosine of relation vectors, trained on the arguments of relations in a store of triples."""

    name: ClassVar = "relation-embeddings"
    random: ClassVar = True
    packages: ClassVar = ("torch",)

    triples: File | None = Field(None, description="a triple store; default: the built-in facts")
    size: int = Field(100, ge=1, description="size of a vector")
    epochs: int = Field(5, ge=1, description="epochs of training")
    negatives: int = Field(5, ge=1, description="negative samples per pair")
    rate: float = Field(0.1, gt=0, description="learning rate")
    minimum: int = Field(2, ge=1, description="leave out rarer relations")
    threshold: float = Field(0.7, gt=0, le=1, description="smallest cosine that counts as implied")

    @property
    @override
    def own_label(self) -> str:
        return f"{self.name} {self.triples.stem if self.triples else 'facts'}"

    @override
    def digests(self) -> dict[str, str]:
        return super().digests() | {"triples": open_store(self.triples).digest}

    @override
    def own_scores(self, pairs: Sequence[InferencePair], job: RunContext) -> Scores:
        """Return the cosine, at least 0; None if a relation is not in the store."""
        from .word_embeddings import cosine

        training = SkipGramTraining(
            self.size, self.epochs, self.negatives, self.rate, seed=job.seed
        )

        def learnt() -> Embeddings | None:
            counts = contexts(open_store(self.triples).triples(), self.minimum)
            return train(counts, training, job.device) if counts else None

        vectors = job.once(("relations", self.triples, self.minimum, training), learnt)
        if vectors is None:
            return [None] * len(pairs)
        scores: list[float | None] = []
        for pair in pairs:
            swap = swapped_as_active(pair)
            premise = (analyse(pair.premise.relation).form, False)
            hypothesis = (analyse(pair.hypothesis.relation).form, bool(swap))
            comparable = swap is not None and premise in vectors and hypothesis in vectors
            both = (vectors[premise].numpy(), vectors[hypothesis].numpy()) if comparable else None
            scores.append(cosine(*both) if both else None)
        return scores


def contexts(
    triples: Iterable[Triple], minimum: int = 1
) -> dict[tuple[Side, tuple[int, str]], int]:
    """Count the arguments on each side of each relation, as stated and swapped."""
    counts: Counter[tuple[Side, tuple[int, str]]] = Counter()
    total: Counter[Form] = Counter()
    for triple in triples:
        features = analyse(triple.relation)
        if not features.content:
            continue
        first, second = argument_key(triple.arg1), argument_key(triple.arg2)
        if features.passive:
            first, second = second, first
        total[features.form] += triple.count
        for swap, left, right in ((False, first, second), (True, second, first)):
            counts[(features.form, swap), (0, left)] += triple.count
            counts[(features.form, swap), (1, right)] += triple.count
    return {pair: count for pair, count in counts.items() if total[pair[0][0]] >= minimum}


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
class Embeddings:
    """A vector for each item."""

    numbers: dict[Hashable, int]
    vectors: Tensor

    def __getitem__(self, item: Hashable) -> Tensor:
        return self.vectors[self.numbers[item]]

    def __contains__(self, item: Hashable) -> bool:
        return item in self.numbers


def train(
    counts: Mapping[tuple[Any, Any], int], training: SkipGramTraining, device: str = "cpu"
) -> Embeddings:
    """Train item vectors on counts of items with contexts; negatives are drawn by frequency.

    Pairs are drawn in proportion to their counts; an epoch draws as many as were counted.
    """
    items, contexts = (
        {thing: number for number, thing in enumerate(dict.fromkeys(things))}
        for things in zip(*counts, strict=True)
    )
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


class _Draw:
    """Draws indices by weight; faster than torch.multinomial, and without its limit of 2**24."""

    def __init__(self, weights: Tensor) -> None:
        self._sums = weights.cumsum(0)

    def __call__(self, count: int, random: torch.Generator) -> Tensor:
        drawn = torch.rand(count, generator=random, dtype=torch.float64) * self._sums[-1]
        return torch.searchsorted(self._sums, drawn, right=True).clamp(max=len(self._sums) - 1)
