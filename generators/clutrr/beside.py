"""Facts told beside those that are needed, so that nobody knows the question from the story.

Each brings one more person. All but the last open another question: they fork off a chain of k
facts where it ends, so that the story has another chain of k facts, with another answer. Further
ones grow from any such chain alike. The last is about anybody, of what was told least so far.
"""

from typing import Final

from ...seed import Stream
from .chain import NOT_ASKED, Chain, Chainer, Tally, one_of, weighed
from .openness import Openness

_SHORT: Final = 2
"""In chains of so many facts, what is told beside them of the two asked about gives nothing away:
their own facts are all that there is."""

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


class Beside:
    """Draws at most so many facts; `both_ways` says that either of two may be asked about."""

    openness: Openness

    def __init__(self, count: int, both_ways: bool, tally: Tally, stream: Stream) -> None:
        self.count, self.both_ways, self.tally, self.stream = count, both_ways, tally, stream
        self.opening = min(count, max(1, count - 1))
        """So many of them open another question."""
        self.answers = 0
        """Those that the story at hand could have so far."""

    def begin(self, chainer: Chainer, x: int, y: int, answer: int, openness: Openness) -> None:
        """Note the answers that a chain has already, either way round; none where it is open."""
        self.answers, self.openness = 0, openness
        if answer >= 0:
            self.answers = _code(chainer, answer, y)
            if self.both_ways:
                self.answers |= _code(chainer, chainer.rules.inverse[answer], x)

    def around(
        self,
        chainer: Chainer,
        x: int,
        y: int,
        given: int,
        count: int,
        taken: int,
        last: bool,
        k: int,
    ) -> list[Fork]:
        """So many facts where a stretch of which the given is known ends, if there are.

        The stretch is all of a chain but its last fact, or all but its first.
        """
        forks: list[Fork] = []
        free = ~taken
        while len(forks) < count:
            outward = last if k > _SHORT else self.stream.random() < 0.5
            new = self._after(chainer, x, y, given, outward, free)
            if new < 0 and k <= _SHORT:
                outward = not outward
                new = self._after(chainer, x, y, given, outward, free)
            if new < 0:
                break
            forks.append((y if outward else x, new, outward))
            free &= ~(1 << new)
        return forks

    def draw(
        self, chainer: Chainer, chain: Chain, taken: int, forks: list[Fork]
    ) -> tuple[list[Fork], list[Pair]]:
        """Facts beside a chain, the most useful first, and pairs that could be asked about.

        The first pair is the chain's own, and facts around all but one of its own may be there
        already. There are no facts where every question that could be asked had the same answer.
        """
        people = chain.people
        pairs = [Pair(people, chain.answer, chain.left, chain.right)]
        if not self.count:
            return forks, pairs
        stretch = people[:-1] if chain.left >= 0 else people[1:]
        core = people.copy()
        free = ~taken
        for _, new, outward in forks:
            pairs.append(_longer(chainer, stretch, new, outward, max(chain.left, chain.right)))
            core.append(new)
            free &= ~(1 << new)
        several = len(pairs) > 1 or self.answers.bit_count() != 1
        while len(forks) < self.count:
            fork = None
            if len(forks) < self.opening or len(pairs) == 1:
                fork = self._some_fork(chainer, free, pairs)
            several = several or fork is not None
            if fork is None and several:
                fork = self._anywhere(chainer, core, free)
            if fork is None:
                break
            forks.append(fork)
            core.append(fork[1])
            free &= ~(1 << fork[1])
        return forks, pairs

    def _some_fork(self, chainer: Chainer, free: int, pairs: list[Pair]) -> Fork | None:
        """A fork from any pair: each is as good as the first to grow from."""
        first = self.stream.below(len(pairs))
        for number in range(len(pairs)):
            pair = pairs[(first + number) % len(pairs)]
            fork = self._fork(chainer, pair, free, pairs)
            if fork is not None:
                return fork
        return None

    def _fork(self, chainer: Chainer, pair: Pair, free: int, pairs: list[Pair]) -> Fork | None:
        """A fact that gives another pair, and another answer for it."""
        people, right_first = pair.people, pair.left >= 0
        if NOT_ASKED in (pair.left, pair.right):
            pair.look(chainer)
        left, right = pair.left, pair.right
        # A fact takes the place of an end; where facts are few, it may go on from one as well, and
        # let the other fall. What was not known first comes first.
        spots: tuple[int, ...] = (2, 0) if right_first else (0, 2)
        if len(people) <= _SHORT + 1:
            spots = (1, 3, 2, 0) if right_first else (3, 1, 0, 2)
        for spot in spots:
            if (left if spot in (0, 3) else right) < 0:
                continue
            stretch, given = (people[:-1], left) if spot in (0, 3) else (people[1:], right)
            x, y, outward = stretch[0], stretch[-1], spot < 2
            new = self._after(chainer, x, y, given, outward, free)
            if new >= 0:
                pairs.append(_longer(chainer, stretch, new, outward, given))
                return y if outward else x, new, outward
        return None

    def _after(self, chainer: Chainer, x: int, y: int, given: int, outward: bool, free: int) -> int:
        """Who can come after a stretch, or before it, so that there is another answer, or -1.

        Rather somebody of whom that leaves much open, and of what was told rarely so far.
        """
        rules, rare = chainer.rules, self.tally.rare
        weights = self.openness.last if outward else self.openness.first
        people: list[int] = []
        answers: list[int] = []
        sums: list[float] = []
        total = 0.0
        for link, head in rules.onward[given] if outward else rules.backward[given]:
            if outward:
                among = chainer.related[y][link] & chainer.related[x][head] & free
            else:
                among = chainer.into[x][link] & chainer.into[y][head] & free
            if not among:
                continue
            new, back = one_of(among, self.stream), rules.inverse[head]
            codes = _code(chainer, head, new if outward else y)
            if self.both_ways:
                codes |= _code(chainer, back, x if outward else new)
            if not codes & self.answers:
                total += weights[link] * rare[link]
                people.append(new)
                answers.append(codes)
                sums.append(total)
        if not total:
            return -1
        number = weighed(sums, self.stream)
        self.answers |= answers[number]
        return people[number]

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


def _longer(chainer: Chainer, stretch: list[int], new: int, outward: bool, given: int) -> Pair:
    """A stretch of which the given is known, and somebody after it or before it."""
    path = [*stretch, new] if outward else [new, *stretch]
    left, right = (given, NOT_ASKED) if outward else (NOT_ASKED, given)
    return Pair(path, chainer.between[path[0]][path[-1]], left, right)


def _code(chainer: Chainer, predicate: int, person: int) -> int:
    """The answer that somebody is that, as a set of one; -1 is none."""
    if predicate < 0:
        return 1
    return 2 << chainer.rules.word[predicate][chainer.gender[person]]
