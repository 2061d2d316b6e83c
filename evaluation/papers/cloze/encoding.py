"""Cloze pairs as padded tensors of word ids, and predictions of words."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import torch
from torch import Tensor

from .task import ClozeRow

PADDING, UNKNOWN, START, FIRST_WORD = 0, 1, 2, 3


@dataclass(frozen=True)
class ClozeVocabulary:
    """The words of the training texts, and those that are blanked there."""

    words: dict[str, int]
    blanked: frozenset[int]
    """The restricted vocabulary: ids of words in the answers of training."""

    @classmethod
    def of(cls, pairs: Sequence[ClozeRow], least: int = 1) -> "ClozeVocabulary":
        """Assign ids to the words that occur at least `least` times."""
        counts = Counter(word for pair in pairs for word in (*pair.abstract, *pair.concrete))
        frequent = sorted(word for word, count in counts.items() if count >= least)
        words = {word: number for number, word in enumerate(frequent, FIRST_WORD)}
        answers = {
            word
            for pair in pairs
            for start, end in pair.blanks
            for word in pair.concrete[start:end]
        }
        return cls(words, frozenset(words[word] for word in answers if word in words))

    def __len__(self) -> int:
        return FIRST_WORD + len(self.words)

    def numbers(self, words: Sequence[str]) -> list[int]:
        """Return the id of each word."""
        return [self.words.get(word, UNKNOWN) for word in words]

    def spelling(self) -> list[str]:
        """Return the word of each id; special tokens come first."""
        return ["<pad>", "<unknown>", "<start>", *self.words]

    def allowed(self, device: torch.device | None = None) -> Tensor:
        """Return the mask of ids that may be answers: words blanked in training."""
        allowed = torch.zeros(len(self), dtype=torch.bool)
        allowed[sorted(self.blanked)] = True
        return allowed.to(device)


@dataclass(frozen=True)
class ClozeBatch:
    """A batch of pairs; a start token precedes the concrete text. Lengths are on the CPU."""

    source: Tensor
    source_lengths: Tensor
    target: Tensor
    target_lengths: Tensor
    """Numbers of words, without the start token."""

    @property
    def source_mask(self) -> Tensor:
        """True at words."""
        return _mask(self.source_lengths, self.source.shape[1]).to(self.source.device)

    @property
    def target_mask(self) -> Tensor:
        """True at positions that are followed by a word."""
        return _mask(self.target_lengths, self.target.shape[1] - 1).to(self.target.device)


def _mask(lengths: Tensor, size: int) -> Tensor:
    return torch.arange(size) < lengths.unsqueeze(1)


@dataclass(frozen=True)
class EncodedPairs:
    """All pairs of a split."""

    all: ClozeBatch
    blanks: list[list[tuple[int, int]]]
    """Start and end positions in the target, without blanks that are cut off."""
    groups: list[tuple[str, ...]]
    """The abstract of each pair."""

    @classmethod
    def of(
        cls,
        pairs: Sequence[ClozeRow],
        vocabulary: ClozeVocabulary,
        longest: int,
        device: torch.device | None = None,
    ) -> "EncodedPairs":
        """Encode pairs; texts are cut to `longest` tokens, including the start token."""
        sources = [vocabulary.numbers(pair.abstract[:longest]) for pair in pairs]
        targets = [vocabulary.numbers(pair.concrete[: longest - 1]) for pair in pairs]
        blanks = [
            [
                (start + 1, min(end + 1, longest))
                for start, end in pair.blanks
                if start < len(target)
            ]
            for pair, target in zip(pairs, targets, strict=True)
        ]
        return cls(
            ClozeBatch(
                _padded(sources).to(device),
                torch.tensor([len(source) for source in sources]),
                _padded([[START, *target] for target in targets]).to(device),
                torch.tensor([len(target) for target in targets]),
            ),
            blanks,
            [tuple(pair.abstract) for pair in pairs],
        )

    def __len__(self) -> int:
        return len(self.blanks)

    def batch(self, rows: Tensor) -> ClozeBatch:
        """Return these rows, padded to the longest of them."""
        on_device = rows.to(self.all.source.device)
        source_lengths = self.all.source_lengths[rows]
        target_lengths = self.all.target_lengths[rows]
        return ClozeBatch(
            self.all.source[on_device, : int(source_lengths.max())],
            source_lengths,
            self.all.target[on_device, : int(target_lengths.max()) + 1],
            target_lengths,
        )

    def shift(self) -> float:
        """Return the share of shifts among shifts and emits, by the lengths of the texts."""
        shifts, emits = self.all.source_lengths.sum(), self.all.target_lengths.sum()
        return float(shifts / (shifts + emits))


def _padded(rows: Sequence[Sequence[int]]) -> Tensor:
    longest = max((len(row) for row in rows), default=1)
    return torch.tensor([[*row, *[PADDING] * (longest - len(row))] for row in rows])


class Prediction(NamedTuple):
    """Predictions at some positions of each text."""

    logs: Tensor
    """[batch, places, words]: log-probability of each word."""
    cost: Tensor | None = None
    """[batch, places]: nats of the alignment of the position, if the model aligns."""


class Predictor(Protocol):
    """A fitted model; one that aligns also has `align(batch)`."""

    def predict(self, batch: ClozeBatch, places: Tensor, starts: Tensor) -> Prediction:
        """Return the probability of every word at `places` of the target, given all words before.

        Both tensors are [batch, places]; `starts` has the first position of each place's blank.
        """
