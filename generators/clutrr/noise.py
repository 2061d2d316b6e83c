"""Noise: paths of true facts about the same family that do not help to answer.

References: section 3.3.2 of the CLUTRR thesis names the three kinds.
"""

from ...seed import Stream
from .chain import Chainer, Fact
from .family import Kin, members

_TRIES = 100


def supporting(
    chainer: Chainer, kin: Kin, facts: list[Fact], taken: int, lengths: list[int], stream: Stream
) -> list[Fact] | None:
    """Another way between two people of the main path, at least as long as the stretch it spares.

    So the two people asked about are no nearer to each other than without it.
    """
    people = [facts[0][0], *(y for _, _, y in facts)]
    for _ in range(_TRIES):
        length = stream.choice(lengths)
        span = 1 + stream.below(min(length, len(facts) - 1))
        start = stream.below(len(people) - span)
        x, y = people[start], people[start + span]
        predicate = kin.between.get((x, y))
        if predicate is not None:
            found = chainer.derive(kin, (x, predicate, y), length, taken, stream)
            if found is not None:
                return found.facts
    return None


def irrelevant(
    kin: Kin, ends: list[int], taken: int, lengths: list[int], stream: Stream
) -> list[Fact] | None:
    """A path that leaves the main path at one of the given people and never comes back."""
    starts = list(ends)
    stream.shuffle(starts)
    wanted = list(lengths)
    stream.shuffle(wanted)
    for start in starts:
        for length in wanted:
            found = _walk(kin, start, taken, length, stream)
            if found is not None:
                return found
    return None


def disconnected(kin: Kin, taken: int, lengths: list[int], stream: Stream) -> list[Fact] | None:
    """A path among people of whom nothing else is told."""
    strangers = members(~taken & ((1 << len(kin.male)) - 1))
    stream.shuffle(strangers)
    wanted = list(lengths)
    stream.shuffle(wanted)
    for start in strangers:
        for length in wanted:
            found = _walk(kin, start, taken | 1 << start, length, stream)
            if found is not None:
                return found
    return None


def has_way_out(kin: Kin, ends: list[int], taken: int) -> bool:
    """Whether somebody free is two facts away from an end, through somebody free."""
    return any(
        kin.near[person] & ~taken & ~(1 << person)
        for end in ends
        for person in members(kin.near[end] & ~taken)
    )


def _walk(kin: Kin, start: int, taken: int, length: int, stream: Stream) -> list[Fact] | None:
    """A random path from somebody through people not taken; every way is tried before giving up."""
    if length == 0:
        return []
    ways = [
        (predicate, other)
        for predicate, others in enumerate(kin.related[start])
        for other in members(others & ~taken)
    ]
    stream.shuffle(ways)
    for predicate, other in ways:
        rest = _walk(kin, other, taken | 1 << other, length - 1, stream)
        if rest is not None:
            return [(start, predicate, other), *rest]
    return None
