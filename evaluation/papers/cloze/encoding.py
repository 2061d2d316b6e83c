"""Pairs as numbers in tensors, cut to a length and padded."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from .task import Pair

PADDING, UNKNOWN, START, FIRST_WORD = 0, 1, 2, 3


@dataclass(frozen=True)
class Vocabulary:
    """The words of the training texts, and those of them that are blanked there."""

    words: dict[str, int]
    blanked: frozenset[int]
    """The restricted vocabulary: words of the answers in training."""

    @classmethod
    def of(cls, pairs: Sequence[Pair], least: int = 1) -> "Vocabulary":
        """Number the words that are there so often."""
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
        """How many numbers there are."""
        return FIRST_WORD + len(self.words)

    def numbers(self, words: Sequence[str]) -> list[int]:
        """The number of each word."""
        return [self.words.get(word, UNKNOWN) for word in words]

    def spelling(self) -> list[str]:
        """The word of each number; those that are no words come first."""
        return ["<pad>", "<unknown>", "<start>", *self.words]

    def allowed(self, restricted: bool, device: torch.device | None = None) -> Tensor:
        """Which numbers may be answers: words that are blanked in training, or all words."""
        allowed = torch.zeros(len(self), dtype=torch.bool)
        allowed[FIRST_WORD:] = not restricted
        allowed[sorted(self.blanked)] = True
        return allowed.to(device)


@dataclass(frozen=True)
class Batch:
    """Some pairs; the concrete text has a start before its first word. Lengths are on the CPU."""

    source: Tensor
    source_lengths: Tensor
    target: Tensor
    target_lengths: Tensor
    """So many words, the start not counted."""

    @property
    def source_mask(self) -> Tensor:
        """True where there is a word."""
        return _mask(self.source_lengths, self.source.shape[1]).to(self.source.device)

    @property
    def target_mask(self) -> Tensor:
        """True where there is a word to be said after what stands at that place."""
        return _mask(self.target_lengths, self.target.shape[1] - 1).to(self.target.device)


def _mask(lengths: Tensor, size: int) -> Tensor:
    return torch.arange(size) < lengths.unsqueeze(1)


@dataclass(frozen=True)
class Encoded:
    """All pairs of a split."""

    all: Batch
    blanks: list[list[tuple[int, int]]]
    """In places of the target, what is cut off left out."""
    groups: list[tuple[str, ...]]
    """Each pair's abstract."""

    @classmethod
    def of(
        cls,
        pairs: Sequence[Pair],
        vocabulary: Vocabulary,
        longest: int,
        device: torch.device | None = None,
    ) -> "Encoded":
        """Encode; texts are cut to so many tokens, the start among them."""
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
            Batch(
                _padded(sources).to(device),
                torch.tensor([len(source) for source in sources]),
                _padded([[START, *target] for target in targets]).to(device),
                torch.tensor([len(target) for target in targets]),
            ),
            blanks,
            [tuple(pair.abstract) for pair in pairs],
        )

    def __len__(self) -> int:
        """How many pairs."""
        return len(self.blanks)

    def batch(self, rows: Tensor) -> Batch:
        """Some of them, no wider than they need be."""
        on_device = rows.to(self.all.source.device)
        source_lengths = self.all.source_lengths[rows]
        target_lengths = self.all.target_lengths[rows]
        return Batch(
            self.all.source[on_device, : int(source_lengths.max())],
            source_lengths,
            self.all.target[on_device, : int(target_lengths.max()) + 1],
            target_lengths,
        )

    def shift(self) -> float:
        """The share of shifts among shifts and emits, by the lengths of the texts."""
        shifts, emits = self.all.source_lengths.sum(), self.all.target_lengths.sum()
        return float(shifts / (shifts + emits))


def _padded(rows: Sequence[Sequence[int]]) -> Tensor:
    longest = max((len(row) for row in rows), default=1)
    return torch.tensor([[*row, *[PADDING] * (longest - len(row))] for row in rows])
