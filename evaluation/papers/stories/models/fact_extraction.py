"""Extraction of the facts of a story from the states at the mentions of its people.

A fact about two people is read from the states at their mentions and from the distance of these.
Training shows which facts a story states. A story states a fact in one direction (B is the wife of
A, not A the husband of B), although other stories may state it in the other direction with the
same words. So a fact is read in both directions where training has shown both.
"""

import torch
from torch import Tensor, nn
from typing_extensions import override

from ..encoding import FIRST_ENTITY, PADDING, PLACEHOLDERS, UNKNOWN, Sizes, StoryBatch
from ..model import LossModule
from .parts import gather_states, one_hot
from .story import StoryEncoder

MAX_DISTANCE = 40
"""Distances between two names, in words, are clipped to this."""

REVERSED_WEIGHT = 0.1
"""Weight of "stated, but not in this direction" in the loss of reversed facts."""


class FactExtractor(LossModule):
    """Scores of every relation for all pairs of people; the base of models that use them."""

    def __init__(self, encoder: StoryEncoder, sizes: Sizes, *, inner: int, dropout: float) -> None:
        super().__init__()
        self.encoder = encoder
        self.dropout = nn.Dropout(dropout)
        self.pairs = _MentionPairs(encoder.size, inner)
        self.fact = nn.Linear(inner, sizes.relations)

    def read(self, batch: StoryBatch) -> Tensor:
        """Return scores as stories x nodes x nodes x relations; PADDING stands for no fact.

        UNKNOWN stands for a fact that is stated in the other direction only.
        """
        return self.extract(self.encoder.read(batch), batch)

    def extract(self, states: Tensor, batch: StoryBatch) -> Tensor:
        """Return the scores of `read`, given the word states."""
        facts: Tensor = self.fact(self.pairs(self.dropout(states), batch))
        return facts.float()

    def reading_loss(self, scores: Tensor, batch: StoryBatch) -> tuple[Tensor, Tensor]:
        """Return the loss of the scores, and the facts: as stated, or as read backward."""
        likely = scores.log_softmax(-1)
        facts = stated_relations(batch)
        has_fact = facts != PADDING
        # Stated in the other direction only: the story does not say as which relation.
        backward = has_fact.transpose(1, 2) & ~has_fact
        any_fact, guess = likely[..., UNKNOWN:].logsumexp(-1), likely[..., UNKNOWN:].argmax(-1)
        as_stated = likely.gather(-1, facts.unsqueeze(-1)).squeeze(-1)
        as_backward = torch.lerp(any_fact, likely[..., UNKNOWN], REVERSED_WEIGHT)
        reading = torch.where(backward, as_backward, as_stated) * people_pairs(batch)
        return -reading.sum(), torch.where(backward, guess + UNKNOWN, facts)

    @override
    def loss(self, batch: StoryBatch, targets: Tensor) -> Tensor:
        return self.reading_loss(self.read(batch), batch)[0]


def people_pairs(batch: StoryBatch) -> Tensor:
    """Return the mask of pairs of people as stories x nodes x nodes."""
    return batch.node_mask.unsqueeze(2) & batch.node_mask.unsqueeze(1)


def stated_relations(batch: StoryBatch) -> Tensor:
    """Return the stated relation of each pair as stories x nodes x nodes; PADDING if there is none.

    Of several relations of a pair, one is taken.
    """
    rows, count = batch.node_mask.shape
    source, relation, end = batch.edges.unbind(-1)
    places = one_hot(source * count + end, count * count, relation)
    return (places * relation.unsqueeze(-1)).amax(1).view(rows, count, count)


class _MentionPairs(nn.Module):
    """Features of all pairs of people (stories x nodes x nodes x inner), from their mentions."""

    def __init__(self, size: int, inner: int) -> None:
        super().__init__()
        self.first = nn.Linear(size, inner)
        self.second = nn.Linear(size, inner, bias=False)
        self.distance = nn.Embedding(2 * MAX_DISTANCE + 1, inner)
        self.value = nn.Linear(inner, inner)
        self.gate = nn.Linear(inner, 1)

    def forward(self, states: Tensor, batch: StoryBatch) -> Tensor:
        """Sum the gated features of all pairs of mentions of two people."""
        number = batch.words - FIRST_ENTITY
        named = (number >= 0) & (number < PLACEHOLDERS)
        most = max(1, int(named.sum(1).amax()))
        places = named.int().argsort(dim=1, stable=True, descending=True)[:, :most]
        named_at = gather_states(states, places)
        who = number.gather(1, places).unsqueeze(2) == batch.nodes.unsqueeze(1)
        who &= named.gather(1, places).unsqueeze(2)
        apart = (places.unsqueeze(1) - places.unsqueeze(2)).clamp(
            -MAX_DISTANCE, MAX_DISTANCE
        ) + MAX_DISTANCE
        first, second = self.first(named_at).unsqueeze(2), self.second(named_at).unsqueeze(1)
        inner = torch.relu(first + second + self.distance(apart))
        values = self.value(inner) * self.gate(inner).sigmoid()
        whose = who.to(values.dtype)
        by_first = torch.einsum("bijd,bia->bajd", values, whose)
        return torch.einsum("bajd,bje->baed", by_first, whose)
