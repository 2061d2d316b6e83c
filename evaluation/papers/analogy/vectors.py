"""Static word vectors and their differences.

References: section 3.1 of Rezaee and Camacho-Collados, 2022.
"""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import ClassVar

import torch
from pydantic import Field
from torch import Tensor
from typing_extensions import override

from ....errors import InvalidOption
from ....kb.lexicon.vectors import read_vectors
from ... import pretrained
from .embedding import Embedding
from .task import WordQuad


class Vectors(Embedding):
    """The difference between the two words' static vectors, for each pair; an MLP over both.

    Without training rows, the cosine between the differences chooses.
    """

    name: ClassVar = "analogy-vectors"
    reads: ClassVar = ("vectors",)

    vectors: str = Field("glove", description="file of word vectors (GloVe, fastText), or glove")

    @override
    def files(self) -> dict[str, Path]:
        return {"vectors": Path(pretrained.find(self.vectors))}

    @override
    def load(self, device: torch.device, words: Collection[str]) -> "VectorDifferences":
        return VectorDifferences(word_vectors(pretrained.find(self.vectors), words), device)


class VectorDifferences:
    """The vector of the second word minus that of the first."""

    def __init__(self, vectors: dict[str, Tensor], device: torch.device) -> None:
        self.number = {word: place for place, word in enumerate(vectors)}
        self.table = torch.stack(list(vectors.values())).to(device)

    def embed(self, quads: Sequence[WordQuad]) -> Tensor:
        """Return the differences of both pairs."""
        numbers = torch.tensor([[self.number[word] for word in quad] for quad in quads])
        a, b, c, d = self.table[numbers.to(self.table.device)].unbind(1)
        return torch.stack([b - a, d - c], 1)


def word_vectors(path: str, words: Collection[str]) -> dict[str, Tensor]:
    """Return a vector for each word: of the whole, else the mean over its parts, else zeros."""
    spellings = {word: _spellings(word) for word in words}
    wanted = {part for ways in spellings.values() for way in ways for part in way}
    read = read_vectors(Path(path), wanted, remedy="give a text file of word vectors, or glove")
    if not read:
        raise InvalidOption(f"vectors: {path!r} has none of the words; give a file for English")
    vectors = {word: torch.tensor(numbers) for word, numbers in read.items()}
    nothing = torch.zeros_like(next(iter(vectors.values())))
    return {word: _vector(ways, vectors, nothing) for word, ways in spellings.items()}


def _spellings(word: str) -> list[list[str]]:
    """Return spellings of the whole, then its parts."""
    low = word.lower()
    return [[low], [low.replace(" ", "_")], [low.replace(" ", "-")], low.replace("-", " ").split()]


def _vector(ways: list[list[str]], vectors: dict[str, Tensor], nothing: Tensor) -> Tensor:
    for way in ways:
        parts = [vectors[part] for part in way if part in vectors]
        if parts:
            return torch.stack(parts).mean(0)
    return nothing
