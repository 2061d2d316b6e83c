"""Sampling of fact chains that entail a target relation, by backward chaining in a scene.

References: K. Sinha et al., CLUTRR (2019), section 3.2.2 of the thesis: k - 1 times, draw a
subgoal, then a rule that resolves it. There the draws are uniform; here, predicates that were
stated often are more likely to be resolved, and rules with rarely stated premises to be chosen.
"""

from functools import cache
from typing import Final

from ....kb.worlds.rules import RuleIndex
from ....kb.worlds.scene import Scene, members
from ....seed import Stream
from .end_balance import ANY, distances

_MIN_DIVERSE_ANSWERS: Final = 3
"""A predicate whose extensions give this many answers counts as diverse."""
_DIVERSE_SHARE: Final = 4
"""One in this many predicates must be diverse for a rule set to be so."""
NOT_COMPUTED: Final = -2
_UNKNOWN: Final = -1


class PredicateCounts:
    """Counts of the predicates stated so far, in either direction, and weights made from them."""

    def __init__(self, rules: RuleIndex) -> None:
        self.rules, self.inverse = rules, rules.inverse
        self.counts, self.max_count = [1] * len(rules.predicates), 1
        self.rarity = [1.0] * len(rules.predicates)
        """Weights that favour rarely stated predicates."""
        self.frequency = [1.0] * len(rules.predicates)
        """Weights that favour frequently stated predicates."""
        self.self_composed: list[int] = []
        """Predicates that only resolve into themselves, so resolving them states them more: units,
        or all of them where the rules are not diverse."""
        uniform = not has_diverse_extensions(rules)
        for predicate, bodies in enumerate(rules.bodies):
            if bodies == [(predicate, predicate)] and (uniform or predicate in rules.identities):
                self.self_composed.append(predicate)

    def add(self, predicates: list[int]) -> None:
        """Count the predicates that a story states."""
        counts, before = self.counts, self.max_count
        for predicate in predicates:
            counts[predicate] += 1
            back = self.inverse[predicate]
            if back >= 0:
                counts[back] += 1
                self.max_count = max(self.max_count, counts[back])
            self.max_count = max(self.max_count, counts[predicate])
        # With many predicates, a story states few of them, and rarely the most frequent one.
        if self.max_count > before or len(counts) <= 2 * len(predicates):
            for predicate in range(len(counts)):
                self._weigh(predicate)
        else:
            for predicate in predicates:
                self._weigh(predicate)
                self._weigh(self.inverse[predicate])
        if self.self_composed:
            least = min(counts) / self.max_count
            for predicate in self.self_composed:
                self.frequency[predicate] = least * least

    def _weigh(self, predicate: int) -> None:
        # Products and quotients are the same on every machine; powers need not be.
        if predicate >= 0:
            share = self.counts[predicate] / self.max_count
            self.frequency[predicate] = share * share
            self.rarity[predicate] = 1 / (share * share)


class ChainSampling:
    """Sources of randomness and weights for chains, and the predicates of their end facts, or ANY.

    `to_first` and `to_last` have by predicate the rules needed to get these predicates at the ends.
    """

    def __init__(
        self, stream: Stream, counts: PredicateCounts, first: int = ANY, last: int = ANY
    ) -> None:
        self.stream, self.counts, self.first, self.last = stream, counts, first, last
        self.to_first = distances(counts.rules, 0, first)
        self.to_last = distances(counts.rules, 1, last)


class RuleMatches:
    """Rules that hold in a scene: two predicates of each, and the people who fit, as bitmasks."""

    def __init__(self) -> None:
        self.firsts: list[int] = []
        self.seconds: list[int] = []
        self.people: list[int] = []

    def add(self, first: int, second: int, people: int) -> None:
        """Append a rule."""
        self.firsts.append(first)
        self.seconds.append(second)
        self.people.append(people)


