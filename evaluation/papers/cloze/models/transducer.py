"""Segment-to-segment transducers: every word is aligned to a word of the abstract.

References: appendix A of Bisk et al., Benchmarking Hierarchical Script Knowledge, 2019.
"""

import math
from typing import ClassVar

import torch
from pydantic import Field
from torch import Tensor, nn
from torch.nn import functional
from typing_extensions import override

from ..encoding import ClozeBatch, ClozeVocabulary, EncodedPairs, Prediction
from ..transduction import forward, likelihood, shift_logs, step_logs, trace, transitions, viterbi
from .parts import RecurrentNetwork, TextEncoders, gather_states


class TransducerNetwork(RecurrentNetwork):
    """Options of transducers."""

    stages: ClassVar = ("marginal", "viterbi")

    marginal: int = Field(10, ge=1, description="epochs before Viterbi EM")

    def epochs(self, stage: str, most: int) -> int:
        first = min(self.marginal, most)
        return first if stage == "marginal" else most - first


class Transducer(TransducerNetwork):
    """Transducer with a fixed probability of shifts."""

    name: ClassVar = "transducer"
    paper: ClassVar = RecurrentNetwork.paper | {"shift": 0.5}

    shift: float | None = Field(
        None, gt=0, lt=1, description="probability; default: by text lengths"
    )

    @override
    def build(self, train: EncodedPairs, vocabulary: ClozeVocabulary) -> nn.Module:
        return TransducerModule(self, vocabulary, shift=self.shift or train.shift())


class ParameterisedTransducer(TransducerNetwork):
    """Transducer that learns when to shift."""

    name: ClassVar = "transducer-param"

    @override
    def build(self, train: EncodedPairs, vocabulary: ClozeVocabulary) -> nn.Module:
        return TransducerModule(self, vocabulary, shift=None)


class TransducerModule(nn.Module):
    """The module; the abstract is used to predict words, but is no input of the second LSTM."""

    def __init__(
        self, options: RecurrentNetwork, vocabulary: ClozeVocabulary, *, shift: float | None
    ) -> None:
        super().__init__()
        hidden = options.hidden
        self.reader = TextEncoders(options, vocabulary, joined=False)
        self.from_abstract = nn.Linear(hidden, self.reader.size)
        self.from_concrete = nn.Linear(hidden, self.reader.size, bias=False)
        self.out = nn.Linear(self.reader.size, len(vocabulary))
        self.dropout = nn.Dropout(options.dropout)
        self.fixed = None if shift is None else math.log(shift / (1 - shift))
        if shift is None:
            self.shift_abstract = nn.Linear(hidden, hidden)
            self.shift_concrete = nn.Linear(hidden, hidden, bias=False)
            self.shift_out = nn.Linear(hidden, 1)

    def loss(self, batch: ClozeBatch, stage: str) -> Tensor:
        """Return the nats of all words, over all alignments or given the best one."""
        if stage == "viterbi":
            return self._hard_loss(batch, self.align(batch))
        abstract, concrete = self.reader(batch)
        words = self._words(abstract, concrete, batch.target)
        shift = self._shift(abstract, concrete)
        alphas = forward(words, transitions(shift))
        return -likelihood(alphas, batch.source_lengths, batch.target_lengths).sum()

    def _hard_loss(self, batch: ClozeBatch, alignment: Tensor) -> Tensor:
        abstract, concrete = self.reader(batch)
        mask = batch.target_mask
        aligned = alignment.unsqueeze(-1).expand(-1, -1, abstract.shape[-1])
        scores = self._scores(abstract.gather(1, aligned), concrete[:, :-1])[mask]
        loss = functional.cross_entropy(scores, batch.target[:, 1:][mask], reduction="sum")
        steps = step_logs(self._shift(abstract, concrete), alignment)
        return loss - steps[mask].sum()

    @torch.no_grad()
    def align(self, batch: ClozeBatch) -> Tensor:
        """Return the best alignment [batch, words]."""
        training = self.training
        self.eval()
        abstract, concrete = self.reader(batch)
        words = self._words(abstract, concrete, batch.target)
        shift = self._shift(abstract, concrete)
        _, pointers = viterbi(words, transitions(shift))
        self.train(training)
        return trace(pointers, batch.source_lengths, batch.target_lengths)

    def predict(self, batch: ClozeBatch, places: Tensor, starts: Tensor) -> Prediction:
        """Predict words from the end of the best alignment of all words before the blank (A.4).

        If shifts are learnt, that end moves on while a shift is more likely than not. All words of
        a blank share it.
        """
        abstract, concrete = self.reader(batch)
        shift = self._shift(abstract, concrete, last=True)
        words = self._words(abstract, concrete, batch.target)
        scores, _ = viterbi(words, transitions(shift[:, :-1]))
        scores = scores.masked_fill(~batch.source_mask.unsqueeze(1), -torch.inf)
        ends = functional.pad(scores.argmax(-1), (1, 0))
        first = ends.gather(1, starts - 1)
        at_start = gather_states(shift, starts - 1)
        aligned = first if self.fixed is not None else _moved(at_start, first, batch.source_lengths)
        logs = self._scores(
            gather_states(abstract, aligned), gather_states(concrete, places - 1)
        ).log_softmax(-1)
        before = shift_logs(at_start)
        moved = before.gather(2, aligned.unsqueeze(-1)) - before.gather(2, first.unsqueeze(-1))
        emit = functional.logsigmoid(-gather_states(shift, places - 1)).gather(
            2, aligned.unsqueeze(-1)
        )
        cost = -emit.squeeze(-1) - torch.where(places == starts, moved.squeeze(-1), 0)
        return Prediction(logs, cost)

    def _scores(self, abstract: Tensor, concrete: Tensor) -> Tensor:
        hidden = self.from_abstract(abstract) + self.from_concrete(concrete)
        return self.out(self.dropout(hidden.relu()))

    def _words(self, abstract: Tensor, concrete: Tensor, target: Tensor) -> Tensor:
        """Return [batch, words, abstract]: the log-probability of each word from each position."""
        aligned = self.from_abstract(abstract).unsqueeze(1)
        hidden: Tensor = (aligned + self.from_concrete(concrete[:, :-1]).unsqueeze(2)).relu()
        hidden = self.dropout(hidden)
        words = target[:, 1:]
        weights, biases = self.out.weight[words], self.out.bias[words]
        right: Tensor = (hidden @ weights.unsqueeze(-1)).squeeze(-1) + biases.unsqueeze(-1)
        return right - torch.logsumexp(self.out(hidden), -1)

    def _shift(self, abstract: Tensor, concrete: Tensor, *, last: bool = False) -> Tensor:
        """Return [batch, words, abstract] logits of a shift; `last`: after the last word too."""
        concrete = concrete if last else concrete[:, :-1]
        if self.fixed is not None:
            shape = (len(abstract), concrete.shape[1], abstract.shape[1])
            return abstract.new_full(shape, self.fixed)
        aligned = self.shift_abstract(abstract).unsqueeze(1)
        hidden = (aligned + self.shift_concrete(concrete).unsqueeze(2)).relu()
        scores: Tensor = self.shift_out(self.dropout(hidden))
        return scores.squeeze(-1)


def _moved(shift: Tensor, first: Tensor, lengths: Tensor) -> Tensor:
    """Return the first position from `first` on where a shift is unlikely, at most the last."""
    places = torch.arange(shift.shape[-1], device=shift.device)
    last = (lengths.to(shift.device) - 1).view(-1, 1, 1)
    stops = ((shift <= 0) | (places == last)) & (places >= first.unsqueeze(-1))
    return stops.int().argmax(-1)
