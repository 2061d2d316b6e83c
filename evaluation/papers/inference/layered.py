"""Methods that may come after the lemma baseline and after rules, and rules alone."""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from pydantic import Field
from typing_extensions import override

from ...model import RunContext
from .lemma import Lemma
from .model import Files, InferenceModel, Scores
from .rules import rule_scores
from .task import Pair


class Layered(InferenceModel):
    """A method that may come after the lemma baseline and after rules."""

    lemma: bool = Field(False, description="what the lemma baseline finds comes first")
    rules: Files = Field((), description="what these rule files find comes next; A,B for several")
    steps: int = Field(1, ge=1, le=4, description="at most so many of these rules in a row")
    least: float | None = Field(None, description="leave out rules with a lower score")

    @property
    @override
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

    @override
    def files(self) -> dict[str, Path]:
        rules = {f"rules[{place}]": path for place, path in enumerate(self.rules)}
        return rules | super().files()

    def own_scores(self, pairs: Sequence[Pair], job: RunContext) -> Scores | None:
        """What the method itself says, from 0 to 1; None where rules are all."""
        return None

    @override
    def scores(self, pairs: Sequence[Pair], job: RunContext) -> Scores:
        layers = [Lemma().scores(pairs, job)] if self.lemma else []
        if self.rules:
            layers.append(rule_scores(pairs, self.rules, steps=self.steps, least=self.least))
        own = self.own_scores(pairs, job)
        return union(layers if own is None else [*layers, own])


class RuleList(Layered):
    """Rules from files: PPDB, entailment graphs, any table of relations with scores."""

    name: ClassVar = "rule-list"

    rules: Files = Field(description="files of rules; A,B for several", min_length=1)


def union(layers: Sequence[Scores]) -> list[float | None]:
    """Scores from 0 to 1 of several methods as one: what an earlier method finds comes before.

    A pair has the score of the first method that finds it, raised by one for each method after.
    """
    last = len(layers) - 1
    return [
        next((last - place + score for place, score in enumerate(own) if score is not None), None)
        for own in zip(*layers, strict=True)
    ]
