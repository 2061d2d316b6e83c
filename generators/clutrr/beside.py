"""Facts told beside those that are needed, so that nobody knows the question from the story.

Each brings one more person. It forks off a chain of k facts or goes on from it, so that the story
has another chain of k facts with another answer: the one that is asked about is no end of anything,
and not the only one. Further facts grow from any such chain alike.
"""

from typing import Final

from ...kb.scene import members
from ...seed import Stream
from .chain import Chainer

Fork = tuple[int, int, bool]
"""Somebody of the story, who is new, and whether the fact runs from the first to the new one."""


class Pair:
    """Two people k facts apart, those between them, and what holds from the first to the last."""

    __slots__ = ("_left", "_right", "people", "predicate")

    def __init__(self, people: list[int], predicate: int) -> None:
        self.people, self.predicate = people, predicate
        self._left = self._right = _NOT_YET

    def left(self, chainer: Chainer) -> int:
        """What all facts but the last give, or -1."""
        if self._left == _NOT_YET:
            self._look(chainer)
        return self._left

    def right(self, chainer: Chainer) -> int:
        """What all facts but the first give, or -1."""
        if self._left == _NOT_YET:
            self._look(chainer)
        return self._right

    def _look(self, chainer: Chainer) -> None:
        between, people = chainer.scene.between, self.people
        clause = tuple([between[people[n - 1]][people[n]] for n in range(1, len(people))])
        chart = chainer.rules.chart(clause)
        self._left, self._right = (-1, -1) if chart is None else (chart[0][-2][0], chart[0][-1][1])


_NOT_YET: Final = -2


class Beside:
    """Draws at most so many facts; `both_ways` says that either of two may be asked about."""

    def __init__(self, count: int, both_ways: bool, stream: Stream) -> None:
        self.count, self.both_ways, self.stream = count, both_ways, stream

    def draw(
        self, chainer: Chainer, chain: list[int], taken: int, answer: int
    ) -> tuple[list[Fork], list[Pair]]:
        """Facts beside a chain, the most useful first, and pairs that could be asked about.

        The first pair is the chain's own; below 0, its answer is open. There are no facts where
        every question that could be asked had the same answer.
        """
        scene, rules = chainer.scene, chainer.rules
        forks: list[Fork] = []
        pairs = [Pair(chain, answer)]
        if not self.count:
            return forks, pairs
        male = scene.male
        codes: set[int] = set()
        several = answer < 0
        if answer >= 0:
            codes.add(_code(answer, male[chain[-1]]))
            if self.both_ways:
                codes.add(_code(rules.inverse[answer], male[chain[0]]))
                several = len(codes) > 1
        core = chain.copy()
        free = ~taken
        while len(forks) < self.count:
            fork = None
            # Any chain of the story is as good as the first to grow from.
            first = self.stream.below(len(pairs))
            for number in range(len(pairs)):
                pair = pairs[(first + number) % len(pairs)]
                fork = self._fork(chainer, pair, free, codes, pairs)
                if fork is not None:
                    several = True
                    break
            if fork is None and several:
                fork = self._anywhere(chainer, core, free)
            if fork is None:
                break
            forks.append(fork)
            core.append(fork[1])
            free &= ~(1 << fork[1])
        return forks, pairs

    def _fork(
        self, chainer: Chainer, pair: Pair, free: int, codes: set[int], pairs: list[Pair]
    ) -> Fork | None:
        """A fact that gives another pair, and another answer for it."""
        people, spots = pair.people, [0, 1, 2, 3]
        left, right = pair.left(chainer), pair.right(chainer)
        self.stream.shuffle(spots)
        for spot in spots:
            # It takes the place of an end, or goes on from the one and lets the other fall.
            if spot == 0:
                new = self._new(chainer, people[0], people[-2], left, True, free, codes)
                path = [*people[:-1], new]
            elif spot == 1:
                new = self._new(chainer, people[1], people[-1], right, True, free, codes)
                path = [*people[1:], new]
            elif spot == 2:
                new = self._new(chainer, people[-1], people[1], right, False, free, codes)
                path = [new, *people[1:]]
            else:
                new = self._new(chainer, people[-2], people[0], left, False, free, codes)
                path = [new, *people[:-1]]
            if new >= 0:
                pairs.append(Pair(path, chainer.scene.between[path[0]][path[-1]]))
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
