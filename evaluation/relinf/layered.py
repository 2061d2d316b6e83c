"""Methods that may come after the lemma baseline and after rules, and rules alone."""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from .curve import Scores, union
from .lemma import Lemma
from .model import Files, InferenceModel, Machine
from .pairs import Pair
from .rules import rule_scores


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
        layers = [Lemma().scores(pairs, machine)] if self.lemma else []
        if self.rules:
            layers.append(rule_scores(pairs, self.rules, steps=self.steps, least=self.least))
        own = self.own_scores(pairs, machine)
        return union(layers if own is None else [*layers, own])


class RuleList(Layered):
    """Rules from files: PPDB, entailment graphs, any table of relations with scores."""

    name: ClassVar = "rule-list"

    rules: Files = Field(description="files of rules; A,B for several", min_length=1)
