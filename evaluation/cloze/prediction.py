"""What a model of cloze tests has learnt, and what it says about blanks."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from torch import Tensor

    from .encoding import Batch


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