class FactChain:
    """People from one end of a chain to the other, the answer between these, and its proof.

    A step (x, z, y) concludes from x to y by way of z; the last step comes first. A negative answer
    is undetermined. `prefix` is the predicate that all facts but the last give, `suffix` that of
    all but the first (-1: none), and `proofs` the number of proofs; each may be NOT_COMPUTED.
    """

    def __init__(self, people: list[int], steps: list[tuple[int, int, int]], answer: int) -> None:
        self.people, self.steps, self.answer = people, steps, answer
        self.prefix = self.suffix = self.proofs = NOT_COMPUTED

    def compute_parts(self, chainer: "Chainer") -> None:
        """Derive `prefix` and `suffix` by the rules, where they are missing."""
        if NOT_COMPUTED in (self.prefix, self.suffix):
            chart = chainer.rules.chart(chainer.clause(self.people))
            self.prefix = -1 if chart is None else chart[0][-2][0]
            self.suffix = -1 if chart is None else chart[0][-1][1]


class Subchain:
    """A chain without its last fact (a prefix) or without its first: its ends and its predicate.

    `left_out` is the person at the other end of the whole chain, and `end` the predicate of the
    fact at the end that both have in common, or ANY.
    """

    def __init__(
        self, first: int, last: int, predicate: int, is_prefix: bool, left_out: int, end: int = ANY
    ) -> None:
        self.first, self.last, self.predicate = first, last, predicate
        self.is_prefix, self.left_out, self.end = is_prefix, left_out, end


