"""Relation networks: a function of all pairs of sentences and the query.

References: Santoro et al., A simple neural network module for relational reasoning, 2017.
"""

from typing import ClassVar

import torch
from pydantic import Field
from torch import Tensor
from typing_extensions import override

from ..encoding import Sizes, StoryBatch
from .bilstm import BiLSTM, LSTMNetwork
from .parts import gather_states, mlp, sentence_means


class _SentencePairs(BiLSTM):
    def __init__(self, options: "RelationNetwork", sizes: Sizes) -> None:
        super().__init__(options, sizes)
        self.g = mlp([4 * self.size, options.g, options.g])
        self.story = options.g

    @override
    def read(self, batch: StoryBatch) -> Tensor:
        """Encode each sentence separately; return the states at the positions of the story."""
        words = self.words(batch)
        starts, lengths = batch.spans.unbind(-1)
        count, longest = lengths.shape[1], int(lengths.max())
        starts = starts.to(words.device, non_blocking=True)
        every = torch.arange(max(longest, words.shape[1]), device=words.device)
        places = (starts.unsqueeze(-1) + every[:longest]).clamp(max=words.shape[1] - 1)
        sentences = gather_states(words, places.flatten(1))
        read = self.lstm(sentences.reshape(-1, longest, words.shape[-1]), lengths.flatten())
        # Back from sentences to the story: sentence offset plus position in the sentence.
        own = every[: words.shape[1]] - starts.gather(1, batch.sentences)
        back = batch.sentences * longest + own.clamp(0, longest - 1)
        return gather_states(read.reshape(len(words), count * longest, -1), back)

    @override
    def pool(self, states: Tensor, query: Tensor, batch: StoryBatch) -> Tensor:
        objects, present = sentence_means(states, batch)
        rows, count = present.shape
        left = objects.unsqueeze(2).expand(-1, -1, count, -1)
        right = objects.unsqueeze(1).expand(-1, count, -1, -1)
        queries = query.reshape(rows, 1, 1, -1).expand(-1, count, count, -1)
        pairs = torch.relu(self.g(torch.cat([left, right, queries.to(left.dtype)], -1)))
        both = (present.unsqueeze(1) & present.unsqueeze(2)).unsqueeze(-1)
        return pairs.masked_fill(~both, 0.0).sum((1, 2))


class RelationNetwork(LSTMNetwork):
    """Relation network over pairs of sentences, each encoded separately by a bidirectional LSTM."""

    name: ClassVar = "rn"
    encoder_class: ClassVar = _SentencePairs

    g: int = Field(64, ge=1, description="size of the vector of each pair")
    classifier: int = Field(256, ge=1, description="first hidden size of the classifier")
    second: int = Field(64, ge=1, description="second hidden size of the classifier")

    @property
    @override
    def hidden_sizes(self) -> tuple[int, ...]:
        return self.classifier, self.second
