"""Memory, attention, composition: a recurrent cell that reads the story once for each step.

References: Hudson and Manning, Compositional attention networks for machine reasoning, 2018.
"""

from typing import ClassVar

import torch
from pydantic import Field
from torch import Tensor, nn
from typing_extensions import override

from ..encoding import Sizes, StoryBatch
from .bilstm import BiLSTM, LSTMNetwork
from .parts import masked_softmax


class _Cells(BiLSTM):
    def __init__(self, options: "MAC", sizes: Sizes) -> None:
        super().__init__(options, sizes)
        width = self.story = options.width
        self.iterations = options.iterations
        self.knowledge = nn.Linear(self.size, width)
        self.question = nn.Linear(2 * self.size, width)
        self.query_words = nn.Linear(self.size, width)
        projections = 1 if options.share_question else options.iterations
        self.for_step = nn.ModuleList(nn.Linear(width, width) for _ in range(projections))
        self.control = nn.Linear(2 * width, width)
        self.control_score = nn.Linear(width, 1)
        self.read_memory = nn.Linear(width, width)
        self.read_knowledge = nn.Linear(width, width)
        self.read_both = nn.Linear(2 * width, width)
        self.read_score = nn.Linear(width, 1)
        self.write = nn.Linear(2 * width, width)
        self.first = nn.Parameter(torch.zeros(2, width))
        self.dropout = nn.Dropout(options.within)

    @override
    def pool(self, states: Tensor, query: Tensor, batch: StoryBatch) -> Tensor:
        knowledge = self.knowledge(states)
        question = torch.tanh(self.question(query.flatten(1)))
        words = self.query_words(query)
        every = torch.ones(words.shape[:2], dtype=torch.bool, device=words.device)
        control = self.first[0].expand(len(query), -1)
        memory: Tensor = self.first[1].expand(len(query), -1)
        for step in range(self.iterations):
            wanted = self.for_step[step % len(self.for_step)](question)
            about = self.control(torch.cat([control, wanted], 1)).unsqueeze(1)
            control = _weighted(self.control_score(about * words), words, every)
            recalled = self.read_memory(self.dropout(memory)).unsqueeze(1)
            met = recalled * self.read_knowledge(self.dropout(knowledge))
            met = self.read_both(torch.cat([met, knowledge], 2))
            relevant = self.dropout(control.unsqueeze(1) * met)
            read = _weighted(self.read_score(relevant), knowledge, batch.word_mask)
            memory = self.write(torch.cat([self.dropout(read), memory], 1))
        return memory


class MAC(LSTMNetwork):
    """MAC network: control, read and write over the states of a bidirectional LSTM."""

    name: ClassVar = "mac"
    encoder_class: ClassVar = _Cells

    width: int = Field(200, ge=1, description="size of control and memory; as wide as the LSTM")
    iterations: int = Field(6, ge=1, description="reasoning steps")
    share_question: bool = Field(True, description="one projection of the question for all steps")
    within: float = Field(0.2, ge=0, lt=1, description="dropout of memory, read and write")
    dropout: float = Field(0.5, ge=0, lt=1, description="of word embeddings and of what is read")
    marked: bool = Field(True, description="mark the mentions of the two people of the query")


def _weighted(scores: Tensor, values: Tensor, mask: Tensor) -> Tensor:
    weights = masked_softmax(scores.squeeze(-1), mask).to(values.dtype)
    return (weights.unsqueeze(1) @ values).squeeze(1)
