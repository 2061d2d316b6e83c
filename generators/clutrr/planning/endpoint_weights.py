"""Weights for the first and last predicate of a chain, so that these reveal little of the answer.

The end facts go with some answers and not with others: a chain that ends with somebody's niece
gives a niece or a granddaughter. A reader who knows that need not read the facts in between, so
chains preferably begin and end with predicates that are compatible with many answers.
"""

from functools import cache

from ....kb.worlds.rules import RuleIndex
from ....kb.worlds.scene import members


class EndpointWeights:
    """Weights of each predicate as the first and as the last of a chain of k facts.

    A weight is the square of the number of answers that such a chain can have.
    """

    def __init__(self, first: list[float], last: list[float]) -> None:
        self.first, self.last = first, last


@cache
def endpoint_weights(rules: RuleIndex, k: int) -> EndpointWeights:
    """Return the weights for chains of k facts."""
    return EndpointWeights(_weights(rules, _ends(rules, 0, k)), _weights(rules, _ends(rules, 1, k)))


def _weights(rules: RuleIndex, ends_by_answer: list[int]) -> list[float]:
    counts = [0.0] * len(rules.predicates)
    for ends in ends_by_answer:
        for predicate in members(ends):
            counts[predicate] += 1
    return [count * count for count in counts]


@cache
def _ends(rules: RuleIndex, place: int, k: int) -> list[int]:
    """Return for each answer the predicates that chains of k facts can begin with, as a bitmask.

    With place 1: those that they can end with.
    """
    if k == 1:
        return [1 << answer for answer in sorted(rules.head_predicates)]
    shorter, outer = _ends(rules, place, k - 1), _outer_premises(rules, place)
    if k > 2 and shorter is _ends(rules, place, k - 2):
        return shorter
    longer: list[int] = []
    for ends in shorter:
        reached = ends
        for predicate in members(ends):
            reached |= outer[predicate]
        longer.append(reached)
    return shorter if longer == shorter else longer


@cache
def _outer_premises(rules: RuleIndex, place: int) -> list[int]:
    """Return for each predicate the first (or second) premises of its rules, as a bitmask."""
    outer: list[int] = []
    for bodies in rules.bodies:
        premises = 0
        for body in bodies:
            premises |= 1 << body[place]
        outer.append(premises)
    return outer
