"""The frame of the thesis' text models: read, join the two entities, classify."""

import torch
from pydantic import Field
from torch import Tensor, nn

from ..encoding import Batch, Sizes
from ..model import Network
from .parts import Entities, Words, mlp


class TextNetwork(Network):
    """A model that reads words."""

    embedding: int = Field(100, ge=1, description="size of word and entity embeddings")
    classifier: int = Field(200, ge=1, description="hidden size of the classifier")


class Answer(nn.Module):
    """A two-layer classifier over a story's embedding and the two entities'."""

    def __init__(self, story: int, entities: Entities, hidden: int, targets: int) -> None:
        super().__init__()
        self.entities = entities
        self.layers = mlp([story + 2 * entities.table.shape[1], hidden, targets])

    def forward(self, story: Tensor, query: Tensor) -> Tensor:
        """Score every target."""
        joined: Tensor = self.layers(torch.cat([story, self.entities(query).flatten(1)], 1))
        return joined


class Reader(nn.Module):
    """Words become embeddings, an encoder makes one vector of them, and that is classified."""

    def __init__(self, options: TextNetwork, sizes: Sizes, encoder: "Encoder") -> None:
        super().__init__()
        entities = Entities(options.embedding)
        self.words = Words(sizes.words, entities)
        self.encoder = encoder
        self.answer = Answer(encoder.size, entities, options.classifier, sizes.targets)

    def forward(self, batch: Batch) -> Tensor:
        """Score every target."""
        query = self.answer.entities(batch.query).flatten(1)
        story = self.encoder(self.words(batch.words), query, batch)
        scores: Tensor = self.answer(story, batch.query)
        return scores


class Encoder(nn.Module):
    """Turns word embeddings, given the query's, into one vector of `size` for each story."""

    size: int
