"""Readers that reason over what they have read: facts out of a text, an Edge Transformer over them.

A fact about two people is read from the states where they are named and from how far apart that is.
Training tells which facts a story states; the answer sees those that were read and nothing else of
the text, so that it has to be put together.

References: Bergen, O'Donnell and Bahdanau, Systematic generalization with edge transformers, 2021.
"""

from typing import ClassVar

import torch
from pydantic import Field
from torch import Tensor, nn
from torch.nn import functional
from typing_extensions import override

from ..encoding import FIRST_ENTITY, PADDING, PLACEHOLDERS, Batch, Sizes
from .bilstm import BiLSTM, LSTMNetwork
from .edge_transformer import EdgeNetwork, Edges
from .encoder import Pretrained, PretrainedNetwork
from .parts import one_hot
from .story import Encoder, ReadingNetwork

FARTHEST = 40
"""Beyond that many words all distances between two names are alike."""


class EdgeReader(EdgeNetwork, ReadingNetwork):
    """A model that reads facts, and answers by them."""

    facts: float = Field(
        1.0, ge=0, description="how much the facts that a story states count beside its answer"
    )
    apart: bool = Field(False, description="read facts by what is stated alone, not by answers")

    @override
    def build(self, sizes: Sizes) -> nn.Module:
        return _Reader(self, self.encoder_for(sizes), sizes)


class BiLSTMEdges(EdgeReader, LSTMNetwork):
    """Bidirectional LSTM that reads facts, and an Edge Transformer over them."""

    name: ClassVar = "bilstm-edges"

    @override
    def encoder_for(self, sizes: Sizes) -> Encoder:
        return BiLSTM(self, sizes)


class BERTEdges(EdgeReader, PretrainedNetwork):
    """A pretrained encoder that reads facts, and an Edge Transformer over them."""

    name: ClassVar = "bert-edges"

    @override
    def encoder_for(self, sizes: Sizes) -> Encoder:
        return Pretrained(self, sizes)


class _Reader(nn.Module):
    def __init__(self, options: EdgeReader, encoder: Encoder, sizes: Sizes) -> None:
        super().__init__()
        self.weight, self.apart = options.facts, options.apart
        self.encoder = encoder
        self.dropout = nn.Dropout(options.dropout)
        self.pairs = _Pairs(encoder.size, options.inner, options.width)
        self.fact = nn.Linear(options.width, sizes.relations)
        self.there = nn.Linear(sizes.relations - 1, options.width, bias=False)
        self.back = nn.Linear(sizes.relations - 1, options.width, bias=False)
        self.edges = Edges(options, sizes.targets)

    def forward(self, batch: Batch) -> Tensor:
        return self._answer(self._read(batch), batch)

    def loss(self, batch: Batch, targets: Tensor) -> Tensor:
        """Of the answers, and of the facts that are read between any two people."""
        facts = self._read(batch)
        answers = functional.cross_entropy(self._answer(facts, batch), targets, reduction="sum")
        there = (batch.node_mask.unsqueeze(2) & batch.node_mask.unsqueeze(1)).flatten()
        stated = _stated(batch).flatten().where(there, _NOBODY)
        read = functional.cross_entropy(
            facts.flatten(0, 2), stated, reduction="sum", ignore_index=_NOBODY
        )
        return answers + self.weight * read

    def _read(self, batch: Batch) -> Tensor:
        """How likely each relation, or none, is stated between any two people; as logarithms."""
        facts: Tensor = self.fact(self.pairs(self.dropout(self.encoder.read(batch)), batch))
        return facts.float()

    def _answer(self, facts: Tensor, batch: Batch) -> Tensor:
        likely = (facts.detach() if self.apart else facts).softmax(-1)[..., PADDING + 1 :]
        states = self.there(likely) + self.back(likely.transpose(1, 2))
        scores: Tensor = self.edges(states, batch)
        return scores.float()


_NOBODY = -1


def _stated(batch: Batch) -> Tensor:
    """Stories x nodes x nodes: the relation that is stated of two people, PADDING where none is."""
    rows, count = batch.node_mask.shape
    source, relation, end = batch.edges.unbind(-1)
    places = one_hot(source * count + end, count * count, relation)
    return (places * relation.unsqueeze(-1)).amax(1).view(rows, count, count)


class _Pairs(nn.Module):
    """Stories x nodes x nodes x width: what is read where two people are named."""

    def __init__(self, size: int, inner: int, width: int) -> None:
        super().__init__()
        self.first = nn.Linear(size, inner)
        self.second = nn.Linear(size, inner, bias=False)
        self.distance = nn.Embedding(2 * FARTHEST + 1, inner)
        self.said = nn.Linear(inner, width)
        self.matters = nn.Linear(inner, 1)

    def forward(self, states: Tensor, batch: Batch) -> Tensor:
        number = batch.words - FIRST_ENTITY
        named = (number >= 0) & (number < PLACEHOLDERS)
        most = max(1, int(named.sum(1).amax()))
        places = named.int().argsort(dim=1, stable=True, descending=True)[:, :most]
        at = states.gather(1, places.unsqueeze(-1).expand(-1, -1, states.shape[2]))
        who = number.gather(1, places).unsqueeze(2) == batch.nodes.unsqueeze(1)
        who &= named.gather(1, places).unsqueeze(2)
        apart = (places.unsqueeze(1) - places.unsqueeze(2)).clamp(-FARTHEST, FARTHEST) + FARTHEST
        both = self.first(at).unsqueeze(2) + self.second(at).unsqueeze(1) + self.distance(apart)
        inner = torch.relu(both)
        said = self.said(inner) * self.matters(inner).sigmoid()
        whose = who.to(said.dtype)
        one = torch.einsum("bijd,bia->bajd", said, whose)
        return torch.einsum("bajd,bje->baed", one, whose)
