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

from ..encoding import Batch, Encoded, Vocabulary
from ..prediction import Prediction
from ..transduction import best, forward, likelihood, shifts_before, step_costs, trace, transitions
from .parts import Reader, Recurrent, pick


class _Options(Recurrent):
    stages: ClassVar = ("marginal", "viterbi")

    marginal: int = Field(
        10, ge=1, description="epochs of marginal likelihood, before Viterbi EM takes over"
    )

    def epochs(self, stage: str, most: int) -> int:
        """The first stage takes what it is given, the second what is left."""
        first = min(self.marginal, most)
        return first if stage == "marginal" else most - first


class Transducer(_Options):
    """Transducer whose shifts have a fixed chance."""

    name: ClassVar = "transducer"
    paper: ClassVar = Recurrent.paper | {"shift": 0.5}

    shift: float | None = Field(
        None, gt=0, lt=1, description="the chance of a shift; none: by the lengths of the texts"
    )

    @override
    def build(self, train: Encoded, vocabulary: Vocabulary) -> nn.Module:
        return Transduction(self, vocabulary, shift=self.shift or train.shift())


class ParameterisedTransducer(_Options):
    """Transducer that learns when to shift."""

    name: ClassVar = "transducer-param"

    @override
    def build(self, train: Encoded, vocabulary: Vocabulary) -> nn.Module:
        return Transduction(self, vocabulary, shift=None)


class Transduction(nn.Module):
    """The module; the abstract is not fed to the second LSTM, but only used to say words."""

    def __init__(self, options: Recurrent, vocabulary: Vocabulary, *, shift: float | None) -> None:
        super().__init__()
        hidden = options.hidden
        self.reader = Reader(options, vocabulary, joined=False)
        self.from_abstract = nn.Linear(hidden, self.reader.size)
        self.from_concrete = nn.Linear(hidden, self.reader.size, bias=False)
        self.out = nn.Linear(self.reader.size, len(vocabulary))
        self.dropout = nn.Dropout(options.dropout)
        self.fixed = None if shift is None else math.log(shift / (1 - shift))
        if shift is None:
            self.shift_abstract = nn.Linear(hidden, hidden)
            self.shift_concrete = nn.Linear(hidden, hidden, bias=False)
            self.shift_out = nn.Linear(hidden, 1)

    def loss(self, batch: Batch, stage: str) -> Tensor:
        """The nats of all words, over all alignments or with the best one taken for granted."""
        if stage == "viterbi":
            return self._hard_loss(batch, self.align(batch))
        abstract, concrete = self.reader(batch)
        words = self._words(abstract, concrete, batch.target)
        shift = self._shift(abstract, concrete)
        alphas = forward(words, transitions(shift))
        return -likelihood(alphas, batch.source_lengths, batch.target_lengths).sum()

    def _hard_loss(self, batch: Batch, alignment: Tensor) -> Tensor:
        abstract, concrete = self.reader(batch)
        mask = batch.target_mask
        aligned = alignment.unsqueeze(-1).expand(-1, -1, abstract.shape[-1])
        scores = self._scores(abstract.gather(1, aligned), concrete[:, :-1])[mask]
        loss = functional.cross_entropy(scores, batch.target[:, 1:][mask], reduction="sum")
        steps = step_costs(self._shift(abstract, concrete), alignment)
        return loss - steps[mask].sum()

    @torch.no_grad()
    def align(self, batch: Batch) -> Tensor:
        """The best alignment [batch, words], as the model stands."""
        training = self.training
        self.eval()
        abstract, concrete = self.reader(batch)
        words = self._words(abstract, concrete, batch.target)
        shift = self._shift(abstract, concrete)
        _, pointers = best(words, transitions(shift))
        self.train(training)
        return trace(pointers, batch.source_lengths, batch.target_lengths)

    def predict(self, batch: Batch, places: Tensor, starts: Tensor) -> Prediction:
        """Words from where the best alignment of all before the blank ends (appendix A.4).

        Where shifts are learnt, that end moves on as long as a shift is likelier than not. All
        words of a blank share it.
        """
        abstract, concrete = self.reader(batch)
        shift = self._shift(abstract, concrete, last=True)
        words = self._words(abstract, concrete, batch.target)
        scores, _ = best(words, transitions(shift[:, :-1]))
        scores = scores.masked_fill(~batch.source_mask.unsqueeze(1), -torch.inf)
        ends = functional.pad(scores.argmax(-1), (1, 0))
        begun = ends.gather(1, starts - 1)
        at_start = pick(shift, starts - 1)
        aligned = begun if self.fixed is not None else _moved(at_start, begun, batch.source_lengths)
        logs = self._scores(pick(abstract, aligned), pick(concrete, places - 1)).log_softmax(-1)
        before = shifts_before(at_start)
        moved = before.gather(2, aligned.unsqueeze(-1)) - before.gather(2, begun.unsqueeze(-1))
        emit = functional.logsigmoid(-pick(shift, places - 1)).gather(2, aligned.unsqueeze(-1))
        cost = -emit.squeeze(-1) - torch.where(places == starts, moved.squeeze(-1), 0)
        return Prediction(logs, cost)

    def _scores(self, abstract: Tensor, concrete: Tensor) -> Tensor:
        """A score for every word, state by state."""
        hidden = self.from_abstract(abstract) + self.from_concrete(concrete)
        scores: Tensor = self.out(self.dropout(hidden.relu()))
        return scores

    def _words(self, abstract: Tensor, concrete: Tensor, target: Tensor) -> Tensor:
        """[batch, words, abstract]: the logarithm of each word's chance from each place."""
        aligned = self.from_abstract(abstract).unsqueeze(1)
        hidden: Tensor = (aligned + self.from_concrete(concrete[:, :-1]).unsqueeze(2)).relu()
        hidden = self.dropout(hidden)
        said = target[:, 1:]
        weights, biases = self.out.weight[said], self.out.bias[said]
        right: Tensor = (hidden @ weights.unsqueeze(-1)).squeeze(-1) + biases.unsqueeze(-1)
        return right - torch.logsumexp(self.out(hidden), -1)

    def _shift(self, abstract: Tensor, concrete: Tensor, *, last: bool = False) -> Tensor:
        """[batch, words, abstract]: the logit of a shift; `last`: after the last word too."""
        concrete = concrete if last else concrete[:, :-1]
        if self.fixed is not None:
            shape = (len(abstract), concrete.shape[1], abstract.shape[1])
            return abstract.new_full(shape, self.fixed)
        aligned = self.shift_abstract(abstract).unsqueeze(1)
        hidden = (aligned + self.shift_concrete(concrete).unsqueeze(2)).relu()
        scores: Tensor = self.shift_out(self.dropout(hidden))
        return scores.squeeze(-1)


def _moved(shift: Tensor, begun: Tensor, lengths: Tensor) -> Tensor:
    """The first place from `begun` on at which a shift is unlikely, the last one at most."""
    places = torch.arange(shift.shape[-1], device=shift.device)
    last = (lengths.to(shift.device) - 1).view(-1, 1, 1)
    stops = ((shift <= 0) | (places == last)) & (places >= begun.unsqueeze(-1))
    return stops.int().argmax(-1)
