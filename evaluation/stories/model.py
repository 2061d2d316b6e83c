"""Models of stories: networks that are trained, and guessers that need no training loop."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from ..model import Model, Order, Outcome
from .rows import Story

if TYPE_CHECKING:
    from torch import nn

    from .encoding import Sizes


class StoryModel(Model):
    """A model that answers who is what to whom."""

    reads: ClassVar = "stories"

    @classmethod
    def evaluate(cls, models: Sequence[Model], order: Order) -> Outcome:
        """Train on one split, test on others, by k, over several seeds."""
        from .results import evaluate

        return evaluate([model for model in models if isinstance(model, StoryModel)], order)


class Network(StoryModel):
    """A model that is trained."""

    @abstractmethod
    def build(self, sizes: "Sizes") -> "nn.Module":
        """Make the module; it maps a `Batch` to a score for each target."""


class Guesser(StoryModel):
    """A model that needs no training loop."""

    @abstractmethod
    def guess(self, train: Sequence[Story], test: Sequence[Story]) -> list[str]:
        """Answer the test's questions."""
