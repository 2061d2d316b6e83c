"""Methods of relation inference: each scores pairs, alone or after the lemma baseline and rules."""

from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, PlainSerializer
from typing_extensions import override

from ....kb.lexicon import wordnet
from ...model import FittedModel, Model, RunContext
from ...task import Fold, TaskRows
from .task import Answer, Inferences, Pair

Scores = Sequence[float | None]
"""How sure a method is that each pair is implied; None where it would never say so."""


def _paths(value: object) -> object:
    if not isinstance(value, str):
        return value
    return tuple(Path(part.strip()) for part in value.split(",") if part.strip())


Files = Annotated[
    tuple[Path, ...],
    BeforeValidator(_paths, json_schema_input_type=str),
    PlainSerializer(lambda paths: [path.name for path in paths], list[str], when_used="json"),
]
"""Paths with commas between them; results name the files alone, and their digests apart."""

File = Annotated[Path, PlainSerializer(lambda path: path.name, str, when_used="json")]


class InferenceModel(Model):
    """A method that says how sure it is that a premise implies a hypothesis."""

    task: ClassVar[type[Inferences]] = Inferences
    learns: ClassVar = False
    random: ClassVar = False
    packages: ClassVar[tuple[str, ...]] = ()

    @property
    def cut(self) -> float:
        """Pairs with such a score or a higher one are taken for implied."""
        return 0.0

    @abstractmethod
    def scores(self, pairs: Sequence[Pair], job: RunContext) -> Scores:
        """A score for each pair, None where it would never be taken for implied."""

    @override
    def digests(self) -> dict[str, str]:
        return super().digests() | {"WordNet": wordnet.source().digest}

    @override
    def fit(self, fold: Fold[Any], job: RunContext) -> FittedModel:
        def answers(rows: TaskRows[Any]) -> list[Answer]:
            scores = self.scores(rows.rows, job)
            return [Answer(score, score is not None and score >= self.cut) for score in scores]

        return FittedModel(answers)
