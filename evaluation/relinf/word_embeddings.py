"""Word vectors: how near the mean of a relation's words is to that of another's.

References: section 4.1 of Levy and Dagan, 2016.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from ...kb.vectors import read_vectors
from .curve import Scores
from .layered import Layered
from .model import File, Machine
from .pairs import Pair
from .words import lemmas

if TYPE_CHECKING:
    from numpy import ndarray


class WordEmbeddings(Layered):
    """Cosine of the mean word vectors of two relations, from a file of vectors."""

    name: ClassVar = "word-embeddings"
    packages: ClassVar = ("numpy",)

    vectors: File = Field(description="a file with a word and its numbers in each line")
    threshold: float = Field(0.7, gt=0, le=1, description="taken for implied from this cosine on")

    @property
    def own_label(self) -> str:
        """With the file's name."""
        return f"{self.name} {self.vectors.stem}"

    @property
    def files(self) -> tuple[Path, ...]:
        """The rules, and the vectors."""
        return (*self.rules, self.vectors)

    @property
    def cut(self) -> float:
        """The least cosine."""
        return self.threshold

    def own_scores(self, pairs: Sequence[Pair], machine: Machine) -> Scores:
        """The cosine, 0 where it is negative; None where a relation has no vector."""
        phrases = {side.relation for pair in pairs for side in (pair.premise, pair.hypothesis)}
        spelled = {phrase: _spellings(phrase) for phrase in phrases}
        words = {word for found in spelled.values() for both in found for word in both}
        import numpy as np

        read = read_vectors(self.vectors, words, spell=str.lower)
        vectors = {word: np.array(numbers) for word, numbers in read.items()}
        means = {phrase: _mean(found, vectors) for phrase, found in spelled.items()}
        return [
            cosine(means[one.premise.relation], means[one.hypothesis.relation]) for one in pairs
        ]


def _spellings(phrase: str) -> list[tuple[str, str]]:
    """Each word as it stands, and its lemma for where the file lacks it."""
    return list(zip(phrase.lower().split(), lemmas(phrase, "v"), strict=True))


def _mean(spelled: Sequence[tuple[str, str]], vectors: "dict[str, ndarray]") -> "ndarray | None":
    found = [vectors.get(word, vectors.get(lemma)) for word, lemma in spelled]
    known = [vector for vector in found if vector is not None]
    return sum(known[1:], start=known[0]) / len(known) if known else None


def cosine(one: "ndarray | None", other: "ndarray | None") -> float | None:
    """The cosine of two vectors from 0 to 1; None where one is missing or says nothing."""
    import numpy as np

    if one is None or other is None:
        return None
    length = float(np.linalg.norm(one) * np.linalg.norm(other))
    if not length:
        return None
    # Rounding must not make ties of equal phrases, nor 1 of what is not equal.
    return min(1.0, max(0.0, round(float(one @ other) / length, 9)))
