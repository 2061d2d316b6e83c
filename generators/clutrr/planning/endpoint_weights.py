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

    __slots__ = ("first", "last")

    def __init__(self, first: list[float], last: list[float]) -> None:
        self.first, self.last = first, last


@cache
def endpoint_weights(rules: RuleIndex, k: int) -> EndpointWeights:
    """Return the weights for chains of k facts."""
    first, last = _end_predicates(rules, 0, k), _end_predicates(rules, 1, k)
    if k > 1 and not first.new and not last.new:
        return endpoint_weights(rules, k - 1)
    return EndpointWeights(first.weights(rules), last.weights(rules))


class _EndPredicates:
    """By answer, the predicates that chains can begin (or end) with, as bitmasks.

    `new` has those of them that no shorter chain has.
    """

    __slots__ = ("by_answer", "new")

    def __init__(self, by_answer: dict[int, int], new: dict[int, int]) -> None:
        self.by_answer, self.new = by_answer, new

    def weights(self, rules: RuleIndex) -> list[float]:
        counts = [0] * len(rules.predicates)
        for predicates in self.by_answer.values():
            for predicate in members(predicates):
                counts[predicate] += 1
        return [float(count * count) for count in counts]


@cache
def _end_predicates(rules: RuleIndex, place: int, k: int) -> _EndPredicates:
    """Return what chains of k facts can begin with (place 0) or end with (place 1)."""
    if k == 1:
        alone = {answer: 1 << answer for answer in rules.head_predicates}
        return _EndPredicates(alone, alone)
    shorter, outer = _end_predicates(rules, place, k - 1), _outer_premises(rules, place)
    by_answer = shorter.by_answer.copy()
    new: dict[int, int] = {}
    for answer, ends in shorter.new.items():
        further = 0
        for predicate in members(ends):
            further |= outer[predicate]
        further &= ~by_answer[answer]
        if further:
            by_answer[answer] |= further
            new[answer] = further
    return _EndPredicates(by_answer, new)


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
