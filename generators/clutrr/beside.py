"""Facts told beside those that are needed, so that nobody knows the question from the story.

Each brings one more person. It forks off a chain of k facts or goes on from it, so that the story
has another chain of k facts with another answer: the one that is asked about is no end of anything,
and not the only one. Further facts grow from any such chain alike.
"""

from ...kb.scene import members
from ...seed import Stream
from .chain import Chainer

Fork = tuple[int, int, bool]
"""Somebody of the story, who is new, and whether the fact runs from the first to the new one."""


class _Pair:
    """Two people k facts apart, those between them, and what all but an end facts give, or -1."""

    __slots__ = ("left", "people", "right")

    def __init__(self, people: list[int], left: int, right: int) -> None:
        self.people, self.left, self.right = people, left, right


class Beside:
    """Draws at most so many facts; `both_ways` says that either of two may be asked about."""

    def __init__(self, count: int, both_ways: bool, stream: Stream) -> None:
        self.count, self.both_ways, self.stream = count, both_ways, stream

    def draw(self, chainer: Chainer, chain: list[int], taken: int, answer: int) -> list[Fork]:
        """Facts beside a chain, the most useful first; below 0, its answer is open.

        There are none where every question that could be asked had the same answer.
        """
        scene, rules = chainer.scene, chainer.rules
        forks: list[Fork] = []
        if not self.count:
            return forks
        male = scene.male
        codes: set[int] = set()
        several = answer < 0
        if answer >= 0:
            codes.add(_code(answer, male[chain[-1]]))
            if self.both_ways:
                codes.add(_code(rules.inverse[answer], male[chain[0]]))
                several = len(codes) > 1
        pairs = [_pair(chainer, chain)]
        core = chain.copy()
        free = ~taken
        while len(forks) < self.count:
            pair = pairs[self.stream.below(len(pairs))]
            fork = self._fork(chainer, pair, free, codes, pairs)
            if fork is not None:
                several = True
            elif several:
                fork = self._anywhere(chainer, core, free)
            if fork is None:
                break
            forks.append(fork)
            core.append(fork[1])
            free &= ~(1 << fork[1])
        return forks

    def _fork(
        self, chainer: Chainer, pair: _Pair, free: int, codes: set[int], pairs: list[_Pair]
    ) -> Fork | None:
        """A fact that gives another pair, and another answer for it."""
        people, spots = pair.people, [0, 1, 2, 3]
        self.stream.shuffle(spots)
        for spot in spots:
            # It takes the place of an end, or goes on from the one and lets the other fall.
            if spot == 0:
                new = self._new(chainer, people[0], people[-2], pair.left, True, free, codes)
                path = [*people[:-1], new]
            elif spot == 1:
                new = self._new(chainer, people[1], people[-1], pair.right, True, free, codes)
                path = [*people[1:], new]
            elif spot == 2:
                new = self._new(chainer, people[-1], people[1], pair.right, False, free, codes)
                path = [new, *people[1:]]
            else:
                new = self._new(chainer, people[-2], people[0], pair.left, False, free, codes)
                path = [new, *people[:-1]]
            if new >= 0:
                pairs.append(_pair(chainer, path))
                outward = spot < 2
                return path[-2] if outward else path[1], new, outward
        return None

    def _new(
        self,
        chainer: Chainer,
        start: int,
        end: int,
        given: int,
        outward: bool,
        free: int,
        codes: set[int],
    ) -> int:
        """Who can come after the end so that there is an answer from the start on, or -1.

        Where it is not outward, who can come before it, with an answer back to the start.
        """
        if given < 0:
            return -1
        rules, stream = chainer.rules, self.stream
        related, male = chainer.scene.related, chainer.scene.male
        ways = rules.onward[given] if outward else rules.backward[given]
        first = stream.below(len(ways)) if ways else 0
        for number in range(len(ways)):
            link, head = ways[(first + number) % len(ways)]
            back = rules.inverse[head]
            if outward:
                among = related[end][link] & related[start][head] & free
            elif back < 0 or rules.inverse[link] < 0:
                continue
            else:
                among = related[end][rules.inverse[link]] & related[start][back] & free
            if among:
                several = members(among)
                new = several[stream.below(len(several))]
                code = _code(head, male[new if outward else start])
                other = _code(back, male[start if outward else new])
                if code not in codes and not (self.both_ways and other in codes):
                    codes.add(code)
                    codes.add(other if self.both_ways else code)
                    return new
        return -1

    def _anywhere(self, chainer: Chainer, core: list[int], free: int) -> Fork | None:
        """A fact about anyone of the story."""
        stream, near = self.stream, chainer.scene.near
        first = stream.below(len(core))
        for number in range(len(core)):
            person = core[(first + number) % len(core)]
            among = members(near[person] & free)
            if among:
                return person, among[stream.below(len(among))], stream.random() < 0.5
        return None


def _code(predicate: int, male: bool) -> int:
    """An answer, as a number."""
    return 2 * predicate + male


def _pair(chainer: Chainer, people: list[int]) -> _Pair:
    between, rules = chainer.scene.between, chainer.rules
    clause = tuple([between[people[n - 1]][people[n]] for n in range(1, len(people))])
    chart = rules.chart(clause)
    if chart is None:
        return _Pair(people, -1, -1)
    gives = chart[0]
    return _Pair(people, gives[-2][0], gives[-1][1])
