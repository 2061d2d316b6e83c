"""Models that extract facts from the text and reason over them with an Edge Transformer.

A fact about two people is read from the states at their mentions and from the distance of these.
Training shows which facts a story states, and answers are learnt from those. A test answer
depends on the extracted facts only, so it has to be composed from them.

A story states a fact in one direction (B is the wife of A, not A the husband of B), although
other stories may state it in the other direction with the same words. So a fact is read in both
directions where training has shown both; answers are learnt from stated facts and these readings.

References: Bergen, O'Donnell and Bahdanau, Systematic generalization with edge transformers, 2021.
"""

from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional
from typing_extensions import override

from ..encoding import FIRST_ENTITY, PADDING, PLACEHOLDERS, UNKNOWN, Sizes, StoryBatch
from ..model import LossModule
from .bilstm import BiLSTM, LSTMNetwork
from .edge_transformer import EdgeModule, EdgeNetwork
from .encoder import Pretrained, PretrainedNetwork
from .parts import gather_states, one_hot
from .story import ReadingNetwork, StoryEncoder

MAX_DISTANCE = 40
"""Distances between two names, in words, are clipped to this."""

REVERSED_WEIGHT = 0.1
"""Weight of "stated, but not in this direction" in the loss of reversed facts."""


class EdgeReader(EdgeNetwork, ReadingNetwork):
    """A model that extracts facts and answers from them."""

    @override
    def build(self, sizes: Sizes) -> nn.Module:
        return _FactReader(self, self.encoder_class(self, sizes), sizes)


class BiLSTMEdges(EdgeReader, LSTMNetwork):
    """Bidirectional LSTM that extracts facts, and an Edge Transformer over them."""

    name: ClassVar = "bilstm-edges"
    encoder_class: ClassVar = BiLSTM


class BERTEdges(EdgeReader, PretrainedNetwork):
    """A pretrained encoder that extracts facts, and an Edge Transformer over them."""

    name: ClassVar = "bert-edges"
    encoder_class: ClassVar = Pretrained


class _FactReader(LossModule):
    def __init__(self, options: EdgeReader, encoder: StoryEncoder, sizes: Sizes) -> None:
        super().__init__()
        self.encoder = encoder
        self.dropout = nn.Dropout(options.dropout)
        self.pairs = _MentionPairs(encoder.size, options.inner)
        self.fact = nn.Linear(options.inner, sizes.relations)
        self.edges = EdgeModule(options, sizes)

    def forward(self, batch: StoryBatch) -> Tensor:
        """Score every target, from the extracted facts alone."""
        return self.reason(self.read(batch).argmax(-1), batch)

    @override
    def loss(self, batch: StoryBatch, targets: Tensor) -> Tensor:
        """Return the loss of extracting the facts of all pairs plus that of the answers."""
        likely = self.read(batch).log_softmax(-1)
        facts = stated_relations(batch)
        has_fact = facts != PADDING
        # Stated in the other direction only: the story does not say as which relation.
        backward = has_fact.transpose(1, 2) & ~has_fact
        any_fact, guess = likely[..., UNKNOWN:].logsumexp(-1), likely[..., UNKNOWN:].argmax(-1)
        as_stated = likely.gather(-1, facts.unsqueeze(-1)).squeeze(-1)
        as_backward = torch.lerp(any_fact, likely[..., UNKNOWN], REVERSED_WEIGHT)
        people = batch.node_mask.unsqueeze(2) & batch.node_mask.unsqueeze(1)
        reading = (torch.where(backward, as_backward, as_stated) * people).sum()
        scores = self.reason(torch.where(backward, guess + UNKNOWN, facts), batch).float()
        return functional.cross_entropy(scores, targets, reduction="sum") - reading

    def reason(self, facts: Tensor, batch: StoryBatch) -> Tensor:
        """Score every target, given the relation of each pair of people; UNKNOWN counts as none."""
        known = facts.masked_fill(facts == UNKNOWN, PADDING)
        return self.edges.reason(self.edges.between(known), batch)

    def read(self, batch: StoryBatch) -> Tensor:
        """Return scores as stories x nodes x nodes x relations; PADDING stands for no fact.

        UNKNOWN stands for a fact that is stated in the other direction only.
        """
        facts: Tensor = self.fact(self.pairs(self.dropout(self.encoder.read(batch)), batch))
        return facts.float()


def stated_relations(batch: StoryBatch) -> Tensor:
    """Return the stated relation of each pair as stories x nodes x nodes; PADDING if there is none.

    Of several relations of a pair, one is taken.
    """
    rows, count = batch.node_mask.shape
    source, relation, end = batch.edges.unbind(-1)
    places = one_hot(source * count + end, count * count, relation)
    return (places * relation.unsqueeze(-1)).amax(1).view(rows, count, count)


class _MentionPairs(nn.Module):
    """Features of all pairs of people (stories x nodes x nodes x inner), from their mentions."""

    def __init__(self, size: int, inner: int) -> None:
        super().__init__()
        self.first = nn.Linear(size, inner)
        self.second = nn.Linear(size, inner, bias=False)
        self.distance = nn.Embedding(2 * MAX_DISTANCE + 1, inner)
        self.value = nn.Linear(inner, inner)
        self.gate = nn.Linear(inner, 1)

    def forward(self, states: Tensor, batch: StoryBatch) -> Tensor:
        """Sum the gated features of all pairs of mentions of two people."""
        number = batch.words - FIRST_ENTITY
        named = (number >= 0) & (number < PLACEHOLDERS)
        most = max(1, int(named.sum(1).amax()))
        places = named.int().argsort(dim=1, stable=True, descending=True)[:, :most]
        named_at = gather_states(states, places)
        who = number.gather(1, places).unsqueeze(2) == batch.nodes.unsqueeze(1)
        who &= named.gather(1, places).unsqueeze(2)
        apart = (places.unsqueeze(1) - places.unsqueeze(2)).clamp(
            -MAX_DISTANCE, MAX_DISTANCE
        ) + MAX_DISTANCE
        first, second = self.first(named_at).unsqueeze(2), self.second(named_at).unsqueeze(1)
        inner = torch.relu(first + second + self.distance(apart))
        values = self.value(inner) * self.gate(inner).sigmoid()
        whose = who.to(values.dtype)
        by_first = torch.einsum("bijd,bia->bajd", values, whose)
        return torch.einsum("bajd,bje->baed", by_first, whose)
