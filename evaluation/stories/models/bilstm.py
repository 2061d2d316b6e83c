"""Bidirectional LSTMs over the words of a story.

References: Hochreiter and Schmidhuber, Long short-term memory, 1997; sizes as in section 3.4.1 of
the CLUTRR thesis.
"""

from typing import ClassVar

import torch
from pydantic import Field
from torch import Tensor, nn

from ..encoding import Batch, Sizes
from .parts import Recurrent, attend, mean
from .story import Encoder, Reader, TextNetwork


class _Options(TextNetwork):
    hidden: int = Field(100, ge=1, description="hidden size in each direction")
    layers: int = Field(2, ge=1, description="layers of the LSTM")


class BiLSTMMean(_Options):
    """Bidirectional LSTM, the mean over its states."""

    name: ClassVar = "bilstm-mean"

    def build(self, sizes: Sizes) -> nn.Module:
        return Reader(self, sizes, _Mean(self))


class BiLSTMAttention(_Options):
    """Bidirectional LSTM, with attention of the query to its states."""

    name: ClassVar = "bilstm-attention"

    def build(self, sizes: Sizes) -> nn.Module:
        return Reader(self, sizes, _Attention(self))


class _Mean(Encoder):
    def __init__(self, options: _Options) -> None:
        super().__init__()
        self.lstm = Recurrent(options.embedding, options.hidden, options.layers)
        self.size = self.lstm.size

    def forward(self, words: Tensor, query: Tensor, batch: Batch) -> Tensor:
        return mean(self.lstm(words, batch.lengths), batch.word_mask)


class _Attention(Encoder):
    def __init__(self, options: _Options) -> None:
        super().__init__()
        self.lstm = Recurrent(options.embedding, options.hidden, options.layers)
        self.size = self.lstm.size
        self.key = nn.Linear(self.size, self.size)
        self.query = nn.Linear(2 * options.embedding, self.size, bias=False)
        self.score = nn.Linear(self.size, 1, bias=False)

    def forward(self, words: Tensor, query: Tensor, batch: Batch) -> Tensor:
        states: Tensor = self.lstm(words, batch.lengths)
        near = torch.tanh(self.key(states) + self.query(query).unsqueeze(1))
        weights = attend(self.score(near).squeeze(-1), batch.word_mask)
        return (weights.unsqueeze(1).to(states.dtype) @ states).squeeze(1)
