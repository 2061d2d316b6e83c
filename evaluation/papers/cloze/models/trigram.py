"""A trigram model with absolute discounting, without the abstract.

References: Ney, Essen and Kneser, On structuring probabilistic dependences, 1994; Kneser and Ney,
Improved backing-off for m-gram language modeling, 1995.
"""

from collections import Counter, defaultdict
from typing import ClassVar

import torch
from pydantic import Field
from torch import Tensor
from typing_extensions import override

from ....model import RunContext
from ....result import TrainingSummary
from ..encoding import START, ClozeBatch, ClozeVocabulary, EncodedPairs, Prediction, Predictor
from ..model import ClozeModel

Counts = dict[tuple[int, ...], Counter[int]]


class Trigram(ClozeModel):
    """Trigram counts with absolute discounting; it does not see the abstract."""

    name: ClassVar = "trigram"
    baseline: ClassVar = True
    random: ClassVar = False

    least: int = Field(1, ge=1, description="rarer words of training count as unknown")
    discount: float = Field(0.75, gt=0, lt=1, description="subtracted from every count")

    @override
    def learn(
        self, train: EncodedPairs, vocabulary: ClozeVocabulary, job: RunContext
    ) -> tuple[Predictor, TrainingSummary]:
        return _TrigramCounts(train, len(vocabulary), self.discount), TrainingSummary()


class _TrigramCounts:
    """Probabilities of words after two others; unigrams are weighted by number of contexts."""

    def __init__(self, train: EncodedPairs, words: int, discount: float) -> None:
        self.discount = discount
        self.bigrams: Counts = defaultdict(Counter)
        self.trigrams: Counts = defaultdict(Counter)
        lengths = train.all.target_lengths.tolist()
        for text, length in zip(train.all.target.tolist(), lengths, strict=True):
            tokens = [START, *text[: length + 1]]
            for first, second, third in zip(tokens, tokens[1:], tokens[2:], strict=False):
                self.bigrams[second,][third] += 1
                self.trigrams[first, second][third] += 1
        follows = torch.zeros(words, dtype=torch.double)
        for counts in self.bigrams.values():
            follows[list(counts)] += 1
        discounted, total = (follows - discount).clamp(min=0), follows.sum()
        self.unigrams = (discounted + (total - discounted.sum()) / words) / total
        self.after_word: dict[int, Tensor] = {}

    def predict(self, batch: ClozeBatch, places: Tensor, starts: Tensor) -> Prediction:
        texts = batch.target.cpu()
        chances = [
            self.after(int(row[max(place - 2, 0)]), int(row[place - 1]))
            for row, positions in zip(texts, places.tolist(), strict=True)
            for place in positions
        ]
        logs = torch.stack(chances).log().float().view(*places.shape, -1).to(places.device)
        return Prediction(logs)

    def after(self, first: int, second: int) -> Tensor:
        if second not in self.after_word:
            self.after_word[second] = self._discounted(self.bigrams.get((second,)), self.unigrams)
        return self._discounted(self.trigrams.get((first, second)), self.after_word[second])

    def _discounted(self, counts: Counter[int] | None, below: Tensor) -> Tensor:
        """Distribute the discounted mass over all words, in proportion to the lower-order model."""
        if not counts:
            return below
        total = sum(counts.values())
        chances = below * (self.discount * len(counts) / total)
        seen = torch.tensor([*counts, *counts.values()]).view(2, -1)
        return chances.index_add_(0, seen[0], (seen[1].double() - self.discount) / total)
