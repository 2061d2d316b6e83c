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


class SequenceNetwork(RecurrentNetwork):
    """An LSTM over the concrete text."""

    joined: ClassVar[bool] = True
    """Whether it continues from the last state of an LSTM that reads the abstract."""
    attends: ClassVar[bool] = False

    @override
    def build(self, train: EncodedPairs, vocabulary: ClozeVocabulary) -> nn.Module:
        return _Sequence(self, vocabulary)


class LSTMLanguageModel(SequenceNetwork):
    """LSTM language model; it does not see the abstract."""

    name: ClassVar = "lstm-lm"
    joined: ClassVar = False


class Seq2seq(SequenceNetwork):
    """LSTM that continues from the last state of another one, which reads the abstract."""

    name: ClassVar = "seq2seq"


class AttentionSeq2seq(SequenceNetwork):
    """Seq2seq with general attention to the words of the abstract."""

    name: ClassVar = "seq2seq-attention"
    attends: ClassVar = True


class _Sequence(nn.Module):
    def __init__(self, options: SequenceNetwork, vocabulary: ClozeVocabulary) -> None:
        super().__init__()
        size, attends = options.hidden, options.attends
        self.reader = TextEncoders(options, vocabulary, joined=options.joined)
        self.attention = nn.Linear(size, size, bias=False) if attends else None
        self.layer = nn.Linear(size * (1 + attends), self.reader.size)
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
