"""Noise: paths of true facts about the same people that do not help to answer.

References: section 3.3.2 of the CLUTRR thesis names the three kinds.
"""

from typing import Final

from ....kb.worlds.scene import Scene, members
from ....seed import Stream
from .chain import Chainer, Tally

STRANGERS = {"supporting": -1, "irrelevant": 0, "disconnected": 1}
"""How many more people than facts a path brings into the story."""

_TRIES: Final = 100


def supporting(
    chainer: Chainer,
    chain: list[int],
    spared: int,
    taken: int,
    lengths: list[int],
    stream: Stream,
    tally: Tally,
) -> list[int] | None:
    """Another way between two people of the chain, at least as long as the stretch it spares.

    So the two people asked about are no nearer to each other than without it. Somebody of the
    chain is spared as long as there are other ways.
    """
    between = chainer.scene.between
    for number in range(_TRIES):
        length = lengths[stream.below(len(lengths))]
        span = 1 + stream.below(min(length, len(chain) - 2))
        start = stream.below(len(chain) - span)
        x, y = chain[start], chain[start + span]
        if spared in (x, y) and number < _TRIES // 2:
            continue
        if between[x][y] >= 0 and chainer.middles(x, y) & ~taken:
            chained = chainer.derive(x, y, length, taken, stream, tally)
            if chained is not None:
                return chained.people
    # Luck did not have it: a story that has room for some way must get it.
    for n in range(1, len(chain)):
        if chainer.middles(chain[n - 1], chain[n]) & ~taken:
            shortest = min(lengths)
            chained = chainer.derive(chain[n - 1], chain[n], shortest, taken, stream, tally)
            if chained is not None:
                return chained.people
    return None


def irrelevant(
    scene: Scene, starts: list[int], taken: int, lengths: list[int], stream: Stream
) -> list[int] | None:
    """A path that leaves the chain at the first of these where it can, and never comes back."""
    wanted = list(lengths)
    stream.shuffle(wanted)
    for start in starts:
        for length in wanted:
            path = walk(scene, start, taken, length, stream)
            if path is not None:
                return path
    return None


def disconnected(scene: Scene, taken: int, lengths: list[int], stream: Stream) -> list[int] | None:
    """A path among people of whom nothing else is told."""
    strangers = members(~taken & ((1 << len(scene.gender)) - 1))
    stream.shuffle(strangers)
    wanted = list(lengths)
    stream.shuffle(wanted)
    for start in strangers:
        for length in wanted:
            path = walk(scene, start, taken | 1 << start, length, stream)
            if path is not None:
                return path
    return None


def room(chainer: Chainer, chain: list[int], taken: int) -> int:
    """Some people through whom a short supporting and a short irrelevant path fit, or 0."""
    near, free = chainer.scene.near, ~taken
    detours = chainer.detours(chain, taken)
    while detours:
        # The supporting path goes through this one; is there a way out through two others?
        detour = detours & -detours
        left = free & ~detour
        for end in (chain[0], chain[-1]):
            neighbours = near[end] & left
            while neighbours:
                neighbour = neighbours & -neighbours
                beyond = near[neighbour.bit_length() - 1] & left & ~neighbour
                if beyond:
                    return detour | neighbour | (beyond & -beyond)
                neighbours ^= neighbour
        detours ^= detour
    return 0


def walk(scene: Scene, start: int, taken: int, length: int, stream: Stream) -> list[int] | None:
    """A random path from somebody through people not taken; every way is tried before giving up."""
    if length == 0:
        return [start]
    neighbours = members(scene.near[start] & ~taken)
    stream.shuffle(neighbours)
    for neighbour in neighbours:
        rest = walk(scene, neighbour, taken | 1 << neighbour, length - 1, stream)
        if rest is not None:
            return [start, *rest]
    return None
