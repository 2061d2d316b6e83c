"""Facts cut into strands: paths of people that sentences follow, whatever is asked."""

from ....seed import Stream
from .matching import Link

Strand = tuple[list[int], list[int]]
"""People from one end to the other, and the numbers of the facts between them."""


def strands(facts: list[Link], stream: Stream) -> list[Strand]:
    """All facts of a tree, each in one strand, drawn so that no fact is told apart from another."""
    beside: dict[int, list[int]] = {}
    for number, (x, _, y) in enumerate(facts):
        beside.setdefault(x, []).append(number)
        beside.setdefault(y, []).append(number)
    left = list(range(len(facts)))
    stream.shuffle(left)
    told: list[Strand] = []
    for first in left:
        x, _, y = facts[first]
        if first not in beside[x]:
            continue
        beside[x].remove(first)
        beside[y].remove(first)
        people, numbers = ([x, y] if stream.random() < 0.5 else [y, x]), [first]
        for _ in range(2):
            while beside[people[-1]]:
                person = people[-1]
                further = beside[person]
                number = further.pop(stream.below(len(further)))
                x, _, y = facts[number]
                person = y if person == x else x
                beside[person].remove(number)
                people.append(person)
                numbers.append(number)
            people.reverse()
            numbers.reverse()
        told.append((people, numbers))
    return told
