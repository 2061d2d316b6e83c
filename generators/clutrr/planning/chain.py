"""Chains of facts that imply a target, by backward chaining in a scene.

References: K. Sinha et al., CLUTRR (2019), section 3.2.2 of the thesis: for k - 1 times, draw a
subgoal, then a rule that resolves it. There all are as likely; here, what is told often is taken
apart rather than what is told rarely, and into what is told rarely.
"""

from functools import cache
from typing import Final

from ....errors import InvalidWorld
from ....kb.worlds.rules import Rules
from ....kb.worlds.scene import Scene, members
from ....seed import Stream
from .endpoint_weights import Openness

_MANY: Final = 3
"""What leads to so many answers leads to many."""
_FEW: Final = 4
"""One in so many predicates must lead to many answers."""
Cut = tuple[int, int, bool]
"""Who is between two people, what holds on one side, and whether that side comes first."""


class Tally:
    """How often each predicate was told so far, either way round, and what it weighs for that."""

    __slots__ = ("idle", "inverse", "most", "rare", "times", "usual")

    def __init__(self, rules: Rules) -> None:
        self.inverse = rules.inverse
        self.times, self.most = [1] * len(rules.predicates), 1
        self.rare = [1.0] * len(rules.predicates)
        """The rarer, the more."""
        self.usual = [1.0] * len(rules.predicates)
        """The more often, the more."""
        self.idle: list[int] = []
        """What is only told more often if taken apart: units, or all where few lead to many."""
        few = not leads_to_many(rules)
        for predicate, bodies in enumerate(rules.bodies):
            if bodies == [(predicate, predicate)] and (few or predicate in rules.units):
                self.idle.append(predicate)

    def count(self, predicates: list[int]) -> None:
        """Note what a story tells."""
        times, before = self.times, self.most
        for predicate in predicates:
            times[predicate] += 1
            back = self.inverse[predicate]
            if back >= 0:
                times[back] += 1
                self.most = max(self.most, times[back])
            self.most = max(self.most, times[predicate])
        # Where predicates are many, a story tells few, and seldom what was told most often.
        if self.most > before or len(times) <= 2 * len(predicates):
            for predicate in range(len(times)):
                self._weigh(predicate)
        else:
            for predicate in predicates:
                self._weigh(predicate)
                self._weigh(self.inverse[predicate])
        if self.idle:
            least = min(times) / self.most
            for predicate in self.idle:
                self.usual[predicate] = least * least

    def _weigh(self, predicate: int) -> None:
        # Products and quotients are the same on every machine; powers need not be.
        if predicate >= 0:
            share = self.times[predicate] / self.most
            self.usual[predicate] = share * share
            self.rare[predicate] = 1 / (share * share)


class Ways:
    """Some rules, by what each rests on or concludes, and the people of whom it holds."""

    __slots__ = ("firsts", "people", "seconds")

    def __init__(self) -> None:
        self.firsts: list[int] = []
        self.seconds: list[int] = []
        self.people: list[int] = []

    def add(self, first: int, second: int, people: int) -> None:
        """Another rule."""
        self.firsts.append(first)
        self.seconds.append(second)
        self.people.append(people)


class Chain:
    """People from one end to the other, the answer between these, and how that was taken apart.

    A step (x, z, y) goes from x to y by way of z, and the last comes first. Below 0, the answer is
    open. What all facts but the last give is `left`, what all but the first give is `right`, and
    there are so many `proofs`, as far as that was asked.
    """

    __slots__ = ("answer", "left", "people", "proofs", "right", "steps")

    def __init__(self, people: list[int], steps: list[tuple[int, int, int]], answer: int) -> None:
        self.people, self.steps, self.answer = people, steps, answer
        self.left = self.right = self.proofs = NOT_ASKED


NOT_ASKED: Final = -2
_UNKNOWN: Final = -1


def fit_for_stories(rules: Rules) -> Rules:
    """The rules, if a chain has one answer by them."""
    names = rules.predicates
    for first, second in rules.ambiguous:
        raise InvalidWorld(
            f"{names[first]} and {names[second]} have two heads; "
            f"stories need rules that give one answer"
        )
    return rules


