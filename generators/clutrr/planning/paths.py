"""Partition of a story's facts into paths that its sentences follow, whatever the query is."""

from ....seed import Stream
from .matching import IndexedFact

FactPath = tuple[list[int], list[int]]
"""People from one end to the other, and the numbers of the facts between them."""


def partition_into_paths(facts: list[IndexedFact], stream: Stream) -> list[FactPath]:
    """Partition the facts of a tree into random paths, all facts treated alike."""
    facts_of: dict[int, list[int]] = {}
    for number, (x, _, y) in enumerate(facts):
        facts_of.setdefault(x, []).append(number)
        facts_of.setdefault(y, []).append(number)
    order = list(range(len(facts)))
    stream.shuffle(order)
    paths: list[FactPath] = []
    for first in order:
        x, _, y = facts[first]
        if first not in facts_of[x]:
            continue
        facts_of[x].remove(first)
        facts_of[y].remove(first)
        people, numbers = ([x, y] if stream.random() < 0.5 else [y, x]), [first]
        for _ in range(2):  # extend one end, then the other
            while facts_of[people[-1]]:
                person = people[-1]
                unused = facts_of[person]
                number = unused.pop(stream.below(len(unused)))
                x, _, y = facts[number]
                person = y if person == x else x
                facts_of[person].remove(number)
                people.append(person)
                numbers.append(number)
            people.reverse()
            numbers.reverse()
        paths.append((people, numbers))
    return paths
