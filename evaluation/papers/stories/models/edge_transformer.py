"""The Edge Transformer: a state for each pair of entities, and attention over all triangles.

References: Bergen, O'Donnell and Bahdanau, Systematic generalization with edge transformers, 2021.
"""

from typing import ClassVar, Self

import torch
from pydantic import Field, model_validator
from torch import Tensor, nn
from typing_extensions import override

from ..encoding import FIRST_RELATION, PADDING, Sizes, StoryBatch
from ..model import StoryNetwork
from .parts import masked_softmax, mlp, one_hot, select_states


class EdgeNetwork(StoryNetwork):
    """Options of models that attend over triangles of people."""

    width: int = Field(100, ge=1, description="size of a state; a multiple of the heads")
    heads: int = Field(4, ge=1, description="attention heads")
    rounds: int = Field(6, ge=1, description="rounds of attention, all with the same weights")
    inner: int = Field(200, ge=1, description="hidden size between attentions")
    classifier: int = Field(200, ge=1, description="hidden size of the classifier")

    @model_validator(mode="after")
    def _whole_heads(self) -> Self:
        if self.width % self.heads:
            raise ValueError(f"width {self.width} is not a multiple of the {self.heads} heads")
        return self


class EdgeTransformer(EdgeNetwork):
    """Edge Transformer over the stated facts; it does not see names."""

    name: ClassVar = "edge-transformer"

    @override
    def build(self, sizes: Sizes) -> nn.Module:
        return EdgeModule(self, sizes)


class EdgeModule(nn.Module):
    """Answers queries from the facts of stories."""

    def __init__(self, options: EdgeNetwork, sizes: Sizes) -> None:
        super().__init__()
        self.rounds = options.rounds
        self.relations = nn.Embedding(2 * sizes.relations, options.width, padding_idx=PADDING)
        self.self_relation = nn.Parameter(torch.randn(options.width))
        self.layer = TriangularAttention(options)
        self.norm = nn.LayerNorm(options.width)
        self.answer = mlp([options.width, options.classifier, sizes.targets])

    def forward(self, batch: StoryBatch) -> Tensor:
        return self.reason(self._stated(batch), batch)

    def between(self, facts: Tensor) -> Tensor:
        """Return pair states for facts given as stories x nodes x nodes: a relation, or PADDING."""
        backwards = self._backwards(facts).transpose(1, 2)
        return torch.add(self.relations(facts), self.relations(backwards))

    def expected(self, likely: Tensor) -> Tensor:
        """Return pair states for probabilities: stories x nodes x nodes x relations."""
        forward, backward = self.relations.weight.chunk(2)
        first = FIRST_RELATION
        there, back = likely[..., first:], likely.transpose(1, 2)[..., first:]
        return there @ forward[first:] + back @ backward[first:]

    def reason(self, states: Tensor, batch: StoryBatch) -> Tensor:
        """Score every target, given the states of all pairs."""
        rows, count = batch.node_mask.shape
        states = states + torch.eye(count, device=states.device).unsqueeze(-1) * self.self_relation
        for _ in range(self.rounds):
            states = self.layer(states, batch.node_mask)
        between = batch.query_nodes[:, :1] * count + batch.query_nodes[:, 1:]
        query_nodes = select_states(states.view(rows, count * count, -1), between)
        return self.answer(self.norm(query_nodes))

    def _stated(self, batch: StoryBatch) -> Tensor:
        rows, count = batch.node_mask.shape
        source, relation, end = batch.edges.unbind(-1)
        facts = self.relations(torch.cat([relation, self._backwards(relation)], 1))
        places = torch.cat([source * count + end, end * count + source], 1)
        incidence = one_hot(places, count * count, facts)
        states: Tensor = incidence.transpose(1, 2) @ facts
        return states.view(rows, count, count, -1)

    def _backwards(self, relation: Tensor) -> Tensor:
        return relation + (relation != PADDING) * (self.relations.num_embeddings // 2)


class TriangularAttention(nn.Module):
    """Updates the state of (a, b) from those of (a, c) and (c, b), for every c."""

    def __init__(self, options: EdgeNetwork) -> None:
        super().__init__()
        self.heads = options.heads
        self.before_attention = nn.LayerNorm(options.width)
        self.before_inner = nn.LayerNorm(options.width)
        self.projections = nn.Linear(options.width, 4 * options.width)
        self.out = nn.Linear(options.width, options.width)
        self.inner = mlp([options.width, options.inner, options.width])

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """Run one round; the mask excludes padding nodes."""
        four = self.projections(self.before_attention(states)).unflatten(-1, (4, self.heads, -1))
        first, second, left, right = four.unbind(-3)
        scores = torch.einsum("bachd,bcehd->bhaec", first, second) / first.shape[-1] ** 0.5
        weights = masked_softmax(scores, mask[:, None, None, None, :]).to(left.dtype)
        attended = torch.einsum("bhaec,bachd,bcehd->baehd", weights, left, right).flatten(3)
        states = states + self.out(attended)
        return states + self.inner(self.before_inner(states))
