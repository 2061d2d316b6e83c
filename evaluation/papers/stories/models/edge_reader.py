"""Readers that reason over what they have read: facts out of a text, an Edge Transformer over them.

A fact about two people is read from the states where they are named and from how far apart that is.
Training tells which facts a story states, and answers are learnt from those; a test's answer sees
the facts that were read and nothing else of the text, so that it has to be put together.

A story states a fact one way, that A is married to B as B being the wife of A; words may tell it
both ways, and other stories state it the other way by the same words. So it is read both ways where
training has shown both, and answers are learnt from stated facts and from these readings of them.

References: Bergen, O'Donnell and Bahdanau, Systematic generalization with edge transformers, 2021.
"""

from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional
from typing_extensions import override

from ..encoding import FIRST_ENTITY, PADDING, PLACEHOLDERS, UNKNOWN, Sizes, StoryBatch
from ..objective import LossModule
from .bilstm import BiLSTM, LSTMNetwork
from .edge_transformer import EdgeNetwork, Edges
from .encoder import Pretrained, PretrainedNetwork
from .parts import one_hot
from .story import ReadingNetwork, StoryEncoder

FARTHEST = 40
"""Beyond that many words all distances between two names are alike."""

DOUBT = 0.1
"""Words that state a fact one way in so many of their stories, and more, are read that way."""


class EdgeReader(EdgeNetwork, ReadingNetwork):
    """A model that reads facts, and answers by them."""

    @override
    def build(self, sizes: Sizes) -> nn.Module:
        return _FactReader(self, self.encoder_for(sizes), sizes)


class BiLSTMEdges(EdgeReader, LSTMNetwork):
    """Bidirectional LSTM that reads facts, and an Edge Transformer over them."""

    name: ClassVar = "bilstm-edges"

    @override
    def encoder_for(self, sizes: Sizes) -> StoryEncoder:
        return BiLSTM(self, sizes)


class BERTEdges(EdgeReader, PretrainedNetwork):
    """A pretrained encoder that reads facts, and an Edge Transformer over them."""

    name: ClassVar = "bert-edges"

    @override
    def encoder_for(self, sizes: Sizes) -> StoryEncoder:
        return Pretrained(self, sizes)


class _FactReader(LossModule):
    def __init__(self, options: EdgeReader, encoder: StoryEncoder, sizes: Sizes) -> None:
        super().__init__()
        self.encoder = encoder
        self.dropout = nn.Dropout(options.dropout)
        self.pairs = _MentionPairs(encoder.size, options.inner)
        self.fact = nn.Linear(options.inner, sizes.relations)
        self.edges = Edges(options, sizes)

    def forward(self, batch: StoryBatch) -> Tensor:
        """Score every target, by what is read alone."""
        return self.reason(self.read(batch).argmax(-1), batch)

    @override
    def loss(self, batch: StoryBatch, targets: Tensor) -> Tensor:
        """Of reading what is told of any two people, and of answering by it."""
        likely = self.read(batch).log_softmax(-1)
        facts = stated(batch)
        told = facts != PADDING
        # Told the other way round: as what, this story does not say.
        turned = told.transpose(1, 2) & ~told
        somehow, predict = likely[..., UNKNOWN:].logsumexp(-1), likely[..., UNKNOWN:].argmax(-1)
        as_stated = likely.gather(-1, facts.unsqueeze(-1)).squeeze(-1)
        as_turned = torch.lerp(somehow, likely[..., UNKNOWN], DOUBT)
        people = batch.node_mask.unsqueeze(2) & batch.node_mask.unsqueeze(1)
        reading = (torch.where(turned, as_turned, as_stated) * people).sum()
        scores = self.reason(torch.where(turned, predict + UNKNOWN, facts), batch).float()
        return functional.cross_entropy(scores, targets, reduction="sum") - reading

    def reason(self, facts: Tensor, batch: StoryBatch) -> Tensor:
        """Score every target by what is told of any two people, as far as it is known."""
        known = facts.masked_fill(facts == UNKNOWN, PADDING)
        return self.edges.reason(self.edges.between(known), batch)

    def read(self, batch: StoryBatch) -> Tensor:
        """Stories x nodes x nodes x relations: a score of each, and at PADDING of none.

        At UNKNOWN: that something is told, but not this way round.
        """
        facts: Tensor = self.fact(self.pairs(self.dropout(self.encoder.read(batch)), batch))
        return facts.float()


def stated(batch: StoryBatch) -> Tensor:
    """Stories x nodes x nodes: the relation that is stated of two people, PADDING where none is.

    Of several, one is taken.
    """
    rows, count = batch.node_mask.shape
    source, relation, end = batch.edges.unbind(-1)
    places = one_hot(source * count + end, count * count, relation)
    return (places * relation.unsqueeze(-1)).amax(1).view(rows, count, count)


class _MentionPairs(nn.Module):
    """Stories x nodes x nodes x inner: what is read where two people are named."""

    def __init__(self, size: int, inner: int) -> None:
        super().__init__()
        self.first = nn.Linear(size, inner)
        self.second = nn.Linear(size, inner, bias=False)
        self.distance = nn.Embedding(2 * FARTHEST + 1, inner)
        self.said = nn.Linear(inner, inner)
        self.matters = nn.Linear(inner, 1)

    def forward(self, states: Tensor, batch: StoryBatch) -> Tensor:
        """Over all places where the two are named, as far as each matters."""
        number = batch.words - FIRST_ENTITY
        named = (number >= 0) & (number < PLACEHOLDERS)
        most = max(1, int(named.sum(1).amax()))
        places = named.int().argsort(dim=1, stable=True, descending=True)[:, :most]
        named_at = states.gather(1, places.unsqueeze(-1).expand(-1, -1, states.shape[2]))
        who = number.gather(1, places).unsqueeze(2) == batch.nodes.unsqueeze(1)
        who &= named.gather(1, places).unsqueeze(2)
        apart = (places.unsqueeze(1) - places.unsqueeze(2)).clamp(-FARTHEST, FARTHEST) + FARTHEST
        first, second = self.first(named_at).unsqueeze(2), self.second(named_at).unsqueeze(1)
        inner = torch.relu(first + second + self.distance(apart))
        said = self.said(inner) * self.matters(inner).sigmoid()
        whose = who.to(said.dtype)
        by_first = torch.einsum("bijd,bia->bajd", said, whose)
        return torch.einsum("bajd,bje->baed", by_first, whose)
