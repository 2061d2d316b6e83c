"""A pretrained causal language model that reads the story and its question, fine-tuned.

Its output layer is replaced by one row per answer, initialised with the mean over the rows of the
answer's word pieces.

References: Radford et al., Improving language understanding by generative pre-training, 2018.
"""

from typing import ClassVar

import torch
from pydantic import Field
from torch import Tensor, nn
from typing_extensions import override

from .....errors import InvalidOption
from .... import pretrained
from ..encoding import FIRST_ENTITY, Sizes, StoryBatch
from ..model import StoryNetwork
from .parts import left_align, piece_table

_QUESTION = ("how is", "related to", "?")


class StoryLanguageModel(StoryNetwork):
    """Any causal language model, fine-tuned to continue with the answer."""

    name: ClassVar = "story-lm"
    packages: ClassVar = ("torch", "transformers")
    reads: ClassVar = ("path",)

    path: str = Field(description="name or path of a causal language model, or smollm2")
    learning_rate: float = Field(5e-5, gt=0, description="of Adam")

    @override
    def build(self, sizes: Sizes) -> nn.Module:
        return _Answering(self.path, sizes)


class _Answering(nn.Module):
    pieces: Tensor

    def __init__(self, where: str, sizes: Sizes) -> None:
        super().__init__()
        tokenizer, model = pretrained.load(where, "AutoModelForCausalLM")
        # These ids come after those of all words of stories.
        self.question = range(len(sizes.spelling), len(sizes.spelling) + len(_QUESTION))
        spelling = [*sizes.spelling, *_QUESTION]
        spelled = piece_table(tokenizer, [word and f" {word}" for word in spelling])
        self.register_buffer("pieces", spelled, persistent=False)
        self.longest = int(getattr(model.config, "max_position_embeddings", 1 << 20))
        self.model = model.base_model
        rows = model.get_output_embeddings().weight.detach()
        answers = piece_table(tokenizer, [f" {answer}" for answer in sizes.answers])
        self.answer = nn.Linear(rows.shape[1], sizes.targets, bias=False)
        self.answer.weight.data = torch.stack([rows[word[word >= 0]].mean(0) for word in answers])

    @override
    def forward(self, batch: StoryBatch) -> Tensor:
        pieces = self._pieces(batch)
        there = pieces >= 0
        states = self.model(
            input_ids=pieces.clamp(min=0), attention_mask=there.long(), use_cache=False
        ).last_hidden_state
        last = states[torch.arange(len(states), device=states.device), there.sum(1) - 1]
        return self.answer(last)

    def _pieces(self, batch: StoryBatch) -> Tensor:
        """Return the word pieces of story and question, -1 beyond the end."""
        words = torch.cat([batch.words, self._question(batch.query + FIRST_ENTITY)], 1)
        pieces = left_align(self.pieces[words].flatten(1))
        if pieces.shape[1] > self.longest:
            raise InvalidOption(
                f"a story has {pieces.shape[1]} word pieces, but the model reads {self.longest}; "
                f"evaluate shorter stories"
            )
        return pieces

    def _question(self, people: Tensor) -> Tensor:
        """Return the word ids of the question: how is the second person related to the first?"""
        first, middle, end = (people.new_full((len(people), 1), word) for word in self.question)
        return torch.cat([first, people[:, 1:], middle, people[:, :1], end], 1)
