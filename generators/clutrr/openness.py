"""What chains begin and end with, so that their ends tell as little as can be of the answer.

Something is told of either of the two people asked about, and it goes with some answers and not
with others: a chain that ends with somebody's niece gives a niece or a granddaughter. Whoever knows
that need not read what stands between. So chains rather begin and end with what leaves much open.
"""

from functools import cache

from ...kb.rules import Rules
from ...kb.scene import members


class Openness:
    """For each predicate how readily a chain of k facts begins and ends with it.

    That is the square of the number of answers which the chain can have then.
    """

    __slots__ = ("first", "last")

    def __init__(self, rules: Rules, k: int) -> None:
        self.first = [0.0] * len(rules.predicates)
        self.last = [0.0] * len(rules.predicates)
        for place, counts in enumerate((self.first, self.last)):
            outer = _outer(rules, place)
            for answer in rules.concluded:
                for predicate in members(_outermost(outer, answer, k)):
                    counts[predicate] += 1
        for counts in (self.first, self.last):
            for predicate, count in enumerate(counts):
                counts[predicate] = count * count


@cache
def openness(rules: Rules, k: int) -> Openness:
    """That of chains of k facts, found out once."""
    return Openness(rules, k)


def _outer(rules: Rules, place: int) -> list[int]:
    """For each predicate what two facts that give it can begin with, or end with; a set each."""
    outer: list[int] = []
    for bodies in rules.bodies:
        some = 0
        for body in bodies:
            some |= 1 << body[place]
        outer.append(some)
    return outer


def _outermost(outer: list[int], answer: int, k: int) -> int:
    """What k facts with this answer can begin with, or end with, as a set."""
    found = edge = 1 << answer
    for _ in range(k - 1):
        grown = 0
        for predicate in members(edge):
            grown |= outer[predicate]
        edge = grown & ~found
        found |= edge
    return found