class Chainer:
    """Backward chaining by a rule set in one scene.

    What is found between two people is kept in lists of lists: a cache that hashes its arguments
    would take longer than most of what it saves. Sets of people are bitmasks.
    """

    def __init__(self, rules: RuleIndex, scene: Scene) -> None:
        self.rules, self.scene = rules, scene
        self.related = [list(row) for row in scene.related]
        self.predicates_of = [
            [p for p, people in enumerate(row) if people] for row in scene.related
        ]
        """For each person, the predicates that somebody is to that person."""
        self.between = [list(row) for row in scene.between]
        self.between_transposed = [list(column) for column in zip(*scene.between, strict=True)]
        self.gender = list(scene.gender)
        self.pairs = scene.pairs()
        self.diverse_after, self.diverse_before = _diverse_extensions(rules)
        size = len(scene.gender)
        many_rules = 2 * len(rules.compositions) > size * len(self.pairs)
        self.few_rules_hold = rules.is_sorted and many_rules
        """Then people are looked up and the rules between them found, not rules tried in turn."""
        self.sources = [] if self.few_rules_hold else self._sources()
        """For each y and predicate, the people x with that predicate from x to y."""
        self._goals_with_ends: dict[tuple[int, int, int], list[tuple[int, int]]] = {}
        self._person_bits = size.bit_length()
        """Low bits that hold the person where a rule and a person share one number."""
        self._matches: list[list[list[int]] | None] = [None] * size
        self._decompositions: list[list[RuleMatches | None]] = [[None] * size for _ in range(size)]
        self._intermediates: list[list[int]] = [[_UNKNOWN] * size for _ in range(size)]
        self._room: list[list[int]] = [[_UNKNOWN] * size for _ in range(size)]
        self.goals = self.pairs
        """For each predicate, the pairs that may be asked for it."""
        if not has_diverse_extensions(rules):
            self.goals = [
                [(x, y) for x, y in pairs if self.intermediates(x, y)] for pairs in self.pairs
            ]

    def goals_with_ends(self, predicate: int, first: int, last: int) -> list[tuple[int, int]]:
        """Return the pairs with a predicate whose chains can have these end facts."""
        if first == ANY:
            return self.goals[predicate]
        key = predicate, first, last
        goals = self._goals_with_ends.get(key)
        if goals is None:
            goals = self._goals_with_ends[key] = [
                (x, y)
                for x, y in self.goals[predicate]
                if self.related[x][first] & ~(1 << y) and last in self.between_transposed[y]
            ]
        return goals

    def _sources(self) -> list[list[int]]:
        sources: list[list[int]] = []
        for y, row in enumerate(self.related):
            line: list[int] = []
            for predicate, back in enumerate(self.rules.inverse):
                people = row[back] if back >= 0 else 0
                for x in range(len(self.related) if back < 0 else 0):
                    if self.between[x][y] == predicate:
                        people |= 1 << x
                line.append(people)
            sources.append(line)
        return sources

    def clause(self, people: list[int]) -> tuple[int, ...]:
        """Return the predicates along a path of people."""
        between = self.between
        return tuple([between[people[n - 1]][people[n]] for n in range(1, len(people))])

    def decompositions(self, x: int, y: int) -> RuleMatches:
        """Return the rules that resolve the relation from x to y, with the people in between."""
        matches = self._decompositions[x][y]
        if matches is None:
            if self.few_rules_hold:
                firsts, seconds = self.between[x], self.between_transposed[y]
                matches = self._grouped(self._matches_from(x)[y], firsts, seconds)
            else:
                matches, related, sources = RuleMatches(), self.related[x], self.sources[y]
                for first, second in self.rules.bodies[self.between[x][y]]:
                    people = related[first] & sources[second]
                    if people:
                        matches.add(first, second, people)
            everyone = 0
            for people in matches.people:
                everyone |= people
            self._decompositions[x][y], self._intermediates[x][y] = matches, everyone
        return matches

    def _matches_from(self, x: int) -> list[list[int]]:
        """Return for each y the people through whom rules lead there from x, with the rule's body.

        Fastest for one x and one person after the other: the first predicate stays the same.
        """
        matches = self._matches[x]
        if matches is None:
            matches = self._matches[x] = [[] for _ in self.between]
            heads, size = self.between[x], len(self.rules.predicates)
            for z, first in enumerate(heads):
                if first < 0:
                    continue
                gives = self.rules.composed[first]
                for y, second in enumerate(self.between[z]):
                    head = gives[second] if second >= 0 else -1
                    if head >= 0 and head == heads[y]:
                        matches[y].append((first * size + second) << self._person_bits | z)
        return matches

    def extensions(self, subchain: Subchain, outward: bool, free: int) -> RuleMatches:
        """Return the rules that extend a sub-chain after its last person, or before its first.

        Each comes with the free people who fit, the predicate between them and the near end, and
        that between them and the far end.
        """
        rules, x, y, given = self.rules, subchain.first, subchain.last, subchain.predicate
        if self.few_rules_hold:
            if outward:
                links, heads, gives = self.between[y], self.between[x], rules.composed[given]
            else:
                links, heads = self.between_transposed[x], self.between_transposed[y]
                gives = rules.composed_by_second[given]
            found: list[int] = []
            for person, link in enumerate(links):
                head = gives[link] if link >= 0 and free >> person & 1 else -1
                if head >= 0 and head == heads[person]:
                    found.append(link << self._person_bits | person)
            return self._grouped(found, links, heads)
        matches = RuleMatches()
        if outward:
            near, far = self.related[y], self.related[x]
        else:
            near, far = self.sources[x], self.sources[y]
        for link, head in rules.by_first[given] if outward else rules.by_second[given]:
            people = near[link] & far[head] & free
            if people:
                matches.add(link, head, people)
        return matches

    def _grouped(self, found: list[int], firsts: list[int], seconds: list[int]) -> RuleMatches:
        """Return the rules in their order, the people of each together."""
        found.sort()
        matches, bits, before = RuleMatches(), self._person_bits, -1
        for code in found:
            rule = code >> bits
            person = code - (rule << bits)
            if rule == before:
                matches.people[-1] |= 1 << person
            else:
                matches.add(firsts[person], seconds[person], 1 << person)
            before = rule
        return matches

    def intermediates(self, x: int, y: int) -> int:
        """Return everyone through whom some rule resolves the relation from x to y."""
        if self._intermediates[x][y] == _UNKNOWN:
            if self.few_rules_hold:
                everyone, mask = 0, (1 << self._person_bits) - 1
                for code in self._matches_from(x)[y]:
                    everyone |= 1 << (code & mask)
                self._intermediates[x][y] = everyone
            else:
                self.decompositions(x, y)
        return self._intermediates[x][y]

    def room(self, x: int, y: int) -> int:
        """Return the number of people through whom a rule without units resolves x to y."""
        if self._room[x][y] == _UNKNOWN:
            matches, units, people = self.decompositions(x, y), self.rules.identities, 0
            for n, through in enumerate(matches.people):
                if matches.firsts[n] not in units and matches.seconds[n] not in units:
                    people |= through
            self._room[x][y] = people.bit_count()
        return self._room[x][y]

    def sample_chain(
        self, x: int, y: int, length: int, used: int, sampling: ChainSampling
    ) -> FactChain | None:
        """Resolve the relation from x to y into `length` facts through unused people, or None."""
        chain = FactChain([x, y], [], self.between[x][y])
        return chain if self._expand(chain, length, ~used, sampling) else None

    def sample_subchain(
        self, x: int, y: int, length: int, used: int, sampling: ChainSampling
    ) -> Subchain | None:
        """Cut a chain from x to y next to one end so that the rest can lead to many answers.

        None where no rule does that through unused people.
        """
        matches, stream = self.decompositions(x, y), sampling.stream
        rarity, to_first, to_last = sampling.counts.rarity, sampling.to_first, sampling.to_last
        sums: list[float] = []
        total = 0.0
        for n, through in enumerate(matches.people):
            first, second, is_free = matches.firsts[n], matches.seconds[n], through & ~used != 0
            fits = self.diverse_after[first] and to_first[first] < length - 1
            if is_free and fits and to_last[second] == 0:
                total += rarity[second]
            sums.append(total)
            fits = self.diverse_before[second] and to_last[second] < length - 1
            if is_free and fits and to_first[first] == 0:
                total += rarity[first]
            sums.append(total)
        if not total:
            return None
        number = stream.weighted_index(sums)
        n = number // 2
        z = sample_member(matches.people[n] & ~used, stream)
        if number % 2 == 0:
            return Subchain(x, z, matches.firsts[n], True, y, sampling.first)
        return Subchain(z, y, matches.seconds[n], False, x, sampling.last)

    def complete_chain(
        self, subchain: Subchain, length: int, used: int, sampling: ChainSampling
    ) -> FactChain | None:
        """Return the whole chain of a sub-chain, which is resolved into all facts but one."""
        ends = subchain.first, subchain.last
        if subchain.is_prefix:
            x, z, y = (*ends, subchain.left_out)
            inner = ChainSampling(sampling.stream, sampling.counts, first=sampling.first)
        else:
            x, z, y = (subchain.left_out, *ends)
            inner = ChainSampling(sampling.stream, sampling.counts, last=sampling.last)
        chain = FactChain([*ends], [(x, z, y)], self.between[x][y])
        if not self._expand(chain, length - 1, ~(used | 1 << z), inner):
            return None
        if subchain.is_prefix:
            chain.people.append(y)
            chain.prefix = subchain.predicate
        else:
            chain.people.insert(0, x)
            chain.suffix = subchain.predicate
        return chain

    def _expand(self, chain: FactChain, length: int, free: int, sampling: ChainSampling) -> bool:
        """Insert people into a chain until it has `length` facts; False where nobody fits."""
        people, steps, between, stream = chain.people, chain.steps, self.between, sampling.stream
        frequency, rarity = sampling.counts.frequency, sampling.counts.rarity
        # Of each fact so far: the people who can resolve it, and how likely that is to happen.
        intermediates: list[int] = []
        weights: list[float] = []
        for n in range(1, len(people)):
            intermediates.append(self.intermediates(people[n - 1], people[n]))
            weights.append(frequency[between[people[n - 1]][people[n]]])
        to_first, to_last = sampling.to_first, sampling.to_last
        while len(people) <= length:
            last, rules_left = len(intermediates) - 1, length - len(people)
            first_needs = to_first[between[people[0]][people[1]]]
            last_needs = to_last[between[people[-2]][people[-1]]]
            inner_weight = 1.0 if first_needs + last_needs <= rules_left else 0.0
            sums: list[float] = []
            total = 0.0
            for n, through in enumerate(intermediates):
                if through & free:
                    total += weights[n] * (1.0 if n in (0, last) else inner_weight)
                sums.append(total)
            if not total:
                return False
            goal = stream.weighted_index(sums)
            x, y = people[goal], people[goal + 1]
            matches = self.decompositions(x, y)
            sums, total = [], 0.0
            for n, through in enumerate(matches.people):
                first, second = matches.firsts[n], matches.seconds[n]
                if through & free and rules_left >= (
                    to_first[first] if goal == 0 else first_needs
                ) + (to_last[second] if goal == last else last_needs):
                    total += rarity[first] * rarity[second]
                sums.append(total)
            if not total:
                return False
            n = stream.weighted_index(sums)
            z = sample_member(matches.people[n] & free, stream)
            free &= ~(1 << z)
            people.insert(goal + 1, z)
            steps.append((x, z, y))
            intermediates[goal] = self.intermediates(x, z)
            weights[goal] = frequency[matches.firsts[n]]
            intermediates.insert(goal + 1, self.intermediates(z, y))
            weights.insert(goal + 1, frequency[matches.seconds[n]])
        steps.reverse()
        return True

    def instantiate(self, clause: tuple[int, ...], head: int, stream: Stream) -> FactChain | None:
        """Sample people along whom a clause holds, with a proof of its head; None if it fails."""
        people = self.sample_path(clause, stream)
        if people is None:
            return None
        places, between = self.rules.sample_proof(clause, head, stream), self.scene.between
        steps = [(people[a], people[b], people[c]) for a, b, c in reversed(places)]
        # Conclusions of rules that do not always hold may be false here.
        for x, z, y in steps:
            if (between[x][z], between[z][y], between[x][y]) not in self.rules.compositions:
                return None
        return FactChain(people, steps, head)

    def sample_path(self, clause: tuple[int, ...], stream: Stream) -> list[int] | None:
        """Sample different people along whom a clause holds; None if there are none."""
        related = self.related
        # By place on the path, who can be there if people may occur twice; from the end back.
        fitting = [(1 << len(related)) - 1]
        for predicate in reversed(clause):
            reached = 0
            for x, row in enumerate(related):
                if row[predicate] & fitting[-1]:
                    reached |= 1 << x
            if not reached:
                return None
            fitting.append(reached)
        starts = members(fitting.pop())
        stream.shuffle(starts)
        fitting.reverse()
        for start in starts:
            people = random_path(self.scene, start, 1 << start, list(clause), stream, fitting)
            if people:
                return people
        return None

    def detours(self, people: list[int], used: int) -> int:
        """Return the unused people through whom a rule resolves some fact of a chain."""
        through = 0
        for n in range(len(people) - 1):
            through |= self.intermediates(people[n], people[n + 1])
        return through & ~used


