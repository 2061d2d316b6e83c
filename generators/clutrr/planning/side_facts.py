"""Side facts: facts outside the chain and the noise, so that the story does not reveal its query.

Each side fact introduces one person. All but the last create another query: they branch off the
end of a chain, so the story contains another k-fact chain with a different answer. Further ones
may branch off any such chain. The last is about anybody, with the predicate stated least so far.
"""

from typing import Final

from ....kb.worlds.rules import RuleIndex
from ....seed import Stream
from .chain import (
    Chainer,
    FactChain,
    PredicateCounts,
    Subchain,
    sample_member,
)
from .end_balance import ANY, EndBalance

_MAX_K_WITH_FREE_ENDS: Final = 2
"""Up to this k, side facts may attach to the people of the query without revealing the answer."""

_RARE_SHARE: Final = 1e-4
"""Added to the shares of answers, so that pairs of end facts without one occur if need be."""

SideFact = tuple[int, int, bool]
"""A person of the story, a new one, and whether the fact runs from the first to the new one."""


class SideFactSampler:
    """Sampler of side facts for one story after the other.

    `both_ways` says that either of two people may be asked about.
    """

    chainer: Chainer
    """That of the present story."""
    balance: EndBalance | None

    def __init__(
        self, limit: int, both_ways: bool, rules: RuleIndex, counts: PredicateCounts, stream: Stream
    ) -> None:
        self.limit, self.both_ways, self.counts, self.stream = limit, both_ways, counts, stream
        self.branching = min(limit, max(1, limit - 1))
        """The number of side facts that create another query."""
        words = [number for words in rules.word_ids for number in words]
        self._story_of = [0] * (2 + max(words, default=0))
        """For each answer, the last story that has a query with it."""
        self._story = self._answers = 0
        """The number of the present story, and of its answers so far."""

    def start_story(
        self, chainer: Chainer, x: int, y: int, answer: int, balance: EndBalance | None
    ) -> None:
        """Record the answers of a chain, in both directions; none where it is undetermined."""
        self._story += 1
        self._answers, self.chainer, self.balance = 0, chainer, balance
        if answer >= 0:
            self._record(x, answer, y)

    def _record(self, x: int, predicate: int, y: int) -> None:
        self._add(_answer(self.chainer, predicate, y))
        if self.both_ways:
            self._add(_answer(self.chainer, self.chainer.rules.inverse[predicate], x))

    def _add(self, answer: int) -> None:
        if self._story_of[answer] != self._story:
            self._story_of[answer] = self._story
            self._answers += 1

    def sample(self, subchain: Subchain, limit: int, used: int, k: int) -> list[SideFact]:
        """Sample side facts that attach to one end of a sub-chain and create another query.

        Each adds one person whose relation to the far end is entailed, so the story has another
        chain of k facts with a different answer. Returns fewer than `limit` when nobody fits.
        """
        side_facts: list[SideFact] = []
        free_ends = k <= _MAX_K_WITH_FREE_ENDS
        free = ~used
        while len(side_facts) < limit:
            outward = self.stream.random() < 0.5 if free_ends else subchain.is_prefix
            new = self._sample_person(subchain, outward, free)
            if new < 0 and free_ends:
                outward = not outward
                new = self._sample_person(subchain, outward, free)
            if new < 0:
                break
            side_facts.append((subchain.last if outward else subchain.first, new, outward))
            free &= ~(1 << new)
        return side_facts

    def complete(
        self, chain: FactChain, used: int, side_facts: list[SideFact]
    ) -> tuple[list[SideFact], list[FactChain]]:
        """Sample the remaining side facts of a chain; return all, and the chains of all queries.

        The first is the given chain. Side facts of its sub-chain may be given. There are no side
        facts where every query would have the same answer.
        """
        people, chains = chain.people, [chain]
        if not self.limit:
            return side_facts, chains
        part = people[:-1] if chain.prefix >= 0 else people[1:]
        core = people.copy()
        free = ~used
        for _, new, outward in side_facts:
            predicate = max(chain.prefix, chain.suffix)
            chains.append(self._extended(part, new, outward, predicate))
            core.append(new)
            free &= ~(1 << new)
        several_answers = len(chains) > 1 or self._answers != 1
        while len(side_facts) < self.limit:
            side_fact: SideFact | None = None
            if len(side_facts) < self.branching or len(chains) == 1:
                first = self.stream.below(len(chains))
                for number in range(first, first + len(chains)):
                    side_fact = side_fact or self._branch(number % len(chains), free, chains)
            several_answers = several_answers or side_fact is not None
            if side_fact is None and several_answers:
                side_fact = self._sample_anywhere(core, free)
            if side_fact is None:
                break
            side_facts.append(side_fact)
            core.append(side_fact[1])
            free &= ~(1 << side_fact[1])
        return side_facts, chains

    def _branch(self, number: int, free: int, chains: list[FactChain]) -> SideFact | None:
        """Sample a side fact that creates another chain with another answer; append the chain."""
        chain = chains[number]
        people, suffix_first = chain.people, chain.prefix >= 0
        chain.compute_parts(self.chainer)
        # The fact replaces an end of the chain. In short chains it may also extend one end and drop
        # the other. What was not known first comes first.
        places: tuple[int, ...] = (2, 0) if suffix_first else (0, 2)
        if len(people) <= _MAX_K_WITH_FREE_ENDS + 1:
            places = (1, 3, 2, 0) if suffix_first else (3, 1, 0, 2)
        for place in places:
            is_prefix = place in (0, 3)
            predicate = chain.prefix if is_prefix else chain.suffix
            if predicate < 0:
                continue
            part, left_out = (people[:-1], people[-1]) if is_prefix else (people[1:], people[0])
            between = self.chainer.between
            end = between[part[0]][part[1]] if is_prefix else between[part[-2]][part[-1]]
            subchain = Subchain(part[0], part[-1], predicate, is_prefix, left_out, end)
            outward = place < 2
            new = self._sample_person(subchain, outward, free)
            if new >= 0:
                chains.append(self._extended(part, new, outward, predicate))
                return subchain.last if outward else subchain.first, new, outward
        return None

    def _sample_person(self, subchain: Subchain, outward: bool, free: int) -> int:
        """Sample a person after a sub-chain, or before it, who gives a new answer; -1 for nobody.

        Predicates that reveal little of the answer, and rarely stated ones, are preferred.
        """
        chainer = self.chainer
        inverse, words, gender = chainer.rules.inverse, chainer.rules.word_ids, chainer.gender
        rarity, stream, x, y = self.counts.rarity, self.stream, subchain.first, subchain.last
        balance, end = self.balance, subchain.end
        story_of, story = self._story_of, self._story
        matches = chainer.extensions(subchain, outward, free)
        people: list[int] = []
        heads: list[int] = []
        sums: list[float] = []
        total = 0.0
        for n, among in enumerate(matches.people):
            link, head = matches.firsts[n], matches.seconds[n]
            new = sample_member(among, stream)
            last, first = (new, x) if outward else (y, new)
            # Same as _answer, inlined because it runs for every rule that holds.
            if story_of[1 + words[head][gender[last]]] == story:
                continue
            back = inverse[head]
            inverse_answer = 1 + words[back][gender[first]] if back >= 0 else 0
            if self.both_ways and story_of[inverse_answer] == story:
                continue
            weight = rarity[link]
            if balance and end != ANY:
                shares = balance.shares[end][link] if outward else balance.shares[link][end]
                weight *= shares[head] + _RARE_SHARE
            total += weight
            people.append(new)
            heads.append(head)
            sums.append(total)
        if not total:
            return -1
        number = stream.weighted_index(sums)
        new = people[number]
        first, last = (x, new) if outward else (new, y)
        self._record(first, heads[number], last)
        return new

    def _sample_anywhere(self, core: list[int], free: int) -> SideFact | None:
        """Sample a fact about anyone of the story, with the predicate stated least so far."""
        chainer, stream, counts = self.chainer, self.stream, self.counts.counts
        first = stream.below(len(core))
        for number in range(len(core)):
            person = core[(first + number) % len(core)]
            related, best = chainer.related[person], -1
            for predicate in chainer.predicates_of[person]:
                if related[predicate] & free and (best < 0 or counts[predicate] < counts[best]):
                    best = predicate
            if best >= 0:
                new = sample_member(related[best] & free, stream)
                return person, new, stream.random() < 0.5
        return None

    def _extended(self, part: list[int], new: int, outward: bool, predicate: int) -> FactChain:
        """Return the chain of a sub-chain with this predicate and a person after or before it."""
        path = [*part, new] if outward else [new, *part]
        chain = FactChain(path, [], self.chainer.between[path[0]][path[-1]])
        if outward:
            chain.prefix = predicate
        else:
            chain.suffix = predicate
        return chain


def _answer(chainer: Chainer, predicate: int, person: int) -> int:
    """Return the number of the answer word for a person, or 0 for no predicate."""
    return 0 if predicate < 0 else 1 + chainer.rules.word_ids[predicate][chainer.gender[person]]
