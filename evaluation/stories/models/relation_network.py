"""Relation networks: all pairs of sentences, each asked the same question.

References: Santoro et al., A simple neural network module for relational reasoning, 2017.
"""

from typing import ClassVar

import torch
from pydantic import Field
from torch import Tensor, nn

from ..encoding import Batch, Sizes
from .parts import Entities, Recurrent, Words, mlp, one_hot
from .story import TextNetwork


class RelationNetwork(TextNetwork):
    """Relation network over pairs of sentences, each read by a bidirectional LSTM."""

    name: ClassVar = "rn"

    hidden: int = Field(100, ge=1, description="hidden size of the LSTM in each direction")
    layers: int = Field(2, ge=1, description="layers of the LSTM")
    g: int = Field(64, ge=1, description="size of what is computed for each pair")
    classifier: int = Field(256, ge=1, description="first hidden size of the classifier")
    second: int = Field(64, ge=1, description="second hidden size of the classifier")

    def build(self, sizes: Sizes) -> nn.Module:
        return _Pairs(self, sizes)


class _Pairs(nn.Module):
    def __init__(self, options: RelationNetwork, sizes: Sizes) -> None:
        super().__init__()
        self.entities = Entities(options.embedding)
        self.words = Words(sizes.words, self.entities)
        self.lstm = Recurrent(options.embedding, options.hidden, options.layers)
        pair = 2 * self.lstm.size + 2 * options.embedding
        self.g = mlp([pair, options.g, options.g])
        self.f = mlp([options.g, options.classifier, options.second, sizes.targets])

    def forward(self, batch: Batch) -> Tensor:
        states = self.lstm(self.words(batch.words), batch.lengths)
        objects, there = sentence_means(states, batch)
        query = self.entities(batch.query).flatten(1)
        rows, count = there.shape
        left = objects.unsqueeze(2).expand(-1, -1, count, -1)
        right = objects.unsqueeze(1).expand(-1, count, -1, -1)
        asked = query.view(rows, 1, 1, -1).expand(-1, count, count, -1)
        pairs = torch.relu(self.g(torch.cat([left, right, asked.to(left.dtype)], -1)))
        both = (there.unsqueeze(1) & there.unsqueeze(2)).unsqueeze(-1)
        scores: Tensor = self.f(pairs.masked_fill(~both, 0.0).sum((1, 2)))
        return scores


def sentence_means(states: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
    """The mean of the states in each sentence, and which sentences there are."""
    most = batch.sentence_count
    within = one_hot(batch.sentences, most, states) * batch.word_mask.unsqueeze(-1)
    words = within.sum(1)
    means = within.transpose(1, 2) @ states / words.clamp(min=1).unsqueeze(-1)
    return means, words > 0
