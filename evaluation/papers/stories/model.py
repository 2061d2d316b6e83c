"""Models of stories: networks that are trained, and guessers that need no training loop."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field
from typing_extensions import override

from ...model import FittedModel, Model, RunContext
from ...task import Fold
from .task import Stories, Story

if TYPE_CHECKING:
    from torch import nn

    from .encoding import Sizes


class StoryModel(Model):
    """A model that answers who is what to whom."""

    task: ClassVar[type[Stories]] = Stories


class Network(StoryModel):
    """A model that is trained."""

    learning_rate: float = Field(1e-3, gt=0, description="of Adam")

    @abstractmethod
    def build(self, sizes: "Sizes") -> "nn.Module":
        """Make the module; it maps a `Batch` to a score for each target."""

    @override
    def fit(self, fold: Fold[Any], job: RunContext) -> FittedModel:
        from .objective import learn

        return learn(self.build, self.learning_rate, fold, job)


class Guesser(StoryModel):
    """A model that needs no training loop."""

    random: ClassVar = False

    @abstractmethod
    def guess(self, train: Sequence[Story], test: Sequence[Story]) -> list[str]:
        """Answer the test's questions."""

    @override
    def fit(self, fold: Fold[Any], job: RunContext) -> FittedModel:
        train = fold.train.rows if fold.train else []
        return FittedModel(lambda rows: self.guess(train, rows.rows))
