"""Frozen pretrained encoders, by name or path, under a classifier or an LSTM.

References: Devlin et al., BERT, 2019; section 3.4.1 of the CLUTRR thesis.
"""

from typing import ClassVar

import torch
from pydantic import Field
from torch import Tensor, nn

from ... import pretrained
from ..encoding import Batch, Sizes
from ..model import Network
from .parts import Entities, Recurrent, mean
from .story import Answer


class _Options(Network):
    encoder: str = Field(
        description="name or path of any Hugging Face encoder, or minilm; it stays frozen"
    )
    embedding: int = Field(100, ge=1, description="size of entity embeddings")
    classifier: int = Field(200, ge=1, description="hidden size of the classifier")


class BERT(_Options):
    """A frozen pretrained encoder, the mean over its states."""

    name: ClassVar = "bert"

    def build(self, sizes: Sizes) -> nn.Module:
        return _Frozen(self, sizes)


class BERTLSTM(_Options):
    """A frozen pretrained encoder, and an LSTM over its states."""

    name: ClassVar = "bert-lstm"

    hidden: int = Field(100, ge=1, description="hidden size of the LSTM")
    layers: int = Field(2, ge=1, description="layers of the LSTM")

    def build(self, sizes: Sizes) -> nn.Module:
        return _Frozen(self, sizes, hidden=self.hidden, layers=self.layers)


class _Frozen(nn.Module):
    pieces: Tensor

    def __init__(
        self, options: _Options, sizes: Sizes, *, hidden: int = 0, layers: int = 0
    ) -> None:
        super().__init__()
        tokenizer, encoder = pretrained.load(options.encoder)
        spelled = [tokenizer(word, add_special_tokens=False).input_ids for word in sizes.spelling]
        longest = max(map(len, spelled))
        padded = [[*one, *[-1] * (longest - len(one))] for one in spelled]
        self.register_buffer("pieces", torch.tensor(padded), persistent=False)
        self.ends = (tokenizer.cls_token_id, tokenizer.sep_token_id)
        self.longest = int(encoder.config.max_position_embeddings) - 2
        # In a list, so that neither training nor checkpoints touch it.
        self.frozen = [encoder.eval().requires_grad_(False)]
        size = int(encoder.config.hidden_size)
        self.lstm = Recurrent(size, hidden, layers, both_ways=False) if hidden else None
        story = self.lstm.size if self.lstm else size
        self.answer = Answer(story, Entities(options.embedding), options.classifier, sizes.targets)

    def forward(self, batch: Batch) -> Tensor:
        numbers, mask = self._spelled(batch)
        states = self._encode(numbers, mask)
        if self.lstm:
            states = self.lstm(states, mask.sum(1).cpu())
            last = (mask.sum(1) - 1).view(-1, 1, 1).expand(-1, 1, states.shape[2])
            story = states.gather(1, last).squeeze(1)
        else:
            story = mean(states, mask)
        scores: Tensor = self.answer(story, batch.query)
        return scores

    def _spelled(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """The word pieces of each story, between the two that the encoder was trained with."""
        spelled = self.pieces[batch.words].masked_fill(~batch.word_mask.unsqueeze(-1), -1)
        spelled = spelled.flatten(1)
        order = (spelled < 0).int().argsort(dim=1, stable=True)
        spelled = spelled.gather(1, order)[:, : self.longest]
        spelled = spelled[:, : int((spelled >= 0).sum(1).amax())]
        first, last = (spelled.new_full((len(spelled), 1), end) for end in self.ends)
        numbers = torch.cat([first, spelled, torch.full_like(last, -1)], 1)
        count = (numbers >= 0).sum(1, keepdim=True)
        numbers = numbers.scatter(1, count, last)
        return numbers.clamp(min=0), numbers >= 0

    @torch.no_grad()
    def _encode(self, numbers: Tensor, mask: Tensor) -> Tensor:
        encoder = self.frozen[0].to(numbers.device)
        states: Tensor = encoder(input_ids=numbers, attention_mask=mask.long()).last_hidden_state
        return states
