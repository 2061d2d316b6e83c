"""Noise: paths of true facts about the same scene that do not help to answer.

References: section 3.3.2 of the CLUTRR thesis names the three kinds.
"""

from typing import Final

from ....kb.worlds.rules import RuleIndex
from ....kb.worlds.scene import Scene, members
from ....kb.worlds.world import World
from ....seed import Stream
from ..story import IndexedFact
from .chain import Chainer, ChainSampling, random_path
from .end_balance import ANY

_MAX_ATTEMPTS: Final = 100


def sample_supporting(
    chainer: Chainer,
    chain: list[int],
    spared: list[int],
    used: int,
    lengths: list[int],
    sampling: ChainSampling,
) -> list[int] | None:
    """Sample another path between two people of the chain, not shorter than the chain there.

    So the people of the query are no nearer to each other than without it. The people `spared` are
    avoided as ends in the first half of the attempts. None if there is no such path.
    """
    between, stream = chainer.scene.between, sampling.stream
    for attempt in range(_MAX_ATTEMPTS):
        length = lengths[stream.below(len(lengths))]
        span = 1 + stream.below(max(1, min(length, len(chain) - 2)))
        start = stream.below(len(chain) - span)
        x, y = chain[start], chain[start + span]
        if attempt < _MAX_ATTEMPTS // 2 and (x in spared or y in spared):
            continue
        if between[x][y] >= 0 and chainer.intermediates(x, y) & ~used:
            path = chainer.sample_chain(x, y, length, used, sampling)
            if path is not None:
                return path.people
    # A story that has room for some path must get it: try all places with the shortest length.
    for n in range(1, len(chain)):
        if chainer.intermediates(chain[n - 1], chain[n]) & ~used:
            path = chainer.sample_chain(chain[n - 1], chain[n], min(lengths), used, sampling)
            if path is not None:
                return path.people
    return None


def sample_irrelevant(
    scene: Scene, starts: list[int], used: int, lengths: list[int], stream: Stream
) -> list[int] | None:
    """Sample a path that leaves the chain at the first possible start and does not come back."""
    shuffled = list(lengths)
    stream.shuffle(shuffled)
    for start in starts:
        for length in shuffled:
            path = random_path(scene, start, used | 1 << start, [ANY] * length, stream)
            if path is not None:
                return path
    return None


def sample_disconnected(
    scene: Scene, used: int, lengths: list[int], stream: Stream
) -> list[int] | None:
    """Sample a path among unused people."""
    unused = members(~used & ((1 << len(scene.gender)) - 1))
    stream.shuffle(unused)
    return sample_irrelevant(scene, unused, used, lengths, stream)


def noise_room(chainer: Chainer, chain: list[int], used: int) -> int:
    """Return people through whom a short supporting and a short irrelevant path fit, or 0."""
    near, free = chainer.scene.neighbors, ~used
    detours = chainer.detours(chain, used)
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


class Bridges:
    """The facts that join the scene of a story with another, by numbers of predicates."""

    def __init__(self, world: World, rules: RuleIndex) -> None:
        bridge = world.story_spec.bridge
        assert bridge is not None
        number, self.inverse = rules.number, rules.inverse
        self.predicates = [number[name] for name in bridge.predicates]
        self.x_has = {number[name] for name in bridge.x_has}
        self.y_has = {number[name] for name in bridge.y_has}
        self.is_gendered = bool(world.genders)

    def joints(self, facts: list[IndexedFact]) -> list[int]:
        """Return the people of whom these facts state only what x of a bridge may have."""
        free: dict[int, bool] = {}
        for x, predicate, y in facts:
            free[x] = free.get(x, True) and predicate in self.x_has
            free[y] = free.get(y, True) and self.inverse[predicate] in self.x_has
        return [person for person, is_free in free.items() if is_free]

    def ends(self, scene: Scene) -> tuple[int, int]:
        """Return all of a scene who may be x of a bridge, whatever is stated, and who may be y."""
        return _having_only(scene, self.x_has), _having_only(scene, self.y_has)


def _having_only(scene: Scene, predicates: set[int]) -> int:
    """Return the people of a scene who are related by these predicates only, as a bitmask."""
    people = 0
    for person, related in enumerate(scene.related):
        if all(n in predicates for n, among in enumerate(related) if among):
            people |= 1 << person
    return people
