"""Facts told beside those that are needed, so that nobody knows the question from the story.

Each brings one more person. All but the last open another question: they fork off a chain of k
facts where it ends, so that the story has another chain of k facts, with another answer. Further
ones grow from any such chain alike. The last is about anybody, of what was told least so far.
"""

from typing import Final

from ....kb.worlds.rules import Rules
from ....seed import Stream
from .chain import NOT_ASKED, Chain, Chainer, Tally, one_of, weighed
from .endpoint_weights import Openness

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

    def __init__(
        self, count: int, both_ways: bool, rules: Rules, tally: Tally, stream: Stream
    ) -> None:
        self.count, self.both_ways, self.tally, self.stream = count, both_ways, tally, stream
        self.opening = min(count, max(1, count - 1))
        """So many of them open another question."""
        words = [number for words in rules.word for number in words]
        self._had = [0] * (2 + max(words, default=0))
        """For each answer the last story that could have it."""
        self._story = self._answers = 0
        """Which story is at hand, and how many answers it could have so far."""

    def begin(self, chainer: Chainer, x: int, y: int, answer: int, openness: Openness) -> None:
        """Note the answers that a chain has already, either way round; none where it is open."""
        self._story += 1
        self._answers, self.openness = 0, openness
        if answer >= 0:
            self._note(_answer(chainer, answer, y))
            if self.both_ways:
                self._note(_answer(chainer, chainer.rules.inverse[answer], x))

    def _note(self, answer: int) -> None:
        if self._had[answer] != self._story:
            self._had[answer] = self._story
            self._answers += 1

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
        several = len(pairs) > 1 or self._answers != 1
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
        inverse, words, gender = chainer.rules.inverse, chainer.rules.word, chainer.gender
        rare, stream = self.tally.rare, self.stream
        weights = self.openness.last if outward else self.openness.first
        had, story = self._had, self._story
        ways = chainer.beyond(x, y, given, outward, free)
        people: list[int] = []
        heads: list[int] = []
        sums: list[float] = []
        total = 0.0
        for n, among in enumerate(ways.people):
            link, head, new = ways.firsts[n], ways.seconds[n], one_of(among, stream)
            last, first = (new, x) if outward else (y, new)
            # The same as _answer gives, looked up here: this is done for every rule that holds.
            if had[1 + words[head][gender[last]]] == story:
                continue
            back = inverse[head]
            turned = 1 + words[back][gender[first]] if back >= 0 else 0
            if self.both_ways and had[turned] == story:
                continue
            total += weights[link] * rare[link]
            people.append(new)
            heads.append(head)
            sums.append(total)
        if not total:
            return -1
        number = weighed(sums, stream)
        head, new = heads[number], people[number]
        self._note(_answer(chainer, head, new if outward else y))
        if self.both_ways:
            self._note(_answer(chainer, inverse[head], x if outward else new))
        return new

    def _anywhere(self, chainer: Chainer, core: list[int], free: int) -> Fork | None:
        """A fact about anyone of the story, of what was told least so far."""
        stream, times = self.stream, self.tally.times
        first = stream.below(len(core))
        for number in range(len(core)):
            person = core[(first + number) % len(core)]
            related, best = chainer.related[person], -1
            for predicate in chainer.held[person]:
                if related[predicate] & free and (best < 0 or times[predicate] < times[best]):
                    best = predicate
            if best >= 0:
                new = one_of(related[best] & free, stream)
                return person, new, stream.random() < 0.5
        return None


def _longer(chainer: Chainer, stretch: list[int], new: int, outward: bool, given: int) -> Pair:
    """A stretch of which the given is known, and somebody after it or before it."""
    path = [*stretch, new] if outward else [new, *stretch]
    left, right = (given, NOT_ASKED) if outward else (NOT_ASKED, given)
    return Pair(path, chainer.between[path[0]][path[-1]], left, right)


def _answer(chainer: Chainer, predicate: int, person: int) -> int:
    """The number of the answer that somebody is that; below 0, it is none."""
    return 0 if predicate < 0 else 1 + chainer.rules.word[predicate][chainer.gender[person]]
