"""Cosine between the mean word vectors of relations.

References: section 4.1 of Levy and Dagan, 2016.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy import ndarray
from pydantic import Field
from typing_extensions import override

from ....kb.lexicon.vectors import read_vectors
from ...model import RunContext
from .layered import LayeredModel
from .model import File, Scores
from .task import InferencePair
from .words import lemmas


class WordEmbeddings(LayeredModel):
    """Cosine of the mean word vectors of two relations, from a file of vectors."""

    name: ClassVar = "word-embeddings"
    packages: ClassVar = ("numpy",)

    vectors: File = Field(description="a file with a word and its numbers in each line")
    threshold: float = Field(0.7, gt=0, le=1, description="smallest cosine that counts as implied")

    @property
    @override
    def own_label(self) -> str:
        return f"{self.name} {self.vectors.stem}"

    @override
    def files(self) -> dict[str, Path]:
        return super().files() | {"vectors": self.vectors}

    @override
    def own_scores(self, pairs: Sequence[InferencePair], job: RunContext) -> Scores:
        """Return the cosine, at least 0; None if a relation has no vector."""
        phrases = {side.relation for pair in pairs for side in (pair.premise, pair.hypothesis)}
        spelled = {phrase: _spellings(phrase) for phrase in phrases}
        words = {word for spellings in spelled.values() for both in spellings for word in both}
        read = read_vectors(self.vectors, words, spell=str.lower)
        vectors = {word: np.array(numbers) for word, numbers in read.items()}
        means = {phrase: _mean(spellings, vectors) for phrase, spellings in spelled.items()}
        return [
            cosine(means[pair.premise.relation], means[pair.hypothesis.relation]) for pair in pairs
        ]


def _spellings(phrase: str) -> list[tuple[str, str]]:
    """Return each word with its lemma, which is used if the file lacks the word."""
    return list(zip(phrase.lower().split(), lemmas(phrase, "v"), strict=True))


def _mean(spelled: Sequence[tuple[str, str]], vectors: dict[str, ndarray]) -> ndarray | None:
    looked_up = [vectors.get(word, vectors.get(lemma)) for word, lemma in spelled]
    present = [vector for vector in looked_up if vector is not None]
    return sum(present[1:], start=present[0]) / len(present) if present else None


def cosine(left: ndarray | None, right: ndarray | None) -> float | None:
    """Return the cosine of two vectors, at least 0; None if one is missing or zero."""
    if left is None or right is None:
        return None
    length = float(np.linalg.norm(left) * np.linalg.norm(right))
    if not length:
        return None
    # Equal phrases must tie in spite of rounding errors.
    return min(1.0, max(0.0, round(float(left @ right) / length, 9)))
