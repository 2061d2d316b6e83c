"""Base class of methods of relation inference."""

from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, PlainSerializer
from typing_extensions import override

from ....kb.lexicon import wordnet
from ...model import FittedModel, Model, RunContext
from ...task import Fold, TaskRows
from .task import InferenceAnswer, InferencePair, InferenceTask

Scores = Sequence[float | None]
"""The score of each pair; None for pairs that are never predicted as implied."""


def _paths(value: object) -> object:
    if not isinstance(value, str):
        return value
    return tuple(Path(part.strip()) for part in value.split(",") if part.strip())


Files = Annotated[
    tuple[Path, ...],
    BeforeValidator(_paths, json_schema_input_type=str),
    PlainSerializer(lambda paths: [path.name for path in paths], list[str], when_used="json"),
]
"""Comma-separated paths; results store the file names, and the digests separately."""

File = Annotated[Path, PlainSerializer(lambda path: path.name, str, when_used="json")]


class InferenceModel(Model):
    """A method that scores whether a premise implies a hypothesis."""

    task: ClassVar[type[InferenceTask]] = InferenceTask
    learns: ClassVar = False
    random: ClassVar = False
    packages: ClassVar[tuple[str, ...]] = ()

    @property
    def decision_threshold(self) -> float:
        """The smallest score of a pair that counts as implied."""
        return getattr(self, "threshold", 0.0)

    @abstractmethod
    def scores(self, pairs: Sequence[InferencePair], job: RunContext) -> Scores:
        """Return a score for each pair; None if it is never predicted as implied."""

    @override
    def digests(self) -> dict[str, str]:
        return super().digests() | {"WordNet": wordnet.source().digest}

    @override
    def fit(self, fold: Fold[Any], job: RunContext) -> FittedModel:
        def answers(rows: TaskRows[Any]) -> list[InferenceAnswer]:
            scores = self.scores(rows.rows, job)
            return [
                InferenceAnswer(score, score is not None and score >= self.decision_threshold)
                for score in scores
            ]

        return FittedModel(answers)
