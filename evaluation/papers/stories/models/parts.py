"""Layers and tensor functions that several models use."""

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
    """Placeholder embeddings: random, never trained."""

    table: Tensor

    def __init__(self, size: int) -> None:
        super().__init__()
        self.register_buffer("table", torch.randn(PLACEHOLDERS, size))

    @override
    def forward(self, numbers: Tensor) -> Tensor:
        return functional.embedding(numbers, self.table)


class WordEmbedding(nn.Module):
    """Trained word embeddings, with the fixed ones of the entities among them.

    All words that training lacks share one unknown word; a share of the training words is replaced
    by it, so that it is trained as well. If `marked`, a learnt mark is added at the mentions of
    each of the two people of the query.
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
        words = self.embed(batch.words)
        if self.marks is None:
            return words
        return words + batch.mentions.transpose(1, 2).to(words.dtype) @ self.marks

    def embed(self, numbers: Tensor) -> Tensor:
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
    """An LSTM that stops at the end of each text."""

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
        """Return the states; zeros beyond the end of a text."""
        count, longest, size = states.shape
        lengths = lengths.clamp(min=1)
        order = lengths.argsort(descending=True)
        # Packed order: the first words of all texts, longest text first, then the second words.
        present = torch.arange(longest).unsqueeze(1) < lengths[order]
        places = (torch.arange(longest).unsqueeze(1) + order * longest)[present]
        back = torch.full((count * longest,), len(places))
        back[places] = torch.arange(len(places))
        there, back = (numbers.to(states.device, non_blocking=True) for numbers in (places, back))
        with torch.autocast(states.device.type, enabled=False):
            words = _gather(states.float().reshape(-1, size), there, back)
            read, _ = self.lstm(PackedSequence(words, present.sum(1)[: int(lengths.max())]))
            return _gather(read.data, back, there).view(count, longest, -1)


class _Gather(torch.autograd.Function):
    """Select rows by index, each at most once; the index after the last gives zeros.

    The backward pass selects with the inverse indices: a few kernels, where torch's own packing
    needs some for every position of a text.
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


def _gather(rows: Tensor, numbers: Tensor, back: Tensor) -> Tensor:
    return _Gather.apply(rows, numbers, back)  # type: ignore[no-untyped-call]


def _rows(rows: Tensor, numbers: Tensor) -> Tensor:
    return torch.cat([rows, rows.new_zeros(1, rows.shape[1])])[numbers]


def mlp(sizes: Sequence[int]) -> nn.Sequential:
    """Linear layers of these sizes with ReLU between them."""
    layers: list[nn.Module] = []
    for before, after in itertools.pairwise(sizes):
        layers += [nn.Linear(before, after), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def masked_mean(states: Tensor, mask: Tensor) -> Tensor:
    """Return the mean over the second dimension where the mask is true."""
    total = states.masked_fill(~mask.unsqueeze(-1), 0.0).sum(1)
    return total / mask.sum(1, keepdim=True).clamp(min=1)


def mention_means(states: Tensor, batch: StoryBatch) -> Tensor:
    """Return the mean state at the mentions of each of the two people: stories x 2 x size."""
    named = batch.mentions.to(states.dtype)
    return (named / named.sum(-1, keepdim=True).clamp(min=1)) @ states


def sentence_means(states: Tensor, batch: StoryBatch) -> tuple[Tensor, Tensor]:
    """Return the mean state of each sentence, and a mask of the sentences that exist."""
    within = one_hot(batch.sentences, batch.spans.shape[1], states) * batch.word_mask.unsqueeze(-1)
    words = within.sum(1)
    means = within.transpose(1, 2) @ states / words.clamp(min=1).unsqueeze(-1)
    return means, words > 0


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the last dimension where the mask is true; zeros if it is nowhere."""
    masked = scores.float().masked_fill(~mask, float("-inf"))
    highest = masked.amax(-1, keepdim=True).clamp(min=torch.finfo(masked.dtype).min)
    powers = (masked - highest.detach()).exp()
    return powers / powers.sum(-1, keepdim=True).clamp(min=torch.finfo(masked.dtype).tiny)


def one_hot(numbers: Tensor, count: int, like: Tensor) -> Tensor:
    """Return one-hot vectors with the dtype of `like`, without device synchronisation."""
    return (numbers.unsqueeze(-1) == torch.arange(count, device=numbers.device)).to(like.dtype)


def gather_states(states: Tensor, places: Tensor) -> Tensor:
    """Return the states at these positions of each row: rows x places x size."""
    return states.gather(1, places.unsqueeze(-1).expand(-1, -1, states.shape[-1]))


def select_states(states: Tensor, places: Tensor) -> Tensor:
    """Return the states at these positions of the second dimension, concatenated."""
    chosen = one_hot(places, states.shape[1], states) @ states
    return chosen.flatten(1)


def piece_table(tokenizer: Any, words: Sequence[str]) -> Tensor:
    """Return the piece ids of each word, -1 beyond its last."""
    spelled = [tokenizer(word, add_special_tokens=False).input_ids for word in words]
    longest = max(map(len, spelled))
    return torch.tensor([[*pieces, *[-1] * (longest - len(pieces))] for pieces in spelled])


def left_align(pieces: Tensor) -> Tensor:
    """Move the ids of each row to the left, before all -1."""
    order = (pieces < 0).int().argsort(dim=1, stable=True)
    close = pieces.gather(1, order)
    return close[:, : max(1, int((close >= 0).sum(1).amax()))]
