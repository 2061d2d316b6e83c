"""Models of cloze tests: each learns from pairs, and then says how likely words are in blanks."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Protocol

from pydantic import Field

from ..model import Model, Order, Outcome
from ..training import Tick

if TYPE_CHECKING:
    from torch import Tensor, nn

    from .encoding import Batch, Encoded, Vocabulary
    from .harness import Training


class Prediction(NamedTuple):
    """What a model says about some places of each text."""

    logs: "Tensor"
    """[batch, places, words]: the logarithm of each word's chance."""
    cost: "Tensor"
    """[batch, places]: nats for how the place is aligned, 0 where a model does not align."""


class Predictor(Protocol):
    """A model that has learnt."""

    def predict(self, batch: "Batch", places: "Tensor", starts: "Tensor") -> Prediction:
        """Say how likely every word is in `places` of the target, given all that stands before.

        Both are [batch, places]; `starts` has the place at which the blank of each begins.
        """


@dataclass(frozen=True)
class Fitted:
    """A model as it was at its best epoch."""

    predictor: Predictor
    epochs: int = 0
    best_epoch: int = 0
    validation: float = 0.0
    history: list[float] = field(default_factory=list)


class ClozeModel(Model):
    """A model that fills blanks."""

    reads: ClassVar = "cloze"

    longest: int = Field(
        50, ge=2, description="texts are cut to so many tokens, the start among them"
    )
    least: int = Field(2, ge=1, description="words that are rarer in training are unknown")

    @classmethod
    def evaluate(cls, models: Sequence[Model], order: Order) -> Outcome:
        """Train on one split, fill the blanks of others, over several seeds."""
        from .results import evaluate

        return evaluate([model for model in models if isinstance(model, ClozeModel)], order)

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
