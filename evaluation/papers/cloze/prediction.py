"""What a model that has learnt says about blanks."""

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from torch import Tensor

    from .encoding import Batch


class Prediction(NamedTuple):
    """What a model says about some places of each text."""

    logs: "Tensor"
    """[batch, places, words]: the logarithm of each word's chance."""
    cost: "Tensor | None" = None
    """[batch, places]: nats for how the place is aligned, where a model aligns."""


class Predictor(Protocol):
    """A model that has learnt; one that aligns has `align(batch)` as well."""

    def predict(self, batch: "Batch", places: "Tensor", starts: "Tensor") -> Prediction:
        """Say how likely every word is in `places` of the target, given all that stands before.

        Both are [batch, places]; `starts` has the place at which the blank of each begins.
        """
