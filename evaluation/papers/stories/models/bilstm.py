"""Bidirectional LSTMs over the words of a story.

References: Hochreiter and Schmidhuber, Long short-term memory, 1997; sizes as in section 3.4.1 of
the CLUTRR thesis.
"""

from typing import ClassVar

import torch
from pydantic import Field
from torch import Tensor, nn
from typing_extensions import override

from ..encoding import Sizes, StoryBatch
from .parts import PackedLSTM, masked_softmax
from .story import StoryEncoder, TextNetwork


class LSTMNetwork(TextNetwork):
    """Options of models that read words with a bidirectional LSTM."""

    hidden: int = Field(100, ge=1, description="hidden size of the LSTM in each direction")
    layers: int = Field(2, ge=1, description="layers of the LSTM")


class BiLSTM(StoryEncoder):
    """Encodes all words of a story; the story vector is the mean over the states."""

    def __init__(self, options: LSTMNetwork, sizes: Sizes) -> None:
        super().__init__()
        self.words = options.words(sizes)
        self.lstm = PackedLSTM(
            options.embedding, options.hidden, options.layers, dropout=options.dropout
        )
        self.size = self.story = self.lstm.size

    @override
    def read(self, batch: StoryBatch) -> Tensor:
        return self.lstm(self.words(batch), batch.lengths)


class BiLSTMMean(LSTMNetwork):
    """Bidirectional LSTM, the mean over its states."""

    name: ClassVar = "bilstm-mean"
    encoder_class: ClassVar = BiLSTM


class _Attention(BiLSTM):
    def __init__(self, options: LSTMNetwork, sizes: Sizes) -> None:
        super().__init__(options, sizes)
        self.key = nn.Linear(self.size, self.size)
        self.query = nn.Linear(2 * self.size, self.size, bias=False)
        self.score = nn.Linear(self.size, 1, bias=False)

    @override
    def pool(self, states: Tensor, query: Tensor, batch: StoryBatch) -> Tensor:
        near = torch.tanh(self.key(states) + self.query(query.flatten(1)).unsqueeze(1))
        weights = masked_softmax(self.score(near).squeeze(-1), batch.word_mask)
        return (weights.unsqueeze(1).to(states.dtype) @ states).squeeze(1)


class BiLSTMAttention(LSTMNetwork):
    """Bidirectional LSTM, with attention of the query to its states."""

    name: ClassVar = "bilstm-attention"
    encoder_class: ClassVar = _Attention
