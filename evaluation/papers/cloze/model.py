"""Base classes of cloze models: they learn from pairs and predict the words of blanks."""

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field
from typing_extensions import override

from ...model import FittedModel, Model, RunContext
from ...result import TrainingSummary
from ...task import Fold
from .task import ClozeTask

if TYPE_CHECKING:
    from torch import nn

    from .encoding import ClozeVocabulary, EncodedPairs, Predictor


class ClozeModel(Model):
    """A model that fills blanks."""

    task: ClassVar[type[ClozeTask]] = ClozeTask

    longest: int = Field(50, ge=2, description="maximum tokens of a text, with the start token")
    least: int = Field(2, ge=1, description="rarer words of training count as unknown")

    @abstractmethod
    def learn(
        self, train: "EncodedPairs", vocabulary: "ClozeVocabulary", job: RunContext
    ) -> "tuple[Predictor, TrainingSummary]":
        """Learn from the training pairs, on their device."""

    @override
    def fit(self, fold: Fold[Any], job: RunContext) -> FittedModel:
        from .objective import fit

        return fit(self, fold, job)


class ClozeNetwork(ClozeModel):
    """A model trained by gradient descent."""

    learning_rate: float = Field(1e-3, gt=0, description="of Adam")
    temperature: float = Field(0.0, ge=0, description="of sampling; 0: the most likely word")
    stages: ClassVar[tuple[str, ...]] = ("likelihood",)
    """Objectives that are minimised in turn; the best epoch is one of the last stage."""

    @property
    @override
    def label(self) -> str:
        return f"{self.name}-t{self.temperature:g}" if self.temperature else self.name

    @abstractmethod
    def build(self, train: "EncodedPairs", vocabulary: "ClozeVocabulary") -> "nn.Module":
        """Make the module, a `Predictor` that also has `loss(batch, stage)`."""

    def epochs(self, stage: str, most: int) -> int:
        """Return the maximum number of epochs of a stage, given that of all."""
        return most

    @override
    def learn(
        self, train: "EncodedPairs", vocabulary: "ClozeVocabulary", job: RunContext
    ) -> "tuple[Predictor, TrainingSummary]":
        from .objective import train_network

        return train_network(self, train, vocabulary, job)
