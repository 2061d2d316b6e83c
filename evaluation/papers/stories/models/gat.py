"""A graph attention network over the facts that a story states, noise included.

References: Velickovic et al., Graph attention networks, 2018; with edge embeddings and sizes as in
section 3.4.1 of the CLUTRR thesis.
"""

from typing import ClassVar

import torch
from pydantic import Field
from torch import Tensor, nn
from torch.nn import functional
from typing_extensions import override

from ..encoding import PADDING, Sizes, StoryBatch
from ..model import StoryNetwork
from .parts import Entities, masked_mean, masked_softmax, mlp, one_hot, select_states


class GAT(StoryNetwork):
    """Graph attention network over the stated facts."""

    name: ClassVar = "gat"

    node: int = Field(100, ge=1, description="size of a node's state")
    message: int = Field(100, ge=1, description="size of a message")
    edge: int = Field(20, ge=1, description="size of a relation's embedding")
    rounds: int = Field(3, ge=1, description="rounds of messages, all with the same weights")
    classifier: int = Field(200, ge=1, description="hidden size of the classifier")

    @override
    def build(self, sizes: Sizes) -> nn.Module:
        return _Graph(self, sizes)


class _Graph(nn.Module):
    def __init__(self, options: GAT, sizes: Sizes) -> None:
        super().__init__()
        self.entities = Entities(options.node)
        # Every fact is an edge in both directions, with a relation for each.
        self.relations = nn.Embedding(2 * sizes.relations, options.edge, padding_idx=PADDING)
        self.rounds, self.round = options.rounds, MessagePassing(options)
        self.answer = mlp([5 * options.node, options.classifier, sizes.targets])

    def forward(self, batch: StoryBatch) -> Tensor:
        nodes = self.entities(batch.nodes.clamp(min=0))
        query = self.entities(batch.query).flatten(1)
        source, relation, end = batch.edges.unbind(-1)
        backwards = relation + (relation != PADDING) * (self.relations.num_embeddings // 2)
        start = torch.cat([source, end], 1)
        stop = torch.cat([end, source], 1)
        edges = self.relations(torch.cat([relation, backwards], 1))
        mask = batch.edge_mask.repeat(1, 2)
        for _ in range(self.rounds):
            nodes = self.round(nodes, edges, start, stop, mask)
        story = torch.cat(
            [masked_mean(nodes, batch.node_mask), select_states(nodes, batch.query_nodes)], 1
        )
        return self.answer(torch.cat([story, query.to(story.dtype)], 1))


class MessagePassing(nn.Module):
    """One round: each node adds the attention-weighted sum of its neighbours' messages."""

    def __init__(self, options: GAT) -> None:
        super().__init__()
        self.message = nn.Linear(options.node + options.edge, options.message)
        self.receiver = nn.Linear(options.node, options.message, bias=False)
        self.score = nn.Linear(options.message, 1, bias=False)
        self.update = mlp([options.node + options.message, options.node, options.node])
        self.norm = nn.LayerNorm(options.node)

    def forward(
        self, nodes: Tensor, edges: Tensor, start: Tensor, stop: Tensor, mask: Tensor
    ) -> Tensor:
        """Run one round; `start` and `stop` are the node indices of each edge."""
        count = nodes.shape[1]
        # Products with incidence matrices are deterministic on every device; scattering is not.
        from_node = one_hot(start, count, nodes)
        to_node = one_hot(stop, count, nodes)
        messages = self.message(torch.cat([from_node @ nodes, edges.to(nodes.dtype)], -1))
        heard = messages + to_node.to(messages.dtype) @ self.receiver(nodes)
        scores = self.score(functional.leaky_relu(heard, 0.2)).squeeze(-1)
        reaches = (to_node.transpose(1, 2) > 0) & mask.unsqueeze(1)
        weights = masked_softmax(scores.unsqueeze(1).expand_as(reaches), reaches)
        taken = weights.to(messages.dtype) @ messages
        return self.norm(nodes + self.update(torch.cat([nodes, taken], -1)))