class Chainer:
    """Backward chaining by some rules in one scene.

    Ways between two people are noted as they are met: a list of lists, since a cache that hashes
    its arguments would take longer than most of what it spares.
    """

    def __init__(self, rules: Rules, scene: Scene) -> None:
        self.rules, self.scene = rules, scene
        self.related = [list(row) for row in scene.related]
        self.held = [[p for p, people in enumerate(row) if people] for row in scene.related]
        """For each person the predicates that somebody is to that one."""
        self.between = [list(row) for row in scene.between]
        self.onto = [list(column) for column in zip(*scene.between, strict=True)]
        """The same the other way: for each person, what that one is to everybody."""
        self.gender = list(scene.gender)
        self.pairs = scene.pairs()
        self.leads_on, self.leads_back = _leading(rules)
        """Whether a predicate leads to many answers with one after it, or with one before it."""
        size = len(scene.gender)
        self.many_rules = rules.in_order and 2 * len(rules.heads) > size * len(self.pairs)
        """Whether few of the rules hold: then what holds is looked up, and rules are not tried."""
        self.into = [] if self.many_rules else self._into()
        """For each person and predicate those to whom the person is that, to try rules."""
        self._bits = size.bit_length()
        """So many are for the number of a person, where a rule and a person make one number."""
        self._met: list[list[list[int]] | None] = [None] * size
        self._ways: list[list[Ways | None]] = [[None] * size for _ in range(size)]
        self._middles: list[list[int]] = [[_UNKNOWN] * size for _ in range(size)]
        self._room: list[list[int]] = [[_UNKNOWN] * size for _ in range(size)]
        self.goals = self.pairs
        """For each predicate those between whom it holds and may be asked for."""
        if not leads_to_many(rules):
            self.goals = [[(x, y) for x, y in some if self.middles(x, y)] for some in self.pairs]

    def _into(self) -> list[list[int]]:
        into: list[list[int]] = []
        for y, row in enumerate(self.related):
            line: list[int] = []
            for predicate, back in enumerate(self.rules.inverse):
                people = row[back] if back >= 0 else 0
                for x in range(len(self.related) if back < 0 else 0):
                    if self.between[x][y] == predicate:
                        people |= 1 << x
                line.append(people)
            into.append(line)
        return into

    def ways(self, x: int, y: int) -> Ways:
        """Each rule that resolves what holds from x to y, with those it could go through."""
        ways = self._ways[x][y]
        if ways is None:
            if self.many_rules:
                firsts, seconds = self.between[x], self.onto[y]
                ways = self._sorted(self._met_from(x)[y], firsts, seconds)
            else:
                ways, related, into = Ways(), self.related[x], self.into[y]
                for first, second in self.rules.bodies[self.between[x][y]]:
                    people = related[first] & into[second]
                    if people:
                        ways.add(first, second, people)
            everyone = 0
            for people in ways.people:
                everyone |= people
            self._ways[x][y], self._middles[x][y] = ways, everyone
        return ways

    def _met_from(self, x: int) -> list[list[int]]:
        """For each y those through whom rules lead there from x, each with the rule's body.

        It is quickest for one x and one person after the other: the first predicate is the same.
        """
        met = self._met[x]
        if met is None:
            met = self._met[x] = [[] for _ in self.between]
            heads, size = self.between[x], len(self.rules.predicates)
            for z, first in enumerate(heads):
                if first < 0:
                    continue
                gives = self.rules.gives[first]
                for y, second in enumerate(self.between[z]):
                    head = gives[second] if second >= 0 else -1
                    if head >= 0 and head == heads[y]:
                        met[y].append((first * size + second) << self._bits | z)
        return met

    def beyond(self, x: int, y: int, given: int, outward: bool, free: int) -> Ways:
        """Each rule that goes on from y where the given holds from x, or comes before it to x.

        With it stand what holds between those who are free and the near end, and the far end.
        """
        rules = self.rules
        if self.many_rules:
            if outward:
                links, heads, gives = self.between[y], self.between[x], rules.gives[given]
            else:
                links, heads, gives = self.onto[x], self.onto[y], rules.follows[given]
            met: list[int] = []
            for person, link in enumerate(links):
                head = gives[link] if link >= 0 and free >> person & 1 else -1
                if head >= 0 and head == heads[person]:
                    met.append(link << self._bits | person)
            return self._sorted(met, links, heads)
        ways = Ways()
        if outward:
            near, far = self.related[y], self.related[x]
        else:
            near, far = self.into[x], self.into[y]
        for link, head in rules.onward[given] if outward else rules.backward[given]:
            people = near[link] & far[head] & free
            if people:
                ways.add(link, head, people)
        return ways

    def _sorted(self, met: list[int], firsts: list[int], seconds: list[int]) -> Ways:
        """Rules in their order by people of whom they hold, and what holds of each of these."""
        met.sort()
        ways, bits, before = Ways(), self._bits, -1
        for code in met:
            rule = code >> bits
            person = code - (rule << bits)
            if rule == before:
                ways.people[-1] |= 1 << person
            else:
                ways.add(firsts[person], seconds[person], 1 << person)
            before = rule
        return ways

    def middles(self, x: int, y: int) -> int:
        """Everyone through whom what holds from x to y could be taken apart."""
        if self._middles[x][y] == _UNKNOWN:
            if self.many_rules:
                everyone, number = 0, (1 << self._bits) - 1
                for code in self._met_from(x)[y]:
                    everyone |= 1 << (code & number)
                self._middles[x][y] = everyone
            else:
                self.ways(x, y)
        return self._middles[x][y]

    def room(self, x: int, y: int) -> int:
        """Through how many what holds from x to y can be taken apart, and not into itself."""
        if self._room[x][y] == _UNKNOWN:
            ways, units, people = self.ways(x, y), self.rules.units, 0
            for n, through in enumerate(ways.people):
                if ways.firsts[n] not in units and ways.seconds[n] not in units:
                    people |= through
            self._room[x][y] = people.bit_count()
        return self._room[x][y]

    def derive(
        self,
        x: int,
        y: int,
        length: int,
        taken: int,
        stream: Stream,
        tally: Tally,
        openness: Openness | None = None,
    ) -> Chain | None:
        """Take what holds from x to y apart into so many facts through people not taken."""
        people = [x, y]
        steps: list[tuple[int, int, int]] = []
        first, last = tally.rare, tally.rare
        if openness:
            first, last = openness.first, openness.last
        if not self._apart(people, steps, length, ~taken, stream, tally, first, last):
            return None
        steps.reverse()
        return Chain(people, steps, self.between[x][y])

    def cut(self, x: int, y: int, taken: int, stream: Stream, openness: Openness) -> Cut | None:
        """Somebody to go through, so that what holds on one side leads to many other answers.

        The other side is an end of the chain.
        """
        ways = self.ways(x, y)
        sums: list[float] = []
        total = 0.0
        for n, through in enumerate(ways.people):
            if through & ~taken:
                first, second = ways.firsts[n], ways.seconds[n]
                total += openness.last[second] if self.leads_on[first] else 0.0
                sums.append(total)
                total += openness.first[first] if self.leads_back[second] else 0.0
                sums.append(total)
            else:
                sums += [total, total]
        if not total:
            return None
        number = weighed(sums, stream)
        n, last = number // 2, number % 2 == 0
        given = ways.firsts[n] if last else ways.seconds[n]
        return one_of(ways.people[n] & ~taken, stream), given, last

    def around(
        self,
        x: int,
        y: int,
        cut: Cut,
        length: int,
        taken: int,
        stream: Stream,
        tally: Tally,
        openness: Openness,
    ) -> Chain | None:
        """Take what holds from x to y apart by that cut, and then the one side of it further."""
        z, stretch, last = cut
        people, steps = [x, z] if last else [z, y], [(x, z, y)]
        free = ~(taken | 1 << z)
        at_first, at_last = (openness.first, tally.rare) if last else (tally.rare, openness.last)
        if not self._apart(people, steps, length - 1, free, stream, tally, at_first, at_last):
            return None
        steps.reverse()
        people.insert(length if last else 0, y if last else x)
        chain = Chain(people, steps, self.between[x][y])
        chain.left, chain.right = (stretch, NOT_ASKED) if last else (NOT_ASKED, stretch)
        return chain

    def _apart(
        self,
        people: list[int],
        steps: list[tuple[int, int, int]],
        length: int,
        free: int,
        stream: Stream,
        tally: Tally,
        at_first: list[float],
        at_last: list[float],
    ) -> bool:
        """Put others between two people until there are so many facts; False where none can be.

        `at_first` and `at_last` weigh what the first and the last of these facts may be.
        """
        between, usual, rare = self.between, tally.usual, tally.rare
        # Of each fact so far: through whom it can be taken apart, and how likely that is.
        middles: list[int] = []
        likely: list[float] = []
        for n in range(1, len(people)):
            middles.append(self.middles(people[n - 1], people[n]))
            likely.append(usual[between[people[n - 1]][people[n]]])
        while len(people) <= length:
            sums: list[float] = []
            total = 0.0
            for n, through in enumerate(middles):
                if through & free:
                    total += likely[n]
                sums.append(total)
            if not total:
                return False
            goal = weighed(sums, stream)
            x, y = people[goal], people[goal + 1]
            ways = self.ways(x, y)
            firsts = at_first if goal == 0 else rare
            lasts = at_last if goal == len(middles) - 1 else rare
            sums, total = [], 0.0
            for n, through in enumerate(ways.people):
                if through & free:
                    total += firsts[ways.firsts[n]] * lasts[ways.seconds[n]]
                sums.append(total)
            n = weighed(sums, stream)
            first, second = ways.firsts[n], ways.seconds[n]
            z = one_of(ways.people[n] & free, stream)
            free &= ~(1 << z)
            people.insert(goal + 1, z)
            steps.append((x, z, y))
            middles[goal], likely[goal] = self.middles(x, z), usual[first]
            middles.insert(goal + 1, self.middles(z, y))
            likely.insert(goal + 1, usual[second])
        return True

    def follow(self, clause: tuple[int, ...], head: int, stream: Stream) -> Chain | None:
        """People along whom the clause holds, if there are any, and a proof of the head from it."""
        people = self.path(clause, stream)
        if people is None:
            return None
        places, between = self.rules.proof(clause, head, stream), self.scene.between
        steps = [(people[a], people[b], people[c]) for a, b, c in reversed(places)]
        # Where rules do not always hold, what they conclude may not be so here.
        for x, z, y in steps:
            if (between[x][z], between[z][y], between[x][y]) not in self.rules.heads:
                return None
        return Chain(people, steps, head)

    def path(self, clause: tuple[int, ...], stream: Stream) -> list[int] | None:
        """People along whom the clause holds, none of them twice."""
        starts = list(dict.fromkeys(x for x, _ in self.pairs[clause[0]]))
        stream.shuffle(starts)
        for start in starts:
            people = self._along(clause, [start], 1 << start, stream)
            if people:
                return people
        return None

    def _along(
        self, clause: tuple[int, ...], people: list[int], taken: int, stream: Stream
    ) -> list[int] | None:
        if len(people) > len(clause):
            return people
        following = members(self.scene.related[people[-1]][clause[len(people) - 1]] & ~taken)
        stream.shuffle(following)
        for person in following:
            whole = self._along(clause, [*people, person], taken | 1 << person, stream)
            if whole:
                return whole
        return None

    def detours(self, people: list[int], taken: int) -> int:
        """Those not taken through whom some fact of a chain could be taken apart further."""
        through = 0
        for n in range(len(people) - 1):
            through |= self.middles(people[n], people[n + 1])
        return through & ~taken


def weighed(sums: list[float], stream: Stream) -> int:
    """The number of one of some things, by their weights, each added to those before it."""
    number, drawn = 0, stream.random() * sums[-1]
    while sums[number] <= drawn:
        number += 1
    return number


def one_of(people: int, stream: Stream) -> int:
    """Somebody of a set that is not empty."""
    if people & (people - 1):
        for _ in range(stream.below(people.bit_count())):
            people &= people - 1
    return (people & -people).bit_length() - 1


@cache
def leads_to_many(rules: Rules) -> bool:
    """Whether enough predicates lead to many answers that stories can have several by them.

    Else chains would be of the few that do, and say little.
    """
    leads, _ = _leading(rules)
    return _FEW * leads.count(True) >= len(leads)


@cache
def _leading(rules: Rules) -> tuple[list[bool], list[bool]]:
    """For each predicate whether it leads to many answers, by what is after it and before it."""
    every = rules.onward, rules.backward
    on, back = [[len({head for _, head in ways}) >= _MANY for ways in some] for some in every]
    return on, back
