"""Models of stories: networks that are trained, and guessers that need no training loop."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from ..model import Model
from .rows import Story

if TYPE_CHECKING:
    from torch import nn

    from .encoding import Sizes


class StoryModel(Model):
    """A model that answers who is what to whom."""

    reads: ClassVar = "stories"
    runner: ClassVar = "relsmith.evaluation.stories.runner:evaluate"


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
