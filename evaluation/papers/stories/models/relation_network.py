"""Relation networks: all pairs of sentences, each asked the same question.

References: Santoro et al., A simple neural network module for relational reasoning, 2017.
"""

from typing import ClassVar

import torch
from pydantic import Field
from torch import Tensor
from typing_extensions import override

from ..encoding import Sizes, StoryBatch
from .bilstm import BiLSTM, LSTMNetwork
from .parts import mlp, sentence_means
from .story import StoryEncoder


class RelationNetwork(LSTMNetwork):
    """Relation network over pairs of sentences, each read alone by a bidirectional LSTM."""

    name: ClassVar = "rn"

    g: int = Field(64, ge=1, description="size of what is computed for each pair")
    classifier: int = Field(256, ge=1, description="first hidden size of the classifier")
    second: int = Field(64, ge=1, description="second hidden size of the classifier")

    @property
    @override
    def hidden_sizes(self) -> tuple[int, ...]:
        return self.classifier, self.second

    @override
    def encoder_for(self, sizes: Sizes) -> StoryEncoder:
        return _SentencePairs(self, sizes)


class _SentencePairs(BiLSTM):
    def __init__(self, options: RelationNetwork, sizes: Sizes) -> None:
        super().__init__(options, sizes)
        self.g = mlp([4 * self.size, options.g, options.g])
        self.story = options.g

    @override
    def read(self, batch: StoryBatch) -> Tensor:
        """The states of each sentence as if there were no other, in the places of the story."""
        words = self.words(batch)
        starts, lengths = batch.spans.unbind(-1)
        count, longest = lengths.shape[1], int(lengths.max())
        starts = starts.to(words.device, non_blocking=True)
        every = torch.arange(max(longest, words.shape[1]), device=words.device)
        places = (starts.unsqueeze(-1) + every[:longest]).clamp(max=words.shape[1] - 1)
        sentences = _gathered(words, places.flatten(1))
        read = self.lstm(sentences.reshape(-1, longest, words.shape[-1]), lengths.flatten())
        # Back from sentences to the story: a word's place is its sentence's and its own in that.
        own = every[: words.shape[1]] - starts.gather(1, batch.sentences)
        back = batch.sentences * longest + own.clamp(0, longest - 1)
        return _gathered(read.reshape(len(words), count * longest, -1), back)

    @override
    def pool(self, states: Tensor, query: Tensor, batch: StoryBatch) -> Tensor:
        objects, present = sentence_means(states, batch)
        rows, count = present.shape
        left = objects.unsqueeze(2).expand(-1, -1, count, -1)
        right = objects.unsqueeze(1).expand(-1, count, -1, -1)
        asked = query.reshape(rows, 1, 1, -1).expand(-1, count, count, -1)
        pairs = torch.relu(self.g(torch.cat([left, right, asked.to(left.dtype)], -1)))
        both = (present.unsqueeze(1) & present.unsqueeze(2)).unsqueeze(-1)
        return pairs.masked_fill(~both, 0.0).sum((1, 2))


def _gathered(states: Tensor, places: Tensor) -> Tensor:
    """The states at these places of each row."""
    return states.gather(1, places.unsqueeze(-1).expand(-1, -1, states.shape[-1]))
