"""What several models are built of."""

import itertools
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import PackedSequence
from typing_extensions import override

from ..encoding import FIRST_ENTITY, PADDING, PLACEHOLDERS, UNKNOWN, StoryBatch


class Entities(nn.Module):
    """Placeholder embeddings: drawn at random once, never trained."""

    table: Tensor

    def __init__(self, size: int) -> None:
        super().__init__()
        self.register_buffer("table", torch.randn(PLACEHOLDERS, size))

    @override
    def forward(self, numbers: Tensor) -> Tensor:
        return functional.embedding(numbers, self.table)


class WordEmbedding(nn.Module):
    """Trained word embeddings, and among them the fixed ones of the entities.

    What is not in training is one unknown word; so that this is trained as well, now and then a
    word of training is taken for it. Where they are `marked`, the names of the two people asked
    about are told from others, and from each other.
    """

    def __init__(
        self, words: int, size: int, *, unknown: float = 0.0, marked: bool = False
    ) -> None:
        super().__init__()
        self.words, self.unknown = words, unknown
        self.entities = Entities(size)
        self.trained = nn.Parameter(torch.randn(words - PLACEHOLDERS, size))
        self.marks = nn.Parameter(torch.randn(2, size)) if marked else None

    def forward(self, batch: StoryBatch) -> Tensor:
        """Look the words of stories up."""
        words = self.embed(batch.words)
        if self.marks is None:
            return words
        return words + batch.mentions.transpose(1, 2).to(words.dtype) @ self.marks

    def embed(self, numbers: Tensor) -> Tensor:
        """Look words up by number."""
        numbers = numbers.where(numbers < self.words, UNKNOWN)
        if self.training and self.unknown:
            lost = torch.rand(numbers.shape, device=numbers.device) < self.unknown
            lost &= numbers >= FIRST_ENTITY + PLACEHOLDERS
            numbers = numbers.masked_fill(lost, UNKNOWN)
        table = torch.cat(
            [self.trained[:FIRST_ENTITY], self.entities.table, self.trained[FIRST_ENTITY:]]
        )
        return functional.embedding(numbers, table, padding_idx=PADDING)


class PackedLSTM(nn.Module):
    """An LSTM over words that stops where each text ends."""

    def __init__(
        self,
        size: int,
        hidden: int,
        layers: int,
        *,
        dropout: float = 0.0,
        both_ways: bool = True,
    ) -> None:
        super().__init__()
        between = dropout if layers > 1 else 0.0
        self.lstm = nn.LSTM(
            size, hidden, layers, batch_first=True, bidirectional=both_ways, dropout=between
        )
        self.size = hidden * (1 + both_ways)

    def forward(self, states: Tensor, lengths: Tensor) -> Tensor:
        """Read the words; beyond a text's end there are zeros."""
        count, longest, size = states.shape
        lengths = lengths.clamp(min=1)
        order = lengths.argsort(descending=True)
        # As the LSTM wants them: the first words of all texts, long texts first, then the second.
        present = torch.arange(longest).unsqueeze(1) < lengths[order]
        places = (torch.arange(longest).unsqueeze(1) + order * longest)[present]
        back = torch.full((count * longest,), len(places))
        back[places] = torch.arange(len(places))
        there, back = (numbers.to(states.device, non_blocking=True) for numbers in (places, back))
        with torch.autocast(states.device.type, enabled=False):
            words = _taken(states.float().reshape(-1, size), there, back)
            read, _ = self.lstm(PackedSequence(words, present.sum(1)[: int(lengths.max())]))
            return _taken(read.data, back, there).view(count, longest, -1)


class _Taken(torch.autograd.Function):
    """Rows by number, each at most once, and zeros for the number after the last.

    On the way back, gradients are taken likewise by the numbers that undo it: a few steps for the
    device, where torch's own packing has some for every place in a text.
    """

    @staticmethod
    def forward(ctx: Any, rows: Tensor, numbers: Tensor, back: Tensor) -> Tensor:
        ctx.save_for_backward(back)
        return _rows(rows, numbers)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        (back,) = ctx.saved_tensors
        (rows,) = gradients
        return _rows(rows, back), None, None


def _taken(rows: Tensor, numbers: Tensor, back: Tensor) -> Tensor:
    taken: Tensor = _Taken.apply(rows, numbers, back)  # type: ignore[no-untyped-call]
    return taken


def _rows(rows: Tensor, numbers: Tensor) -> Tensor:
    return torch.cat([rows, rows.new_zeros(1, rows.shape[1])])[numbers]


def mlp(sizes: Sequence[int]) -> nn.Sequential:
    """Linear layers of these sizes with ReLU between them."""
    layers: list[nn.Module] = []
    for before, after in itertools.pairwise(sizes):
        layers += [nn.Linear(before, after), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def masked_mean(states: Tensor, mask: Tensor) -> Tensor:
    """The mean over the second dimension of what the mask lets through."""
    total = states.masked_fill(~mask.unsqueeze(-1), 0.0).sum(1)
    return total / mask.sum(1, keepdim=True).clamp(min=1)


def mention_means(states: Tensor, batch: StoryBatch) -> Tensor:
    """Stories x 2 x size: the mean state where each of the two people asked about is named."""
    named = batch.mentions.to(states.dtype)
    return (named / named.sum(-1, keepdim=True).clamp(min=1)) @ states


def sentence_means(states: Tensor, batch: StoryBatch) -> tuple[Tensor, Tensor]:
    """The mean of the states in each sentence, and which sentences there are."""
    within = one_hot(batch.sentences, batch.spans.shape[1], states) * batch.word_mask.unsqueeze(-1)
    words = within.sum(1)
    means = within.transpose(1, 2) @ states / words.clamp(min=1).unsqueeze(-1)
    return means, words > 0


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    """A softmax over the last dimension of what the mask lets through; zeros where nothing is."""
    masked = scores.float().masked_fill(~mask, float("-inf"))
    highest = masked.amax(-1, keepdim=True).clamp(min=torch.finfo(masked.dtype).min)
    powers = (masked - highest.detach()).exp()
    return powers / powers.sum(-1, keepdim=True).clamp(min=torch.finfo(masked.dtype).tiny)


def one_hot(numbers: Tensor, count: int, like: Tensor) -> Tensor:
    """A 1 at each number, of the same type as other states; without asking the device anything."""
    return (numbers.unsqueeze(-1) == torch.arange(count, device=numbers.device)).to(like.dtype)


def select_states(states: Tensor, places: Tensor) -> Tensor:
    """The states at these places of the second dimension, joined."""
    chosen = one_hot(places, states.shape[1], states) @ states
    return chosen.flatten(1)
