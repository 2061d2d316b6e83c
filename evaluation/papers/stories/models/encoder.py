"""Pretrained encoders, by name or path, under a classifier or an LSTM; frozen unless tuned.

References: Devlin et al., BERT, 2019; section 3.4.1 of the CLUTRR thesis.
"""

from typing import Any, ClassVar, Self

import torch
from pydantic import Field, model_validator
from torch import Tensor, nn
from torch.nn import functional
from typing_extensions import override

from .... import pretrained
from ..encoding import FIRST_ENTITY, PLACEHOLDERS, Sizes, StoryBatch
from ..model import LossModule
from .fact_extraction import FactExtractor
from .parts import Entities, PackedLSTM, gather_states, left_align, piece_table
from .story import ReadingNetwork, StoryClassifier, StoryEncoder


class PretrainedNetwork(ReadingNetwork):
    """Options of models that read words with a pretrained encoder."""

    packages: ClassVar = ("torch", "transformers")
    reads: ClassVar = ("encoder",)

    encoder: str = Field(description="name or path of any Hugging Face encoder, or minilm")
    tuned: bool = Field(False, description="train the encoder too; needs a small encoder_rate")
    encoder_rate: float | None = Field(None, gt=0, description="default: learning_rate")

    @model_validator(mode="after")
    def _check_encoder_rate(self) -> Self:
        if self.encoder_rate and not self.tuned:
            raise ValueError("encoder_rate needs a tuned encoder: set tuned=true too")
        return self


class Pretrained(StoryEncoder):
    """Word states, each the mean over the states of its word pieces."""

    pieces: Tensor

    def __init__(self, options: PretrainedNetwork, sizes: Sizes) -> None:
        super().__init__()
        tokenizer, encoder = pretrained.load(options.encoder)
        self.register_buffer("pieces", piece_table(tokenizer, sizes.spelling), persistent=False)
        self.ends = (tokenizer.cls_token_id, tokenizer.sep_token_id)
        self.longest = int(encoder.config.max_position_embeddings) - 2
        self.tuned: Any = encoder if options.tuned else None
        # In a list, so that neither training nor checkpoints touch it.
        self.frozen = [] if options.tuned else [encoder.eval().requires_grad_(False)]
        self.own_rate = options.encoder_rate
        self.size = self.story = int(encoder.config.hidden_size)

    @override
    def read(self, batch: StoryBatch) -> Tensor:
        spelled = self.pieces[batch.words].masked_fill(~batch.word_mask.unsqueeze(-1), -1)
        flat = spelled.flatten(1)
        there = (flat >= 0) & ((flat >= 0).cumsum(1) <= self.longest)
        states = self._encoded(flat.masked_fill(~there, -1))
        counts = there.view(spelled.shape).sum(-1)
        ends = counts.cumsum(1).unsqueeze(-1)
        # The encoder's input begins with a special token.
        place = torch.arange(states.shape[1], device=states.device) - 1
        within = (place >= ends - counts.unsqueeze(-1)) & (place < ends)
        # A product of matrices, as a gather would have a slow backward pass.
        return within.to(states.dtype) @ states / counts.clamp(min=1).unsqueeze(-1)

    def _encoded(self, pieces: Tensor) -> Tensor:
        """Run the encoder on the pieces, between its two special tokens."""
        close = left_align(pieces)
        first, last = (close.new_full((len(close), 1), end) for end in self.ends)
        numbers = torch.cat([first, close, torch.full_like(last, -1)], 1)
        numbers = numbers.scatter(1, (numbers >= 0).sum(1, keepdim=True), last)
        encoder = self.frozen[0].to(pieces.device) if self.frozen else self.tuned
        return encoder(
            input_ids=numbers.clamp(min=0), attention_mask=(numbers >= 0).long()
        ).last_hidden_state


class BERT(PretrainedNetwork):
    """A pretrained encoder, the mean over its states."""

    name: ClassVar = "bert"
    encoder_class: ClassVar = Pretrained


class BERTFacts(PretrainedNetwork):
    """A pretrained encoder, the mean over its states; it learns to extract stated facts, too."""

    name: ClassVar = "bert-facts"
    encoder_class: ClassVar = Pretrained

    inner: int = Field(200, ge=1, description="hidden size of the features of pairs of people")

    @override
    def build(self, sizes: Sizes) -> nn.Module:
        return _ClassifierWithFacts(self, sizes)


class _ClassifierWithFacts(LossModule):
    def __init__(self, options: BERTFacts, sizes: Sizes) -> None:
        super().__init__()
        encoder = Pretrained(options, sizes)
        self.classifier = StoryClassifier(options, encoder, sizes.targets)
        self.facts = FactExtractor(encoder, sizes, inner=options.inner, dropout=options.dropout)

    def forward(self, batch: StoryBatch) -> Tensor:
        return self.classifier(batch)

    @override
    def loss(self, batch: StoryBatch, targets: Tensor) -> Tensor:
        """Return the loss of the answers plus that of the facts of all pairs."""
        states = self.facts.encoder.read(batch)
        reading, _ = self.facts.reading_loss(self.facts.extract(states, batch), batch)
        scores = self.classifier.classify(states, batch).float()
        return functional.cross_entropy(scores, targets, reduction="sum") + reading


class _EncoderLSTM(StoryEncoder):
    """An LSTM over the states, with fixed random vectors for people."""

    def __init__(self, options: "BERTLSTM", sizes: Sizes) -> None:
        super().__init__()
        self.encoder = Pretrained(options, sizes)
        self.entities = Entities(self.encoder.size)
        self.lstm = PackedLSTM(
            self.encoder.size,
            options.hidden,
            options.layers,
            dropout=options.dropout,
            both_ways=False,
        )
        self.size = self.story = self.lstm.size

    @override
    def read(self, batch: StoryBatch) -> Tensor:
        states = self.encoder.read(batch)
        number = batch.words - FIRST_ENTITY
        person = (number >= 0) & (number < PLACEHOLDERS)
        vectors = self.entities(number.clamp(0, PLACEHOLDERS - 1)).to(states.dtype)
        return self.lstm(torch.where(person.unsqueeze(-1), vectors, states), batch.lengths)

    @override
    def pool(self, states: Tensor, query: Tensor, batch: StoryBatch) -> Tensor:
        last = (batch.word_mask.sum(1) - 1).clamp(min=0)
        return gather_states(states, last.unsqueeze(1)).squeeze(1)


class BERTLSTM(PretrainedNetwork):
    """A pretrained encoder, and an LSTM over its states; people are placeholders."""

    name: ClassVar = "bert-lstm"
    encoder_class: ClassVar = _EncoderLSTM

    hidden: int = Field(100, ge=1, description="hidden size of the LSTM")
    layers: int = Field(2, ge=1, description="layers of the LSTM")
