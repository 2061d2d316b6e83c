"""Methods of relation inference: each scores pairs, alone or after the lemma baseline and rules."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import BeforeValidator, Field, PlainSerializer

from ... import files
from ...errors import NotFound
from ..model import Model, Order, Outcome
from .curve import Scores, union
from .pairs import Pair


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


def _digest(path: Path) -> str:
    try:
        return files.digest(path)
    except OSError as error:
        raise NotFound(
            f"cannot read {str(path)!r}: {error.strerror}; name a file that is there"
        ) from None


@dataclass(frozen=True)
class Machine:
    """What to compute with."""

    device: str
    batch: int


class InferenceModel(Model):
    """A method that says how sure it is that a premise implies a hypothesis."""

    reads: ClassVar = "inferences"
    packages: ClassVar[tuple[str, ...]] = ()
    """Packages on whose versions the scores depend."""

    @classmethod
    def evaluate(cls, models: Sequence[Model], order: Order) -> Outcome:
        """Score every pair, and count by each score what would be right."""
        from .results import evaluate

        return evaluate([model for model in models if isinstance(model, InferenceModel)], order)

    @property
    def label(self) -> str:
        """What it is called in tables and figures."""
        return self.name

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that scores depend on."""
        return ()

    def digests(self) -> list[tuple[str, str]]:
        """The name and the sha256 of each source that scores depend on."""
        return [(path.name, _digest(path)) for path in self.files]

    @property
    def cut(self) -> float:
        """Pairs with such a score or a higher one are taken for implied."""
        return 0.0

    @abstractmethod
    def scores(self, pairs: Sequence[Pair], machine: Machine) -> Scores:
        """A score for each pair, None where it would never be taken for implied."""


class Layered(InferenceModel):
    """A method that may come after the lemma baseline and after rules."""

    lemma: bool = Field(False, description="what the lemma baseline finds comes first")
    rules: Files = Field((), description="what these rule files find comes next; A,B for several")
    steps: int = Field(1, ge=1, le=4, description="at most so many of these rules in a row")
    least: float | None = Field(None, description="leave out rules with a lower score")

    @property
    def label(self) -> str:
        """The parts, in their order."""
        rules = ",".join(path.stem for path in self.rules)
        steps = f" x{self.steps}" if self.steps > 1 else ""
        parts = ["lemma" * self.lemma, rules and rules + steps, self.own_label]
        return " + ".join(part for part in parts if part)

    @property
    def own_label(self) -> str:
        """What the method itself is called."""
        return ""

    @property
    def files(self) -> tuple[Path, ...]:
        """The files of rules."""
        return self.rules

    def own_scores(self, pairs: Sequence[Pair], machine: Machine) -> Scores | None:
        """What the method itself says, from 0 to 1; None where rules are all."""
        return None

    def scores(self, pairs: Sequence[Pair], machine: Machine) -> Scores:
        """The union, what comes first ranked first."""
        from .lemma import Lemma
        from .rules import rule_scores

        layers = [Lemma().scores(pairs, machine)] if self.lemma else []
        if self.rules:
            layers.append(rule_scores(pairs, self.rules, steps=self.steps, least=self.least))
        own = self.own_scores(pairs, machine)
        return union(layers if own is None else [*layers, own])
