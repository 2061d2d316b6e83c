"""Options and layers that several models use."""

from pathlib import Path
from typing import Any, ClassVar, Literal

import torch
from pydantic import Field, model_validator
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
from typing_extensions import override

from .....errors import InvalidOption
from .....kb.lexicon.vectors import read_vectors
from .... import pretrained
from ..encoding import PADDING, ClozeBatch, ClozeVocabulary
from ..model import ClozeNetwork


class RecurrentNetwork(ClozeNetwork):
    """Options of models with LSTMs over word vectors."""

    paper: ClassVar[dict[str, Any]] = {"hidden": 128, "dropout": 0.5, "vectors": "glove"}
    """The settings of the paper's own program."""

    preset: Literal["ours", "paper"] = Field("ours", description="default settings")
    learning_rate: float = Field(2e-3, gt=0, description="of Adam")
    embedding: int = Field(100, ge=1, description="size of word vectors; a file has its own")
    hidden: int = Field(256, ge=1, description="hidden size of the LSTMs")
    dropout: float = Field(0.3, ge=0, lt=1, description="of word vectors, states and layers")
    vectors: str | None = Field(
        None, description="file of fixed word vectors, or glove; default: trained"
    )

    @model_validator(mode="before")
    @classmethod
    def _preset(cls, given: Any) -> Any:
        chosen = isinstance(given, dict) and given.get("preset") == "paper"
        return cls.paper | given if chosen else given

    @property
    @override
    def label(self) -> str:
        return super().label + "-paper" * (self.preset == "paper")

    @override
    def files(self) -> dict[str, Path]:
        return {"vectors": Path(pretrained.find(self.vectors))} if self.vectors else {}


def word_vectors(options: RecurrentNetwork, vocabulary: ClozeVocabulary) -> nn.Embedding:
    """Make the embedding: fixed vectors of a file (random for other words), or trainable ones."""
    if not options.vectors:
        return nn.Embedding(len(vocabulary), options.embedding, padding_idx=PADDING)
    read = read_vectors(options.files()["vectors"], vocabulary.words)
    if not read:
        raise InvalidOption(
            f"vectors: {options.vectors} has none of the {len(vocabulary.words)} words"
        )
    vectors = torch.tensor(list(read.values()))
    size = vectors.shape[1]
    table = torch.randn(len(vocabulary), size) * vectors.std()
    for word, vector in zip(read, vectors, strict=True):
        table[vocabulary.words[word]] = vector
    table[PADDING] = 0
    fixed = nn.Embedding(len(vocabulary), size, padding_idx=PADDING, _weight=table)
    return fixed.requires_grad_(False)


class TextEncoders(nn.Module):
    """Two LSTMs: over the abstract, and over the concrete text up to each word."""

    def __init__(
        self, options: RecurrentNetwork, vocabulary: ClozeVocabulary, *, joined: bool
    ) -> None:
        super().__init__()
        self.vectors = word_vectors(options, vocabulary)
        size = self.vectors.embedding_dim
        self.encoder = nn.LSTM(size, options.hidden, batch_first=True)
        self.decoder = nn.LSTM(size, options.hidden, batch_first=True)
        self.dropout = nn.Dropout(options.dropout)
        self.joined = joined
        self.size = size

    def forward(self, batch: ClozeBatch) -> tuple[Tensor, Tensor]:
        """Return [batch, words, hidden] of both texts; if `joined`, the second continues the first.

        The first has a state for each word, the second one before each word and after the last.
        """
        vectors = self.dropout(self.vectors(batch.source))
        states, last = self.encoder(
            pack_padded_sequence(
                vectors, batch.source_lengths, batch_first=True, enforce_sorted=False
            )
        )
        abstract, _ = pad_packed_sequence(states, batch_first=True, total_length=vectors.shape[1])
        words = self.dropout(self.vectors(batch.target))
        concrete, _ = self.decoder(words, last if self.joined else None)
        return self.dropout(abstract), self.dropout(concrete)


def gather_states(states: Tensor, places: Tensor) -> Tensor:
    """Return the states [batch, places, size] at these positions of each row."""
    return states.gather(1, places.unsqueeze(-1).expand(-1, -1, states.shape[-1]))