def random_path(
    scene: Scene,
    start: int,
    used: int,
    predicates: list[int],
    stream: Stream,
    fitting: list[int] | None = None,
) -> list[int] | None:
    """Sample a path with these predicates, or ANY, through unused people; None if there is none.

    `fitting` has for each predicate those who can be reached by it, as a bitmask.
    """
    if not predicates:
        return [start]
    predicate = predicates[0]
    nearby = scene.neighbors[start] if predicate == ANY else scene.related[start][predicate]
    following = members(nearby & ~used & (fitting[0] if fitting else -1))
    stream.shuffle(following)
    later = fitting[1:] if fitting else None
    for person in following:
        rest = random_path(scene, person, used | 1 << person, predicates[1:], stream, later)
        if rest is not None:
            return [start, *rest]
    return None


def sample_member(people: int, stream: Stream) -> int:
    """Sample a person of a bitmask that is not empty."""
    if people & (people - 1):
        for _ in range(stream.below(people.bit_count())):
            people &= people - 1
    return (people & -people).bit_length() - 1


@cache
def has_diverse_extensions(rules: RuleIndex) -> bool:
    """Return whether enough predicates can be extended to many different answers.

    Otherwise chains would be limited to the few that can.
    """
    after, _ = _diverse_extensions(rules)
    return _DIVERSE_SHARE * after.count(True) >= len(after)


@cache
def _diverse_extensions(rules: RuleIndex) -> tuple[list[bool], list[bool]]:
    """Return whether each predicate gives many answers with a fact after it, and before it."""
    after, before = [
        [len({head for _, head in pairs}) >= _MIN_DIVERSE_ANSWERS for pairs in by_predicate]
        for by_predicate in (rules.by_first, rules.by_second)
    ]
    return after, before
