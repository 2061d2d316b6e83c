"""The relational memory core: slots of memory that attend to one another and to each word.

References: Santoro et al., Relational recurrent neural networks, 2018.
"""

from typing import ClassVar

import torch
from pydantic import Field
from torch import Tensor, nn

from ..encoding import Batch, Sizes
from .parts import mlp
from .story import Encoder, Reader, TextNetwork


class RMC(TextNetwork):
    """Relational memory core, read word by word."""

    name: ClassVar = "rmc"

    slots: int = Field(2, ge=1, description="memory slots")
    head_size: int = Field(192, ge=1, description="size of each head's values")
    heads: int = Field(4, ge=1, description="attention heads")
    key_size: int = Field(64, ge=1, description="size of each head's keys")
    blocks: int = Field(1, ge=1, description="rounds of attention for each word")
    attention_layers: int = Field(3, ge=1, description="layers after each attention")
    forget_bias: float = Field(1.0, description="added to the forget gate")
    input_bias: float = Field(0.0, description="added to the input gate")

    def build(self, sizes: Sizes) -> nn.Module:
        return Reader(self, sizes, _Memory(self))


class _Memory(Encoder):
    def __init__(self, options: RMC) -> None:
        super().__init__()
        self.options = options
        width = options.heads * options.head_size
        self.width = width
        self.size = options.slots * width
        self.input = nn.Linear(options.embedding, width)
        self.keys = nn.Linear(width, options.heads * options.key_size)
        self.queries = nn.Linear(width, options.heads * options.key_size)
        self.values = nn.Linear(width, width)
        self.layers = mlp([width] * (options.attention_layers + 1))
        self.after_attention = nn.LayerNorm(width)
        self.after_layers = nn.LayerNorm(width)
        self.input_gate = nn.Linear(width, 2)
        self.memory_gate = nn.Linear(width, 2)
        biases = torch.tensor([options.input_bias, options.forget_bias])
        self.register_buffer("biases", biases)

    def forward(self, words: Tensor, query: Tensor, batch: Batch) -> Tensor:
        inputs = self.input(words)
        there = batch.word_mask
        memory = torch.eye(self.options.slots, self.width, device=words.device)
        memory = memory.to(inputs.dtype).expand(len(words), -1, -1)
        for place in range(words.shape[1]):
            after = self._step(memory, inputs[:, place : place + 1])
            memory = torch.where(there[:, place, None, None], after.to(memory.dtype), memory)
        return memory.flatten(1)

    def _step(self, memory: Tensor, word: Tensor) -> Tensor:
        after = memory
        for _ in range(self.options.blocks):
            after = self.after_attention(after + self._attention(after, word))
            after = self.after_layers(after + self.layers(after))
        gates = self.input_gate(torch.relu(word)) + self.memory_gate(torch.tanh(memory))
        let_in, keep = torch.sigmoid(gates + self.biases).chunk(2, -1)
        new: Tensor = let_in * torch.tanh(after) + keep * memory
        return new

    def _attention(self, memory: Tensor, word: Tensor) -> Tensor:
        heads = self.options.heads
        seen = torch.cat([memory, word], 1)
        queries = self.queries(memory).unflatten(-1, (heads, -1)).transpose(1, 2)
        keys = self.keys(seen).unflatten(-1, (heads, -1)).transpose(1, 2)
        values = self.values(seen).unflatten(-1, (heads, -1)).transpose(1, 2)
        weights = (queries @ keys.transpose(2, 3) / queries.shape[-1] ** 0.5).softmax(-1)
        found: Tensor = weights.to(values.dtype) @ values
        return found.transpose(1, 2).flatten(2)
