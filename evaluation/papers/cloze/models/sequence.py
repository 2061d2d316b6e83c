"""LSTM models: a language model, and sequence to sequence without and with attention.

References: Hochreiter and Schmidhuber, Long short-term memory, 1997; Sutskever, Vinyals and Le,
Sequence to sequence learning with neural networks, 2014; Luong, Pham and Manning, Effective
approaches to attention-based neural machine translation, 2015.
"""

from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional
from typing_extensions import override

from ..encoding import ClozeBatch, ClozeVocabulary, EncodedPairs, Prediction
from .parts import RecurrentNetwork, TextEncoders, gather_states


class LSTMLanguageModel(RecurrentNetwork):
    """LSTM language model; it does not see the abstract."""

    name: ClassVar = "lstm-lm"

    @override
    def build(self, train: EncodedPairs, vocabulary: ClozeVocabulary) -> nn.Module:
        return _Sequence(self, vocabulary, joined=False, attends=False)


class Seq2seq(RecurrentNetwork):
    """LSTM that continues from the last state of another one, which reads the abstract."""

    name: ClassVar = "seq2seq"

    @override
    def build(self, train: EncodedPairs, vocabulary: ClozeVocabulary) -> nn.Module:
        return _Sequence(self, vocabulary, joined=True, attends=False)


class AttentionSeq2seq(RecurrentNetwork):
    """Seq2seq with general attention to the words of the abstract."""

    name: ClassVar = "seq2seq-attention"

    @override
    def build(self, train: EncodedPairs, vocabulary: ClozeVocabulary) -> nn.Module:
        return _Sequence(self, vocabulary, joined=True, attends=True)


class _Sequence(nn.Module):
    def __init__(
        self, options: RecurrentNetwork, vocabulary: ClozeVocabulary, *, joined: bool, attends: bool
    ) -> None:
        super().__init__()
        self.reader = TextEncoders(options, vocabulary, joined=joined)
        self.attention = nn.Linear(options.hidden, options.hidden, bias=False) if attends else None
        self.layer = nn.Linear(options.hidden * (1 + attends), self.reader.size)
        self.dropout = nn.Dropout(options.dropout)
        self.out = nn.Linear(self.reader.size, len(vocabulary))

    def loss(self, batch: ClozeBatch, stage: str) -> Tensor:
        abstract, concrete = self.reader(batch)
        mask = batch.target_mask
        scores = self._scores(abstract, concrete[:, :-1], batch)[mask]
        return functional.cross_entropy(scores, batch.target[:, 1:][mask], reduction="sum")

    def predict(self, batch: ClozeBatch, places: Tensor, starts: Tensor) -> Prediction:
        abstract, concrete = self.reader(batch)
        scores = self._scores(abstract, gather_states(concrete, places - 1), batch)
        return Prediction(scores.log_softmax(-1))

    def _scores(self, abstract: Tensor, states: Tensor, batch: ClozeBatch) -> Tensor:
        if self.attention:
            near = self.attention(states) @ abstract.transpose(1, 2)
            near = near.masked_fill(~batch.source_mask.unsqueeze(1), -torch.inf)
            states = torch.cat([states, near.softmax(-1) @ abstract], -1)
        return self.out(self.dropout(self.layer(states).relu()))
