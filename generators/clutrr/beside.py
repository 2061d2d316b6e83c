"""Facts told beside those that are needed, so that nobody knows the question from the story.

Each brings one more person. It forks off a chain of k facts or goes on from it, so that the story
has another chain of k facts with another answer: the one that is asked about is no end of anything,
and not the only one. Further facts grow from any such chain alike.
"""

from typing import Final

from ...seed import Stream
from .chain import NOT_ASKED, Chain, Chainer, Tally, one_of

Fork = tuple[int, int, bool]
"""Somebody of the story, who is new, and whether the fact runs from the first to the new one."""


class Pair:
    """Two people k facts apart, those between them, and what holds from the first to the last."""

    __slots__ = ("left", "people", "predicate", "right")

    def __init__(self, people: list[int], predicate: int, left: int, right: int) -> None:
        self.people, self.predicate = people, predicate
        self.left, self.right = left, right
        """What all facts but the last give, and all but the first: -1 for nothing."""

    def look(self, chainer: Chainer) -> None:
        """Find that out."""
        between, people = chainer.between, self.people
        clause = tuple([between[people[n - 1]][people[n]] for n in range(1, len(people))])
        chart = chainer.rules.chart(clause)
        self.left, self.right = (-1, -1) if chart is None else (chart[0][-2][0], chart[0][-1][1])


_CURIOUS: Final = 0.5
"""So often it is found out what else a chain gives but what is known of it."""
_SPOTS: Final = [[[], [1, 2]], [[0, 3], [0, 1, 2, 3]]]
"""Where a fact may come, by whether there is a left and a right to come to."""


class Beside:
    """Draws at most so many facts; `both_ways` says that either of two may be asked about."""

    def __init__(self, count: int, both_ways: bool, tally: Tally, stream: Stream) -> None:
        self.count, self.both_ways, self.tally, self.stream = count, both_ways, tally, stream

    def draw(self, chainer: Chainer, chain: Chain, taken: int) -> tuple[list[Fork], list[Pair]]:
        """Facts beside a chain, the most useful first, and pairs that could be asked about.

        The first pair is the chain's own. There are no facts where every question that could be
        asked had the same answer.
        """
        scene, rules = chainer.scene, chainer.rules
        forks: list[Fork] = []
        people, answer = chain.people, chain.answer
        pairs = [Pair(people, answer, chain.left, chain.right)]
        if not self.count:
            return forks, pairs
        male = scene.male
        codes: set[int] = set()
        several = answer < 0
        if answer >= 0:
            codes.add(_code(answer, male[people[-1]]))
            if self.both_ways:
                codes.add(_code(rules.inverse[answer], male[people[0]]))
                several = len(codes) > 1
        core = people.copy()
        free = ~taken
        while len(forks) < self.count:
            fork = None
            # Any chain of the story is as good as the first to grow from.
            first = self.stream.below(len(pairs))
            looks = self.stream.random() < _CURIOUS
            for number in range(len(pairs)):
                pair = pairs[(first + number) % len(pairs)]
                fork = self._fork(chainer, pair, free, codes, pairs, looks)
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
        self,
        chainer: Chainer,
        pair: Pair,
        free: int,
        codes: set[int],
        pairs: list[Pair],
        looks: bool,
    ) -> Fork | None:
        """A fact that gives another pair, and another answer for it."""
        people, known = pair.people, pair.left
        if looks and NOT_ASKED in (pair.left, pair.right):
            pair.look(chainer)
        left, right = pair.left, pair.right
        spots = _SPOTS[left >= 0][right >= 0].copy()
        self.stream.shuffle(spots)
        if looks and left >= 0 and right >= 0:
            # What was not known is to be made use of.
            first = _SPOTS[known < 0][known >= 0]
            spots = [n for n in spots if n in first] + [n for n in spots if n not in first]
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
                given = left if spot in (0, 3) else right
                outward = spot < 2
                pairs.append(
                    Pair(
                        path,
                        chainer.between[path[0]][path[-1]],
                        given if outward else NOT_ASKED,
                        NOT_ASKED if outward else given,
                    )
                )
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

        Where it is not outward, who can come before it, with an answer back to the start. Of all
        that could be told, it is what was told least so far.
        """
        rules, male, times = chainer.rules, chainer.scene.male, self.tally.times
        best = found = answer = other = -1
        for link, head in rules.onward[given] if outward else rules.backward[given]:
            often = times[link]
            if best >= 0 and often >= best:
                continue
            if outward:
                among = chainer.related[end][link] & chainer.related[start][head] & free
            else:
                among = chainer.into[end][link] & chainer.into[start][head] & free
            if not among:
                continue
            new, back = one_of(among, self.stream), rules.inverse[head]
            code = _code(head, male[new if outward else start])
            turned = _code(back, male[start if outward else new]) if self.both_ways else code
            if code not in codes and turned not in codes:
                best, found, answer, other = often, new, code, turned
        if found >= 0:
            codes.add(answer)
            codes.add(other)
        return found

    def _anywhere(self, chainer: Chainer, core: list[int], free: int) -> Fork | None:
        """A fact about anyone of the story, of what was told least so far."""
        stream, times = self.stream, self.tally.times
        first = stream.below(len(core))
        for number in range(len(core)):
            person = core[(first + number) % len(core)]
            best = -1
            for predicate, people in enumerate(chainer.related[person]):
                if people & free and (best < 0 or times[predicate] < times[best]):
                    best = predicate
            if best >= 0:
                new = one_of(chainer.related[person][best] & free, stream)
                return person, new, stream.random() < 0.5
        return None


def _code(predicate: int, male: bool) -> int:
    """An answer, as a number."""
    return 2 * predicate + male
