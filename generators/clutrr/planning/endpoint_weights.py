"""What chains begin and end with, so that their ends tell as little as can be of the answer.

Something is told of either of the two people asked about, and it goes with some answers and not
with others: a chain that ends with somebody's niece gives a niece or a granddaughter. Whoever knows
that need not read what stands between. So chains rather begin and end with what leaves much open.
"""

from functools import cache

from ....kb.worlds.rules import Rules
from ....kb.worlds.scene import members


class Openness:
    """For each predicate how readily a chain of k facts begins and ends with it.

    That is the square of the number of answers which the chain can have then.
    """

    __slots__ = ("first", "last")

    def __init__(self, first: list[float], last: list[float]) -> None:
        self.first, self.last = first, last


@cache
def openness(rules: Rules, k: int) -> Openness:
    """That of chains of k facts, found out once."""
    first, last = _edges(rules, 0, k), _edges(rules, 1, k)
    if k > 1 and not first.grown and not last.grown:
        return openness(rules, k - 1)
    return Openness(first.squares(rules), last.squares(rules))


class _Edges:
    """What chains with each answer can begin with, or end with, as sets.

    `grown` has those of these that shorter chains cannot, where there are any.
    """

    __slots__ = ("every", "grown")

    def __init__(self, every: dict[int, int], grown: dict[int, int]) -> None:
        self.every, self.grown = every, grown

    def squares(self, rules: Rules) -> list[float]:
        """For each predicate the square of the number of answers that it leaves open."""
        counts = [0] * len(rules.predicates)
        for some in self.every.values():
            for predicate in members(some):
                counts[predicate] += 1
        return [float(count * count) for count in counts]


@cache
def _edges(rules: Rules, place: int, k: int) -> _Edges:
    """What k facts can begin with, where the place is 0, or end with."""
    if k == 1:
        alone = {answer: 1 << answer for answer in rules.concluded}
        return _Edges(alone, alone)
    shorter, outer = _edges(rules, place, k - 1), _outer(rules, place)
    every = shorter.every.copy()
    grown: dict[int, int] = {}
    for answer, edge in shorter.grown.items():
        further = 0
        for predicate in members(edge):
            further |= outer[predicate]
        further &= ~every[answer]
        if further:
            every[answer] |= further
            grown[answer] = further
    return _Edges(every, grown)


@cache
def _outer(rules: Rules, place: int) -> list[int]:
    """For each predicate what two facts that give it can begin with, or end with; a set each."""
    outer: list[int] = []
    for bodies in rules.bodies:
        some = 0
        for body in bodies:
            some |= 1 << body[place]
        outer.append(some)
    return outer
