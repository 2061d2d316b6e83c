"""Models of cloze tests: each learns from pairs, and then says how likely words are in blanks."""

from abc import abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from ..model import Model
from ..training import Tick
from .prediction import Fitted

if TYPE_CHECKING:
    from torch import nn

    from .encoding import Encoded, Vocabulary
    from .harness import Training


class ClozeModel(Model):
    """A model that fills blanks."""

    reads: ClassVar = "cloze"
    runner: ClassVar = "relsmith.evaluation.cloze.runner:evaluate"

    longest: int = Field(
        50, ge=2, description="texts are cut to so many tokens, the start among them"
    )
    least: int = Field(2, ge=1, description="words that are rarer in training are unknown")

    def files(self) -> dict[str, Path]:
        """The files and folders that it reads, by option; their digests go into the result."""
        return {}

    @abstractmethod
    def learn(
        self,
        train: "Encoded",
        vocabulary: "Vocabulary",
        training: "Training",
        *,
        seed: int = 0,
        checkpoint: Path | None = None,
        tick: Tick | None = None,
    ) -> Fitted:
        """Learn from the training pairs, on the device that they are on."""


class Network(ClozeModel):
    """A model that is trained by gradient descent."""

    learning_rate: float = Field(1e-3, gt=0, description="of Adam")
    stages: ClassVar[tuple[str, ...]] = ("likelihood",)
    """What is minimised, one after another; the best epoch is one of the last stage."""

    @abstractmethod
    def build(self, train: "Encoded", vocabulary: "Vocabulary") -> "nn.Module":
        """Make the module, a `Predictor` that has `loss(batch, stage)` as well."""

    def epochs(self, stage: str, most: int) -> int:
        """How many epochs a stage may take, of those that all may take."""
        return most

    def learn(
        self,
        train: "Encoded",
        vocabulary: "Vocabulary",
        training: "Training",
        *,
        seed: int = 0,
        checkpoint: Path | None = None,
        tick: Tick | None = None,
    ) -> Fitted:
        """Train until validation no longer improves."""
        from .harness import fit

        return fit(self, train, vocabulary, training, seed=seed, checkpoint=checkpoint, tick=tick)
