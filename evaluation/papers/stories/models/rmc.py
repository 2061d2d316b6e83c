"""The relational memory core: memory slots that attend to each other and to each word.

References: Santoro et al., Relational recurrent neural networks, 2018.
"""

from typing import ClassVar

import torch
from pydantic import Field
from torch import Tensor, nn
from typing_extensions import override

from ..encoding import Sizes, StoryBatch
from .parts import mlp
from .story import StoryEncoder, TextNetwork


class _Memory(StoryEncoder):
    biases: Tensor

    def __init__(self, options: "RMC", sizes: Sizes) -> None:
        super().__init__()
        self.options = options
        width = self.width = options.heads * options.head_size
        self.size = self.story = options.slots * width
        self.words = options.words(sizes)
        self.input = nn.Linear(options.embedding, width)
        parts = (options.key_size, options.key_size, options.head_size)
        self.parts = [options.heads * part for part in parts]
        self.projections = nn.Linear(width, sum(self.parts))
        self.norm = nn.LayerNorm(sum(self.parts))
        self.layers = mlp([width] * (options.attention_layers + 1))
        self.after_attention = nn.LayerNorm(width)
        self.after_layers = nn.LayerNorm(width)
        self.input_gate = nn.Linear(width, 2 * width)
        self.memory_gate = nn.Linear(width, 2 * width)
        biases = torch.tensor([options.input_bias, options.forget_bias])
        self.register_buffer("biases", biases.repeat_interleave(width))

    @override
    def read(self, batch: StoryBatch) -> Tensor:
        inputs = self.input(self.words(batch))
        gates = self.input_gate(torch.relu(inputs))
        present = batch.word_mask
        memory = torch.eye(self.options.slots, self.width, device=inputs.device)
        memory = memory.to(inputs.dtype).expand(len(inputs), -1, -1)
        states = []
        for place in range(inputs.shape[1]):
            now = slice(place, place + 1)
            after = self._step(memory, inputs[:, now], gates[:, now])
            memory = torch.where(present[:, place, None, None], after.to(memory.dtype), memory)
            states.append(memory.flatten(1))
        return torch.stack(states, 1)

    @override
    def pool(self, states: Tensor, query: Tensor, batch: StoryBatch) -> Tensor:
        return states[:, -1]

    def _step(self, memory: Tensor, word: Tensor, input_gates: Tensor) -> Tensor:
        after = memory
        for _ in range(self.options.blocks):
            after = self.after_attention(after + self._attention(after, word))
            after = self.after_layers(after + self.layers(after))
        gates = input_gates + self.memory_gate(torch.tanh(memory))
        let_in, keep = torch.sigmoid(gates + self.biases).chunk(2, -1)
        return let_in * torch.tanh(after) + keep * memory

    def _attention(self, memory: Tensor, word: Tensor) -> Tensor:
        seen = self.norm(self.projections(torch.cat([memory, word], 1)))
        queries, keys, values = (
            part.unflatten(-1, (self.options.heads, -1)).transpose(1, 2)
            for part in seen.split(self.parts, -1)
        )
        queries = queries[:, :, : memory.shape[1]]
        weights = (queries @ keys.transpose(2, 3) / queries.shape[-1] ** 0.5).softmax(-1)
        attended: Tensor = weights.to(values.dtype) @ values
        return attended.transpose(1, 2).flatten(2)


class RMC(TextNetwork):
    """Relational memory core, read word by word."""

    name: ClassVar = "rmc"
    encoder_class: ClassVar = _Memory

    slots: int = Field(2, ge=1, description="memory slots")
    head_size: int = Field(192, ge=1, description="size of each head's values")
    heads: int = Field(4, ge=1, description="attention heads")
    key_size: int = Field(64, ge=1, description="size of each head's keys")
    blocks: int = Field(1, ge=1, description="rounds of attention for each word")
    attention_layers: int = Field(3, ge=1, description="layers after each attention")
    forget_bias: float = Field(1.0, description="added to the forget gate")
    input_bias: float = Field(0.0, description="added to the input gate")
    dropout: float = Field(0.0, ge=0, lt=1, description="of word embeddings and of states")
