"""Methods that can be combined with the lemma baseline and with rules, and rules alone."""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from pydantic import Field
from typing_extensions import override

from ...model import RunContext
from .lemma import Lemma
from .model import Files, InferenceModel, Scores
from .rules import rule_scores
from .task import InferencePair


class LayeredModel(InferenceModel):
    """A method that can be applied after the lemma baseline and after rules."""

    lemma: bool = Field(False, description="apply the lemma baseline first")
    rules: Files = Field((), description="rule files to apply next; A,B for several")
    steps: int = Field(1, ge=1, le=4, description="maximum length of a chain of rules")
    least: float | None = Field(None, description="leave out rules with a lower score")

    @property
    @override
    def label(self) -> str:
        rules = ",".join(path.stem for path in self.rules)
        steps = f" x{self.steps}" if self.steps > 1 else ""
        parts = ["lemma" * self.lemma, rules and rules + steps, self.own_label]
        return " + ".join(part for part in parts if part)

    @property
    def own_label(self) -> str:
        """The name of the method itself."""
        return ""

    @override
    def files(self) -> dict[str, Path]:
        rules = {f"rules[{place}]": path for place, path in enumerate(self.rules)}
        return rules | super().files()

    def own_scores(self, pairs: Sequence[InferencePair], job: RunContext) -> Scores | None:
        """Return the method's own scores from 0 to 1; None if it has only rules."""
        return None

    @override
    def scores(self, pairs: Sequence[InferencePair], job: RunContext) -> Scores:
        layers = [Lemma().scores(pairs, job)] if self.lemma else []
        if self.rules:
            layers.append(rule_scores(pairs, self.rules, steps=self.steps, least=self.least))
        own = self.own_scores(pairs, job)
        return combine_scores(layers if own is None else [*layers, own])


class RuleList(LayeredModel):
    """Rules from files: entailment graphs, or any table of relations with scores."""

    name: ClassVar = "rule-list"

    rules: Files = Field(description="files of rules; A,B for several", min_length=1)


def combine_scores(layers: Sequence[Scores]) -> list[float | None]:
    """Combine scores from 0 to 1 of several methods; pairs found by earlier methods rank higher.

    A pair has the score of the first method that finds it, plus one for each later method.
    """
    last = len(layers) - 1
    return [
        next((last - place + score for place, score in enumerate(own) if score is not None), None)
        for own in zip(*layers, strict=True)
    ]
