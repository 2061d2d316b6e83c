"""Memory, attention, composition: a recurrent cell that reads the story once for each step.

References: Hudson and Manning, Compositional attention networks for machine reasoning, 2018.
"""

from typing import ClassVar

import torch
from pydantic import Field
from torch import Tensor, nn

from ..encoding import Batch, Sizes
from .parts import Recurrent, attend
from .story import Encoder, Reader, TextNetwork


class MAC(TextNetwork):
    """MAC network: control, read and write over the states of a bidirectional LSTM."""

    name: ClassVar = "mac"

    hidden: int = Field(100, ge=1, description="hidden size of the LSTM in each direction")
    layers: int = Field(2, ge=1, description="layers of the LSTM")
    size: int = Field(100, ge=1, description="size of control and memory")
    iterations: int = Field(6, ge=1, description="reasoning steps")
    share_question: bool = Field(True, description="one projection of the question for all steps")
    dropout: float = Field(0.2, ge=0, lt=1, description="of memory, read and write")

    def build(self, sizes: Sizes) -> nn.Module:
        return Reader(self, sizes, _Cells(self))


class _Cells(Encoder):
    def __init__(self, options: MAC) -> None:
        super().__init__()
        size = self.size = options.size
        self.iterations = options.iterations
        self.lstm = Recurrent(options.embedding, options.hidden, options.layers)
        self.knowledge = nn.Linear(self.lstm.size, size)
        self.question = nn.Linear(2 * options.embedding, size)
        self.asked_words = nn.Linear(options.embedding, size)
        projections = 1 if options.share_question else options.iterations
        self.for_step = nn.ModuleList(nn.Linear(size, size) for _ in range(projections))
        self.control = nn.Linear(2 * size, size)
        self.control_score = nn.Linear(size, 1)
        self.read_memory = nn.Linear(size, size)
        self.read_knowledge = nn.Linear(size, size)
        self.read_both = nn.Linear(2 * size, size)
        self.read_score = nn.Linear(size, 1)
        self.write = nn.Linear(2 * size, size)
        self.first = nn.Parameter(torch.zeros(2, size))
        self.dropout = nn.Dropout(options.dropout)

    def forward(self, words: Tensor, query: Tensor, batch: Batch) -> Tensor:
        knowledge = self.knowledge(self.lstm(words, batch.lengths))
        question = torch.tanh(self.question(query))
        asked = self.asked_words(query.view(len(query), 2, -1))
        every = torch.ones(asked.shape[:2], dtype=torch.bool, device=asked.device)
        control = self.first[0].expand(len(query), -1)
        memory: Tensor = self.first[1].expand(len(query), -1)
        for step in range(self.iterations):
            wanted = self.for_step[step % len(self.for_step)](question)
            about = self.control(torch.cat([control, wanted], 1)).unsqueeze(1)
            control = _weighted(self.control_score(about * asked), asked, every)
            kept = self.read_memory(self.dropout(memory)).unsqueeze(1)
            met = kept * self.read_knowledge(self.dropout(knowledge))
            met = self.read_both(torch.cat([met, knowledge], 2))
            found = self.dropout(control.unsqueeze(1) * met)
            read = _weighted(self.read_score(found), knowledge, batch.word_mask)
            memory = self.write(torch.cat([self.dropout(read), memory], 1))
        return memory


def _weighted(scores: Tensor, values: Tensor, mask: Tensor) -> Tensor:
    weights = attend(scores.squeeze(-1), mask).to(values.dtype)
    return (weights.unsqueeze(1) @ values).squeeze(1)
