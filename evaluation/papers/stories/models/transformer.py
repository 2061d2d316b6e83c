"""A small Transformer, trained from scratch on the stories themselves.

References: Vaswani et al., Attention is all you need, 2017; normalised before each part.
"""

import math
from typing import ClassVar

import torch
from pydantic import Field
from torch import Tensor, nn
from typing_extensions import override

from ..encoding import Sizes, StoryBatch
from .parts import masked_softmax, mlp
from .story import StoryEncoder, TextNetwork


class _Layers(StoryEncoder):
    def __init__(self, options: "Transformer", sizes: Sizes) -> None:
        super().__init__()
        self.size = self.story = options.width
        self.words = options.words(sizes)
        self.input = nn.Linear(options.embedding, options.width)
        self.layers = nn.ModuleList(_Layer(options) for _ in range(options.layers))
        self.norm = nn.LayerNorm(options.width)

    @override
    def read(self, batch: StoryBatch) -> Tensor:
        inputs = self.input(self.words(batch))
        states = inputs + positions(inputs.shape[1], inputs.shape[2], inputs.device).to(
            inputs.dtype
        )
        for layer in self.layers:
            states = layer(states, batch.word_mask)
        return self.norm(states)


class Transformer(TextNetwork):
    """Small Transformer from scratch; states at mentions, and the mean over all words."""

    name: ClassVar = "transformer"
    encoder_class: ClassVar = _Layers

    layers: int = Field(4, ge=1, description="layers")
    heads: int = Field(4, ge=1, description="attention heads")
    width: int = Field(128, ge=1, description="size of a state; a multiple of the heads")
    inner: int = Field(512, ge=1, description="hidden size between attentions")
    dropout: float = Field(0.1, ge=0, lt=1, description="of embeddings and of each sublayer")
    learning_rate: float = Field(3e-4, gt=0, description="of Adam; 0.001 is too high")
    marked: bool = Field(True, description="mark the mentions of the two people of the query")


class _Layer(nn.Module):
    def __init__(self, options: Transformer) -> None:
        super().__init__()
        self.heads = options.heads
        self.before_attention = nn.LayerNorm(options.width)
        self.before_inner = nn.LayerNorm(options.width)
        self.all_three = nn.Linear(options.width, 3 * options.width)
        self.out = nn.Linear(options.width, options.width)
        self.inner = mlp([options.width, options.inner, options.width])
        self.dropout = nn.Dropout(options.dropout)

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        three = self.all_three(self.before_attention(states)).unflatten(-1, (3, self.heads, -1))
        queries, keys, values = three.permute(2, 0, 3, 1, 4)
        scores = queries @ keys.transpose(2, 3) / queries.shape[-1] ** 0.5
        weights = masked_softmax(scores, mask[:, None, None, :]).to(values.dtype)
        attended = self.out((weights @ values).transpose(1, 2).flatten(2))
        states = states + self.dropout(attended)
        return states + self.dropout(self.inner(self.before_inner(states)))


def positions(count: int, size: int, device: torch.device) -> Tensor:
    """Return sinusoidal position encodings, for any length."""
    half = (size + 1) // 2
    speeds = torch.exp(torch.arange(half, device=device) * (-math.log(10_000) / half))
    angles = torch.arange(count, device=device).unsqueeze(1) * speeds
    return torch.cat([angles.sin(), angles.cos()], 1)[:, :size]
