"""Models that extract facts from the text and reason over them with an Edge Transformer.

Training shows which facts a story states, and answers are learnt from those. A test answer
depends on the extracted facts only, so it has to be composed from them.

References: Bergen, O'Donnell and Bahdanau, Systematic generalization with edge transformers, 2021.
"""

from typing import ClassVar

from pydantic import Field
from torch import Tensor, nn
from torch.nn import functional
from typing_extensions import override

from ..encoding import PADDING, UNKNOWN, Sizes, StoryBatch
from .bilstm import BiLSTM, LSTMNetwork
from .edge_transformer import EdgeModule, EdgeNetwork
from .encoder import Pretrained, PretrainedNetwork
from .fact_extraction import FactExtractor, people_pairs
from .story import ReadingNetwork, StoryEncoder


class EdgeReader(EdgeNetwork, ReadingNetwork):
    """A model that extracts facts and answers from them."""

    supervised: bool = Field(
        True, description="train on stated facts; false: on answers alone, by probable facts"
    )

    @override
    def build(self, sizes: Sizes) -> nn.Module:
        return _FactReader(self, self.encoder_class(self, sizes), sizes)


class BiLSTMEdges(EdgeReader, LSTMNetwork):
    """Bidirectional LSTM that extracts facts, and an Edge Transformer over them."""

    name: ClassVar = "bilstm-edges"
    encoder_class: ClassVar = BiLSTM


class BERTEdges(EdgeReader, PretrainedNetwork):
    """A pretrained encoder that extracts facts, and an Edge Transformer over them."""

    name: ClassVar = "bert-edges"
    encoder_class: ClassVar = Pretrained


class _FactReader(FactExtractor):
    def __init__(self, options: EdgeReader, encoder: StoryEncoder, sizes: Sizes) -> None:
        super().__init__(encoder, sizes, inner=options.inner, dropout=options.dropout)
        self.supervised = options.supervised
        self.edges = EdgeModule(options, sizes)

    def forward(self, batch: StoryBatch) -> Tensor:
        """Score every target, from the extracted facts alone."""
        scores = self.read(batch)
        return (
            self.reason(scores.argmax(-1), batch) if self.supervised else self.guess(scores, batch)
        )

    @override
    def loss(self, batch: StoryBatch, targets: Tensor) -> Tensor:
        """Return the loss of the answers, plus that of the facts of all pairs if supervised."""
        scores = self.read(batch)
        if not self.supervised:
            answers = self.guess(scores, batch).float()
            return functional.cross_entropy(answers, targets, reduction="sum")
        reading, facts = self.reading_loss(scores, batch)
        answers = self.reason(facts, batch).float()
        return functional.cross_entropy(answers, targets, reduction="sum") + reading

    def reason(self, facts: Tensor, batch: StoryBatch) -> Tensor:
        """Score every target, given the relation of each pair of people; UNKNOWN counts as none."""
        known = facts.masked_fill(facts == UNKNOWN, PADDING)
        return self.edges.reason(self.edges.between(known), batch)

    def guess(self, scores: Tensor, batch: StoryBatch) -> Tensor:
        """Score every target, given the probability of each relation of each pair."""
        likely = scores.softmax(-1) * people_pairs(batch).unsqueeze(-1)
        return self.edges.reason(self.edges.expected(likely), batch)
