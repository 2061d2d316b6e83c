"""Models of analogies: embeddings under a classifier, scores of sentences, and guessers."""

from abc import abstractmethod
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, ClassVar, Protocol

from pydantic import Field

from ..model import Model
from .rows import SUPERVISED, UNSUPERVISED, Analogy, Quad

if TYPE_CHECKING:
    import torch
    from torch import Tensor


class AnalogyModel(Model):
    """A model that says whether, or which, two words are related as two others are."""

    reads: ClassVar = "analogies"
    runner: ClassVar = "relsmith.evaluation.analogy.runner:evaluate"

    @property
    def label(self) -> str:
        """The name, and what tells it from others of that name."""
        return self.name

    @property
    def settings(self) -> tuple[str, ...]:
        """The settings that it can be evaluated in."""
        return SUPERVISED, UNSUPERVISED


class Embedder(Protocol):
    """An embedding that is loaded; it is frozen, and asked once for each quad of a relation."""

    def embed(self, quads: Sequence[Quad]) -> "Tensor":
        """Vectors for each quad: quads x vectors x size."""

    def similarity(self, vectors: "Tensor") -> "Tensor":
        """How alike the two pairs of each quad are, by what `embed` gave."""


class Embedding(AnalogyModel):
    """A frozen embedding: an MLP over it learns true from false, its cosine chooses the better."""

    hidden: int = Field(256, ge=1, description="hidden size of the classifier")

    @abstractmethod
    def load(self, device: "torch.device", words: Collection[str]) -> Embedder:
        """Load it; these are all the words that it will be asked for."""


class Scorer(Protocol):
    """A language model that is loaded."""

    def score(self, quads: Sequence[Quad]) -> "Tensor":
        """How good the sentence of each quad is; more is better."""


class Scoring(AnalogyModel):
    """A language model that chooses the sentence it finds best, without training."""

    @property
    def settings(self) -> tuple[str, ...]:
        """Only the better of several."""
        return (UNSUPERVISED,)

    @abstractmethod
    def load(self, device: "torch.device") -> Scorer:
        """Load it; it is asked once for all quads of a relation."""


class Guesser(AnalogyModel):
    """A model that needs no training loop."""

    @abstractmethod
    def guess(self, train: Sequence[Analogy], test: Sequence[Analogy]) -> list[int]:
        """Give the test's targets."""
