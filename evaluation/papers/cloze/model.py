"""Models of cloze tests: each learns from pairs, and then says how likely words are in blanks."""

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field
from typing_extensions import override

from ...model import FittedModel, Model, RunContext
from ...result import TrainingSummary
from ...task import Fold
from .task import Cloze

if TYPE_CHECKING:
    from torch import nn

    from .encoding import Encoded, Vocabulary
    from .prediction import Predictor


class ClozeModel(Model):
    """A model that fills blanks."""

    task: ClassVar[type[Cloze]] = Cloze

    longest: int = Field(
        50, ge=2, description="texts are cut to so many tokens, the start among them"
    )
    least: int = Field(2, ge=1, description="words that are rarer in training are unknown")

    @abstractmethod
    def learn(
        self, train: "Encoded", vocabulary: "Vocabulary", job: RunContext
    ) -> "tuple[Predictor, TrainingSummary]":
        """Learn from the training pairs, on the device that they are on."""

    @override
    def fit(self, fold: Fold[Any], job: RunContext) -> FittedModel:
        from .objective import fit

        return fit(self, fold, job)


class Network(ClozeModel):
    """A model that is trained by gradient descent."""

    learning_rate: float = Field(1e-3, gt=0, description="of Adam")
    temperature: float = Field(
        0.0, ge=0, description="of chances that answers are drawn by; 0: the likeliest word"
    )
    stages: ClassVar[tuple[str, ...]] = ("likelihood",)
    """What is minimised, one after another; the best epoch is one of the last stage."""

    @property
    @override
    def label(self) -> str:
        return f"{self.name}-t{self.temperature:g}" if self.temperature else self.name

    @abstractmethod
    def build(self, train: "Encoded", vocabulary: "Vocabulary") -> "nn.Module":
        """Make the module, a `Predictor` that has `loss(batch, stage)` as well."""

    def epochs(self, stage: str, most: int) -> int:
        """How many epochs a stage may take, of those that all may take."""
        return most

    @override
    def learn(
        self, train: "Encoded", vocabulary: "Vocabulary", job: RunContext
    ) -> "tuple[Predictor, TrainingSummary]":
        from .objective import trained

        return trained(self, train, vocabulary, job)

    @override
    def fit(self, fold: Fold[Any], job: RunContext) -> FittedModel:
        from .objective import fit

        return fit(self, fold, job, temperature=self.temperature)
