"""A trigram model with absolute discounting: what the two words before say, and no abstract.

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
from ..encoding import START, Batch, Encoded, Vocabulary
from ..model import ClozeModel
from ..prediction import Prediction, Predictor

Counts = dict[tuple[int, ...], Counter[int]]


class Trigram(ClozeModel):
    """Counts of three words in a row, with absolute discounting; it sees no abstract."""

    name: ClassVar = "trigram"
    baseline: ClassVar = True
    random: ClassVar = False

    least: int = Field(1, ge=1, description="words that are rarer in training are unknown")
    discount: float = Field(0.75, gt=0, lt=1, description="taken off every count")

    @override
    def learn(
        self, train: Encoded, vocabulary: Vocabulary, job: RunContext
    ) -> tuple[Predictor, TrainingSummary]:
        return _Counted(train, len(vocabulary), self.discount), TrainingSummary()


class _Counted:
    """Chances of words after two others; a single word's is by how many words it follows."""

    def __init__(self, train: Encoded, words: int, discount: float) -> None:
        self.discount = discount
        self.bigrams: Counts = defaultdict(Counter)
        self.trigrams: Counts = defaultdict(Counter)
        lengths = train.all.target_lengths.tolist()
        for text, length in zip(train.all.target.tolist(), lengths, strict=True):
            said = [START, *text[: length + 1]]
            for first, second, third in zip(said, said[1:], said[2:], strict=False):
                self.bigrams[second,][third] += 1
                self.trigrams[first, second][third] += 1
        follows = torch.zeros(words, dtype=torch.double)
        for counts in self.bigrams.values():
            follows[list(counts)] += 1
        discounted, total = (follows - discount).clamp(min=0), follows.sum()
        self.unigrams = (discounted + (total - discounted.sum()) / words) / total
        self.after_word: dict[int, Tensor] = {}

    def predict(self, batch: Batch, places: Tensor, starts: Tensor) -> Prediction:
        """Look up what followed the two words before each place."""
        texts = batch.target.cpu()
        chances = [
            self.after(int(row[max(place - 2, 0)]), int(row[place - 1]))
            for row, asked in zip(texts, places.tolist(), strict=True)
            for place in asked
        ]
        logs = torch.stack(chances).log().float().view(*places.shape, -1).to(places.device)
        return Prediction(logs)

    def after(self, first: int, second: int) -> Tensor:
        """The chance of every word after these two."""
        if second not in self.after_word:
            self.after_word[second] = self._discounted(self.bigrams.get((second,)), self.unigrams)
        return self._discounted(self.trigrams.get((first, second)), self.after_word[second])

    def _discounted(self, counts: Counter[int] | None, below: Tensor) -> Tensor:
        """What is taken off the counts goes to all words, as likely as they are with less known."""
        if not counts:
            return below
        total = sum(counts.values())
        chances = below * (self.discount * len(counts) / total)
        seen = torch.tensor([*counts, *counts.values()]).view(2, -1)
        return chances.index_add_(0, seen[0], (seen[1].double() - self.discount) / total)
