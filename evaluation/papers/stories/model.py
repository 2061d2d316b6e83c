"""Base classes of story models: networks, and baselines without a training loop."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field
from typing_extensions import override

from ...model import FittedModel, Model, RunContext
from ...task import Fold
from .task import StoryRow, StoryTask

if TYPE_CHECKING:
    from torch import nn

    from .encoding import Sizes


class StoryModel(Model):
    """A model that answers relation questions about stories."""

    task: ClassVar[type[StoryTask]] = StoryTask


class StoryNetwork(StoryModel):
    """A neural model; subclasses build the module."""

    learning_rate: float = Field(1e-3, gt=0, description="of Adam")

    @abstractmethod
    def build(self, sizes: "Sizes") -> "nn.Module":
        """Make the module; it maps a `StoryBatch` to a score for each target."""

    @override
    def fit(self, fold: Fold[Any], job: RunContext) -> FittedModel:
        from .objective import fit_network

        return fit_network(self.build, self.learning_rate, fold, job)


class StoryBaseline(StoryModel):
    """A baseline without a training loop."""

    baseline: ClassVar = True
    random: ClassVar = False

    @abstractmethod
    def predict(self, train: Sequence[StoryRow], test: Sequence[StoryRow]) -> list[str]:
        """Return an answer for each test row; empty if there is none."""

    @override
    def fit(self, fold: Fold[Any], job: RunContext) -> FittedModel:
        train = fold.train.rows if fold.train else []
        return FittedModel(lambda rows: self.predict(train, rows.rows))
