"""The lemma baseline.

References: section 4.1 of Levy and Dagan, 2016.
"""

from collections.abc import Sequence
from typing import ClassVar

from typing_extensions import override

from ...model import RunContext
from .model import InferenceModel, Scores
from .task import InferencePair
from .words import analyse, arguments_swapped


class Lemma(InferenceModel):
    """The same words: the hypothesis' content words, a verb, and the same voice and negation."""

    name: ClassVar = "lemma"

    @override
    def scores(self, pairs: Sequence[InferencePair], job: RunContext) -> Scores:
        return [1.0 if all(features(pair)) else None for pair in pairs]


def features(pair: InferencePair) -> tuple[bool, bool, bool, bool]:
    """Return whether content, verb, voice (given the order of arguments) and negation agree."""
    premise, hypothesis = analyse(pair.premise.relation), analyse(pair.hypothesis.relation)
    changed = arguments_swapped(pair)
    return (
        hypothesis.content <= premise.content,
        not hypothesis.verbs.isdisjoint(premise.verbs),
        changed is not None and changed == (premise.passive != hypothesis.passive),
        premise.negated == hypothesis.negated,
    )
