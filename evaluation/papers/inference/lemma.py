"""The lemma baseline.

References: section 4.1 of Levy and Dagan, 2016.
"""

from collections.abc import Sequence
from typing import ClassVar

from typing_extensions import override

from ...model import RunContext
from .model import InferenceModel, Scores
from .task import Pair
from .words import relation, swapped


class Lemma(InferenceModel):
    """The same words: all content of the hypothesis, a verb, voice and negation that agree."""

    name: ClassVar = "lemma"

    @override
    def scores(self, pairs: Sequence[Pair], job: RunContext) -> Scores:
        return [1.0 if all(features(pair)) else None for pair in pairs]


def features(pair: Pair) -> tuple[bool, bool, bool, bool]:
    """Content contained, a verb shared, voice as the arguments' order, negation the same."""
    premise, hypothesis = relation(pair.premise.relation), relation(pair.hypothesis.relation)
    changed = swapped(pair)
    return (
        hypothesis.content <= premise.content,
        not hypothesis.verbs.isdisjoint(premise.verbs),
        changed is not None and changed == (premise.passive != hypothesis.passive),
        premise.negated == hypothesis.negated,
    )
