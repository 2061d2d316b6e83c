"""The frame of the text models: read, look at the two people asked about, classify.

A question is what has been read about the two: the mean of the states at their mentions, as in the
models that were published with CLUTRR.
"""

from abc import abstractmethod

import torch
from pydantic import Field
from torch import Tensor, nn
from typing_extensions import override

from ..encoding import Sizes, StoryBatch
from ..model import StoryNetwork
from .parts import WordEmbedding, mention_means, mlp


class StoryEncoder(nn.Module):
    """Reads a story: a state of `size` for each word, and of those one vector of `story`."""

    size: int
    story: int
    own_rate: float | None = None
    """Its learning rate, where it is not that of the whole module."""

    @abstractmethod
    def read(self, batch: StoryBatch) -> Tensor:
        """Stories x words x size."""

    @abstractmethod
    def pool(self, states: Tensor, query: Tensor, batch: StoryBatch) -> Tensor:
        """Stories x story, given the states at the mentions of the two people asked about."""


class ReadingNetwork(StoryNetwork):
    """A model that reads words, in whatever way."""

    classifier: int = Field(200, ge=1, description="hidden size of the classifier")
    dropout: float = Field(0.3, ge=0, lt=1, description="of word embeddings and of what is read")

    @abstractmethod
    def encoder_for(self, sizes: Sizes) -> StoryEncoder:
        """What reads the story."""

    @property
    def hidden_sizes(self) -> tuple[int, ...]:
        """Of the classifier."""
        return (self.classifier,)

    @override
    def build(self, sizes: Sizes) -> nn.Module:
        return StoryClassifier(self, self.encoder_for(sizes), sizes.targets)


class TextNetwork(ReadingNetwork):
    """A model that learns its words from the stories."""

    embedding: int = Field(100, ge=1, description="size of word and entity embeddings")
    unknown: float = Field(
        0.05, ge=0, lt=1, description="how often a word of training is taken for an unknown one"
    )

    marked: bool = Field(
        False, description="tell the names of the two people asked about from others when reading"
    )

    def words(self, sizes: Sizes) -> nn.Module:
        """The embeddings of a story's words."""
        words = WordEmbedding(sizes.words, self.embedding, unknown=self.unknown, marked=self.marked)
        return nn.Sequential(words, nn.Dropout(self.dropout))


class StoryClassifier(nn.Module):
    """Classifies a story together with the states at the mentions of the two people."""

    def __init__(self, options: ReadingNetwork, encoder: StoryEncoder, targets: int) -> None:
        super().__init__()
        self.encoder = encoder
        self.dropout = nn.Dropout(options.dropout)
        self.answer = mlp([encoder.story + 2 * encoder.size, *options.hidden_sizes, targets])

    def forward(self, batch: StoryBatch) -> Tensor:
        """Score every target."""
        states = self.encoder.read(batch)
        query = mention_means(states, batch)
        story = self.encoder.pool(states, query, batch)
        joined = torch.cat([story, query.flatten(1).to(story.dtype)], 1)
        scores: Tensor = self.answer(self.dropout(joined))
        return scores
