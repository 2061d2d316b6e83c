"""The common structure of text models: encode, pool at the mentions of the two people, classify.

The query is represented by the mean of the states at the two people's mentions, as in the models
published with CLUTRR.
"""

from abc import abstractmethod
from typing import ClassVar

import torch
from pydantic import Field
from torch import Tensor, nn
from typing_extensions import override

from ..encoding import Sizes, StoryBatch
from ..model import StoryNetwork
from .parts import WordEmbedding, masked_mean, mention_means, mlp


class StoryEncoder(nn.Module):
    """Encodes a story: a state of `size` per word, and a vector of `story` numbers."""

    size: int
    story: int
    own_rate: float | None = None
    """Its learning rate, if it differs from that of the module."""

    @abstractmethod
    def read(self, batch: StoryBatch) -> Tensor:
        """Return word states as stories x words x size."""

    def pool(self, states: Tensor, query: Tensor, batch: StoryBatch) -> Tensor:
        """Return stories x story, by default the mean; `query` has the two people's states."""
        return masked_mean(states, batch.word_mask)


class ReadingNetwork(StoryNetwork):
    """A model that reads words."""

    encoder_class: ClassVar[type[StoryEncoder]]
    """Called with the options and sizes."""

    classifier: int = Field(200, ge=1, description="hidden size of the classifier")
    dropout: float = Field(0.3, ge=0, lt=1, description="of word embeddings and of states")

    @property
    def hidden_sizes(self) -> tuple[int, ...]:
        return (self.classifier,)

    @override
    def build(self, sizes: Sizes) -> nn.Module:
        return StoryClassifier(self, self.encoder_class(self, sizes), sizes.targets)


class TextNetwork(ReadingNetwork):
    """A model that learns word embeddings from the stories."""

    embedding: int = Field(100, ge=1, description="size of word and entity embeddings")
    unknown: float = Field(0.05, ge=0, lt=1, description="share of words made unknown")
    marked: bool = Field(False, description="mark the mentions of the two people of the query")

    def words(self, sizes: Sizes) -> nn.Module:
        """Make the word embeddings, with dropout."""
        words = WordEmbedding(sizes.words, self.embedding, unknown=self.unknown, marked=self.marked)
        return nn.Sequential(words, nn.Dropout(self.dropout))


class StoryClassifier(nn.Module):
    """Classifies a story vector together with the states at the mentions of the two people."""

    def __init__(self, options: ReadingNetwork, encoder: StoryEncoder, targets: int) -> None:
        super().__init__()
        self.encoder = encoder
        self.dropout = nn.Dropout(options.dropout)
        self.answer = mlp([encoder.story + 2 * encoder.size, *options.hidden_sizes, targets])

    def forward(self, batch: StoryBatch) -> Tensor:
        return self.classify(self.encoder.read(batch), batch)

    def classify(self, states: Tensor, batch: StoryBatch) -> Tensor:
        """Score every target, given the word states."""
        query = mention_means(states, batch)
        story = self.encoder.pool(states, query, batch)
        joined = torch.cat([story, query.flatten(1).to(story.dtype)], 1)
        return self.answer(self.dropout(joined))
