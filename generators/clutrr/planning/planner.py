"""The planner: samples story plans, that is people, facts and queries before names and words.

Up to `_story_plan`, people have their numbers in the scene, and sets of people are bitmasks.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

from ....block import Block
from ....errors import Infeasible
from ..options import NoiseKind, StoryOptions
from ..story import FactPath, IndexedFact, QueryPlan, StoryPlan
from .chain import (
    NOT_COMPUTED,
    Chainer,
    ChainSampling,
    FactChain,
    PredicateCounts,
    has_diverse_extensions,
    random_path,
)
from .end_balance import ANY, EndBalance, EndPair
from .holdout import IndexedClause, SplitClauses
from .matching import is_undetermined
from .noise import (
    Bridges,
    noise_room,
    sample_disconnected,
    sample_irrelevant,
    sample_supporting,
)
from .side_facts import SideFact, SideFactSampler

NoisePath = tuple[NoiseKind, list[int]]
"""A kind of noise and the people along the path."""

_MAX_ATTEMPTS: Final = 400
"""Stories drawn per scene before going on to the next."""
_MAX_SCENES: Final = 20
_SCENES: Final = 4
"""Scenes that are tried in turn."""
_ATTEMPTS_PER_ENDS: Final = 80
"""Attempts with the same pair of end facts before another is drawn."""
_MAX_STRICT_ATTEMPTS: Final = 6
"""Attempts before a story with few pairs of queries is accepted."""
_MAX_PAIRED_ATTEMPTS: Final = 14
"""Attempts before a story with a single pair is accepted."""
_SHARED_PART_PROBABILITY: Final = 0.9
"""Share of chains sampled around a sub-chain that other answers can share."""
_MAX_SUBCHAINS: Final = 4
"""Sub-chains drawn per chain."""
_MAX_TWINS: Final = 3
"""Possible twins of a story for which two ways to match the story are searched."""
_MAX_STRICT_TWINS: Final = 200
"""Attempts before a twin may have any end fact."""
_MAX_TWIN_ATTEMPTS: Final = 20
"""Possible twins drawn per story."""
_MAX_NOISE_ATTEMPTS: Final = 30
"""Attempts to fit short noise into a story that has room for it."""
_EXTRA_ENDS: Final = 5
"""Pairs compared for room between them, where units let any chain be long."""


class PartialPlan(NamedTuple):
    """A chain with its side facts, before noise, and the chains of all possible queries."""

    chainer: Chainer
    chain: FactChain
    side_facts: list[SideFact]
    chains: list[FactChain]


class Planner:
    """Sampler of the story plans of one block, from a few scenes in turn.

    `chainer` returns the rules with a scene, by number; `balance` the shares of end facts by k.
    """

    def __init__(
        self,
        options: StoryOptions,
        questions: int,
        block: Block,
        chainer: Callable[[int], Chainer],
        clauses: SplitClauses,
        balance: Callable[[int], EndBalance | None],
    ) -> None:
        self.questions, self.chainer, self.rules = questions, chainer, chainer(0).rules
        self.balance = balance
        self.clauses, self.both_ways = clauses, options.direction == "random"
        self.kinds = [kind for kind in options.kinds for _ in range(options.noise_paths)]
        self.lengths, self.reserves_room = list(options.noise_length), options.noise_paths == 1
        """True if the room that every story keeps is enough for the noise."""
        self.bridges = Bridges(options.story_world, self.rules) if options.words else None
        """With filler, somebody of the noise must be x of a bridge."""
        self.chain_stream, self.noise_stream = block.stream("chain"), block.stream("noise-chain")
        self.asked = block.stream("asked")
        self.counts = PredicateCounts(self.rules)
        self.twin_size = min(2, options.max_side_facts) if options.unknown_share else 0
        """The number of side facts that make the twin of a chain, if stories have twins."""
        self.attempts_per_ends = _ATTEMPTS_PER_ENDS // (4 if self.twin_size else 1)
        self.side_facts = SideFactSampler(
            options.max_side_facts - self.twin_size,
            self.both_ways,
            self.rules,
            self.counts,
            block.stream("side_facts"),
        )
        self.twin_place, self.twin_end = 0, ANY
        """Where the twin of the present story differs (0 first, 1 last), and its end fact there."""
        self.ends: EndPair = (ANY, ANY)
        """The predicates of the end facts of the present story."""
        self.diverse = has_diverse_extensions(self.rules)

    def plan(self, k: int, predicate: int, ends: EndPair | None = None) -> StoryPlan:
        """Sample a plan of k facts with that answer; `ends`: with these end facts, if possible.

        Without `ends`, they are drawn, and there should be other pairs to ask about.
        """
        for attempt in range(_MAX_ATTEMPTS * _MAX_SCENES):
            if ends and attempt < _MAX_ATTEMPTS:
                self.ends = ends
            elif attempt % self.attempts_per_ends == 0:
                self._draw_ends(k, predicate, attempt)
            partial = self._sample(k, predicate, attempt, ends is None)
            if partial:
                plan = self._with_noise(partial, False) or self._with_noise(partial, True)
                if plan:
                    return plan
        kinds = " and ".join(dict.fromkeys(self.kinds))
        raise Infeasible(
            f"no story of {k} facts{f' and {kinds} noise' if kinds else ''} with the answer "
            f"{self.rules.predicates[predicate]!r} was found in {_MAX_SCENES} scenes; "
            f"ask for more people, a smaller k, or shorter or fewer noise paths"
        )

    def _sample(
        self, k: int, predicate: int, attempt: int, has_queries: bool
    ) -> PartialPlan | None:
        """Sample a chain with that answer, side facts, and a twin at all but late attempts."""
        chainer, late = self._chainer(attempt), attempt >= _MAX_ATTEMPTS
        if not chainer.goals[predicate]:
            return None
        strictness = attempt if late else attempt % self.attempts_per_ends
        min_queries = self._min_queries(strictness) if has_queries else 0
        partial = self._partial_plan(chainer, k, predicate, min_queries)
        return self._with_twin(partial) if partial and self.twin_size and not late else partial

    def _draw_ends(self, k: int, predicate: int, attempt: int) -> None:
        """Draw the end facts of the next story and its twin; after many attempts, any will do."""
        stream = self.chain_stream
        balance = self.balance(k) if attempt < _MAX_ATTEMPTS else None
        self.ends = balance.draw(predicate, stream) if balance else (ANY, ANY)
        if self.twin_size:
            place = self.twin_place = stream.below(2)
            same = self.ends[1 - place]
            if balance and attempt < _MAX_STRICT_TWINS:
                self.twin_end = balance.draw_other_end(1 - place, same, stream)
            else:
                self.twin_end = ANY

    def undetermined(self, k: int, predicate: int) -> StoryPlan:
        """Sample a plan of k facts that leave open how the first and the last are related.

        If possible, it is that of a story with the answer `predicate`, whose twin it asks about,
        so that neither words nor end facts reveal it; otherwise it follows any path.
        """
        stream = self.chain_stream
        for attempt in range(_MAX_ATTEMPTS * _MAX_SCENES):
            chainer = self._chainer(attempt)
            partial: PartialPlan | None = None
            if self.twin_size and attempt < _MAX_ATTEMPTS:
                if attempt % self.attempts_per_ends == 0:
                    self._draw_ends(k, predicate, attempt)
                partial = self._sample(k, predicate, attempt, True)
                if partial:
                    partial = self._asking_twin(partial, self._size_of_twin(k))
            else:
                start = stream.below(len(chainer.scene.gender))
                people = random_path(chainer.scene, start, 1 << start, [ANY] * k, stream)
                chain = FactChain(people, [], -1) if people else None
                partial = self._with_side_facts(chainer, chain, 0, []) if chain else None
            plan = self._with_noise(partial, True) if partial else None
            if plan and self._is_open(chainer, plan):
                return plan
        raise Infeasible(
            f"no story of {k} facts that leaves the answer open was found; ask for a larger k"
        )

    def _chainer(self, attempt: int) -> Chainer:
        """Return the first scenes in turn, and after many attempts further ones."""
        tried = attempt // _MAX_ATTEMPTS
        return self.chainer(attempt % _SCENES if tried < _SCENES else tried)

    def plan_in(self, chainer: Chainer, k: int, predicate: int, attempts: int) -> StoryPlan | None:
        """Sample from one scene; None after `attempts`."""
        self.ends = ANY, ANY
        for attempt in range(attempts if chainer.goals[predicate] else 0):
            partial = self._partial_plan(chainer, k, predicate, self._min_queries(attempt))
            plan = self._with_noise(partial, True) if partial else None
            if plan:
                return plan
        return None

    def _with_twin(self, partial: PartialPlan) -> PartialPlan | None:
        """Add the side facts of a twin; None if nobody fits.

        The twin of a chain is another chain of k facts that differs in its last facts, or in its
        first, and leaves the answer open. Either of the two can be asked about. The end facts of
        both are equally frequent, so that neither words nor end facts reveal which has an answer.
        """
        chainer, people = partial.chainer, partial.chain.people
        used = _bitmask(people) | _new_people(partial.side_facts)
        tried = 0
        for _ in range(_MAX_TWIN_ATTEMPTS):
            facts = self._sample_twin(chainer, people, used)
            if not facts or not noise_room(chainer, people, used | _new_people(facts)):
                continue
            twin = partial._replace(side_facts=partial.side_facts + facts)
            asking = self._asking_twin(twin, len(facts))
            if self.rules.count_proofs(chainer.clause(asking.chain.people)):
                continue
            plan = self._story_plan(asking, asking.side_facts, [])
            if plan and self._is_open(chainer, plan):
                return twin
            tried += 1
            if tried == _MAX_TWINS:
                break
        return None

    def _sample_twin(self, chainer: Chainer, people: list[int], used: int) -> list[SideFact]:
        """Sample facts that lead from the chain to the end of a possible twin; [] if none fit."""
        outward = self.twin_place == 1
        size = self._size_of_twin(len(people) - 1)
        person = people[-1 - size] if outward else people[size]
        facts: list[SideFact] = []
        for number in range(size):
            links = chainer.between[person] if outward else chainer.between_transposed[person]
            wanted = self.twin_end if number == size - 1 else ANY
            fitting: list[int] = []
            for new, link in enumerate(links):
                if link >= 0 and not used >> new & 1 and wanted in (ANY, link):
                    fitting.append(new)
            if not fitting:
                return []
            new = self.chain_stream.choice(fitting)
            facts.append((person, new, outward))
            person, used = new, used | 1 << new
        return facts

    def _size_of_twin(self, k: int) -> int:
        """Return the number of facts that only the twin has; one if the chain has only two."""
        return self.twin_size if k > 2 else 1

    def _asking_twin(self, partial: PartialPlan, size: int) -> PartialPlan:
        """Return the same facts with the twin as the chain of the story."""
        people, others = partial.chain.people, partial.side_facts[:-size]
        twin = [new for _, new, _ in partial.side_facts[-size:]]
        outward = partial.side_facts[-1][2]
        # The facts that only the first chain has become side facts, the nearest first.
        line = people if outward else people[::-1]
        chain, rest = [*line[:-size], *twin], line[-1 - size :]
        side_facts = [(rest[n], rest[n + 1], outward) for n in range(size)]
        chain = chain if outward else chain[::-1]
        return PartialPlan(partial.chainer, FactChain(chain, [], -1), side_facts + others, [])

    def _is_open(self, chainer: Chainer, plan: StoryPlan) -> bool:
        facts = plan.facts[: plan.k]
        return is_undetermined(chainer.scene, plan.gender, facts, self._facts_outward(plan))

    def _facts_outward(self, plan: StoryPlan) -> list[IndexedFact]:
        """Return noise and side facts, each from the person who is known first.

        The facts that are hardest to match come first.
        """
        facts: list[IndexedFact] = []
        core, k = plan.core_size, plan.k
        for x, predicate, y in plan.facts[core:] + plan.facts[k:core]:
            back = self.rules.inverse[predicate]
            facts.append((y, back, x) if y < x and back >= 0 else (x, predicate, y))
        return facts

    def _min_queries(self, attempt: int) -> int:
        """Return the queries that a story must have at this attempt: fewer at later ones."""
        branching = self.side_facts.branching
        if not branching or attempt > _MAX_PAIRED_ATTEMPTS:
            return 0
        if not self.diverse:
            return 1
        if attempt >= _MAX_STRICT_ATTEMPTS:
            return 2
        return min(branching, 3 if attempt < _MAX_STRICT_ATTEMPTS // 2 else 2) + 1

    def _partial_plan(
        self, chainer: Chainer, k: int, predicate: int, min_queries: int
    ) -> PartialPlan | None:
        """Sample a chain with that answer and its side facts; None with fewer queries.

        Side facts around a sub-chain are sampled before the chain, which could be in their way.
        """
        stream = self.chain_stream
        held_out = self.clauses.only.get((k, predicate))
        if held_out:
            chain = chainer.instantiate(stream.choice(held_out), predicate, stream)
            return self._with_side_facts(chainer, chain, min_queries, []) if chain else None
        side_facts = self.side_facts
        goals = chainer.goals_with_ends(predicate, *self.ends)
        if not goals:
            return None
        x, y = goals[stream.below(len(goals))]
        for _ in range(_EXTRA_ENDS if self.rules.identities else 0):
            a, b = goals[stream.below(len(goals))]
            if chainer.room(a, b) > chainer.room(x, y):
                x, y = a, b
        used = 1 << x | 1 << y
        balance = self.balance(k)
        sampling = ChainSampling(stream, self.counts, *self.ends)
        if min_queries <= 2 or stream.random() >= _SHARED_PART_PROBABILITY:
            chain = chainer.sample_chain(x, y, k, used, sampling)
            return self._with_side_facts(chainer, chain, min_queries, []) if chain else None
        for _ in range(_MAX_SUBCHAINS):
            subchain = chainer.sample_subchain(x, y, k, used, sampling)
            if subchain is None:
                break
            side_facts.start_story(chainer, x, y, predicate, balance)
            # The others are added later, to any chain that there is then.
            limit = 1 + side_facts.stream.below(side_facts.branching)
            all_used = used | 1 << subchain.first | 1 << subchain.last
            around = side_facts.sample(subchain, limit, all_used, k)
            if len(around) + 1 + side_facts.branching - limit >= min_queries:
                all_used = used | _new_people(around)
                chain = chainer.complete_chain(subchain, k, all_used, sampling)
                if chain:
                    return self._with_side_facts(chainer, chain, min_queries, around)
        return None

    def _with_side_facts(
        self, chainer: Chainer, chain: FactChain, min_queries: int, side_facts: list[SideFact]
    ) -> PartialPlan | None:
        """Add side facts to a chain and to those given; None with fewer queries.

        Every story must have room for noise, so that it is the same with noise and without.
        """
        people = chain.people
        used = _bitmask(people) | _new_people(side_facts)
        room = noise_room(chainer, people, used)
        clause = chainer.clause(people)
        if not room or clause in self.clauses.excluded:
            return None
        if not side_facts:
            balance = self.balance(len(people) - 1)
            self.side_facts.start_story(chainer, people[0], people[-1], chain.answer, balance)
        side_facts, chains = self.side_facts.complete(chain, used | room, side_facts)
        if len(chains) < min_queries:
            return None
        stated = list(clause)
        for x, y, outward in side_facts:
            stated.append(chainer.between[x][y] if outward else chainer.between[y][x])
        self.counts.add(stated)
        return PartialPlan(chainer, chain, side_facts, chains)

    def _with_noise(self, partial: PartialPlan, drop_side_facts: bool) -> StoryPlan | None:
        """Add noise; None where it does not fit, if need be without some side facts.

        Side facts leave room for noise: where one noise path was in the way of another, short ones
        are sampled until they fit.
        """
        side_facts = partial.side_facts
        noise = self._joined_noise(partial, side_facts, self.lengths)
        while noise is None and drop_side_facts and side_facts:
            side_facts = side_facts[:-1]
            noise = self._joined_noise(partial, side_facts, self.lengths)
        attempts = 0 if drop_side_facts or not self.reserves_room else _MAX_NOISE_ATTEMPTS
        while noise is None and attempts:
            attempts -= 1
            noise = self._joined_noise(partial, side_facts, [min(self.lengths)])
        if noise is None:
            return None
        return self._story_plan(partial, side_facts, noise)

    def _joined_noise(
        self, partial: PartialPlan, side_facts: list[SideFact], lengths: list[int]
    ) -> list[NoisePath] | None:
        """Sample noise that filler can join, if there will be any; None where it does not fit."""
        noise = self._noise(partial, side_facts, lengths)
        attempts = _MAX_NOISE_ATTEMPTS
        while noise is not None and not self._can_be_joined(partial.chainer, noise):
            attempts -= 1
            noise = self._noise(partial, side_facts, lengths) if attempts else None
        return noise

    def _can_be_joined(self, chainer: Chainer, noise: list[NoisePath]) -> bool:
        """Return whether somebody on an attached path can be x of a bridge, or none is needed."""
        if self.bridges is None:
            return True
        for kind, people in noise:
            facts: list[IndexedFact] = []
            for n in range(1, len(people)):
                x, y = people[n - 1], people[n]
                facts.append((x, chainer.between[x][y], y))
            new = people[1:-1] if kind == "supporting" else people[1:]
            joints = self.bridges.joints(facts)
            if kind != "disconnected" and any(person in joints for person in new):
                return True
        return False

    def _noise(
        self, partial: PartialPlan, side_facts: list[SideFact], lengths: list[int]
    ) -> list[NoisePath] | None:
        """Sample noise paths of every kind through unused people; None where one does not fit.

        Where noise leaves the chain must not reveal the query: of both ends it takes the one where
        more of the other chains end, too. Supporting paths avoid both ends, if there are others:
        at an end, they would give away more of the answer.
        """
        noise: list[NoisePath] = []
        chainer, chain = partial.chainer, partial.chain.people
        stream, sampling = self.noise_stream, ChainSampling(self.noise_stream, self.counts)
        used = _bitmask(chain) | _new_people(side_facts)
        ends = [chain[0], chain[-1]]
        if self.kinds and _ends_at(partial.chains, ends[0]) < _ends_at(partial.chains, ends[1]):
            ends.reverse()
        spared = ends if len(chain) > 3 else ends[1:]
        for kind in self.kinds:
            if kind == "supporting":
                path = sample_supporting(chainer, chain, spared, used, lengths, sampling)
            elif kind == "irrelevant":
                path = sample_irrelevant(chainer.scene, ends, used, lengths, stream)
            else:
                path = sample_disconnected(chainer.scene, used, lengths, stream)
            if path is None:
                return None
            used |= _bitmask(path)
            noise.append((kind, path))
        return noise

    def _story_plan(
        self, partial: PartialPlan, side_facts: list[SideFact], noise: list[NoisePath]
    ) -> StoryPlan | None:
        """Number people and facts as in the story; None where there are too few queries."""
        chainer, chain = partial.chainer, partial.chain
        scene, between, clause = chainer.scene, chainer.between, chainer.clause(chain.people)
        everyone = chain.people.copy()
        number = [-1] * len(scene.gender)
        for n, person in enumerate(chain.people):
            number[person] = n
        facts = [(n, predicate, n + 1) for n, predicate in enumerate(clause)]
        for person, new, outward in side_facts:
            number[new] = len(everyone)
            everyone.append(new)
            x, y = (person, new) if outward else (new, person)
            facts.append((number[x], between[x][y], number[y]))
        core_size = len(facts)
        paths: list[tuple[NoiseKind, FactPath]] = []
        for kind, noisy in noise:
            first = len(facts)
            for person in noisy:
                if number[person] < 0:
                    number[person] = len(everyone)
                    everyone.append(person)
            for n in range(1, len(noisy)):
                x, y = noisy[n - 1], noisy[n]
                facts.append((number[x], between[x][y], number[y]))
            people = [number[person] for person in noisy]
            paths.append((kind, (people, list(range(first, len(facts))))))
        k = len(clause)
        steps = [(number[x], number[z], number[y]) for x, z, y in chain.steps]
        path: FactPath = list(range(k + 1)), list(range(k))
        query = self._query_plan(path, clause, chain.answer, steps)
        if steps:
            query.proofs = chain.proofs
            if chain.proofs == NOT_COMPUTED:
                query.proofs = self.rules.count_proofs(clause).get(chain.answer, 0)
        gender, queries = [scene.gender[person] for person in everyone], [query]
        if self.questions > 1:
            queries += self._other_queries(facts[:core_size], gender, query)
            if len(queries) < self.questions:
                return None
        plan = StoryPlan(gender, facts, core_size, queries)
        plan.noise = paths
        return plan

    def _other_queries(
        self, core: list[IndexedFact], gender: list[int], first: QueryPlan
    ) -> list[QueryPlan]:
        """Return further queries as far apart as the first, with different answers and pairs.

        No pair occurs in both directions, so that no answer is the inverse of another.
        """
        rules, words = self.rules, self.rules.word_ids
        paths = _paths(core, len(first.facts), self.both_ways)
        self.asked.shuffle(paths)
        answers = {words[first.predicate][gender[first.y]]}
        pairs, asked = {(first.x, first.y), (first.y, first.x)}, {first.y}
        others: list[QueryPlan] = []
        for people, numbers in paths:
            x, y = people[0], people[-1]
            if (x, y) in pairs or len(others) == self.questions - 1:
                continue
            if y not in asked and len(asked) == len(core):
                continue  # keep one person whose gender need not be shown
            along: list[int] = []
            for n, number in enumerate(numbers):
                start, predicate, _ = core[number]
                along.append(predicate if start == people[n] else rules.inverse[predicate])
            clause = tuple(along)
            proofs = {} if -1 in clause else rules.count_proofs(clause)
            if len(proofs) != 1:
                continue
            head = next(iter(proofs))
            if words[head][gender[y]] in answers:
                continue
            answers.add(words[head][gender[y]])
            asked.add(y)
            pairs |= {(x, y), (y, x)}
            steps = rules.sample_proof(clause, head, self.asked)[::-1]
            query = self._query_plan((people, numbers), clause, head, steps)
            query.proofs = proofs[head]
            others.append(query)
        return others

    def _query_plan(
        self, path: FactPath, clause: IndexedClause, answer: int, steps: list[tuple[int, int, int]]
    ) -> QueryPlan:
        """Return the plan of a query; its proof has places along the path."""
        (people, facts), rules, size = path, self.rules, len(path[0])
        names = [rules.predicates[predicate] for predicate in clause]
        query = QueryPlan(people[0], people[-1], answer, facts, names)
        # By two places: the fact or conclusion between them, its predicate and its depth.
        premises, predicates, depths = [[0] * (size * size) for _ in range(3)]
        for n, predicate in enumerate(clause):
            premises[n * size + n + 1], predicates[n * size + n + 1] = facts[n], predicate
        for n, (start, middle, end) in enumerate(steps):
            first, second, both = start * size + middle, middle * size + end, start * size + end
            head = rules.composed_by_second[predicates[second]][predicates[first]]
            query.steps.append(
                (premises[first], premises[second], people[start], head, people[end])
            )
            premises[both], predicates[both] = ~n, head
            query.depth = depths[both] = 1 + max(depths[first], depths[second])
        return query


def _paths(facts: list[IndexedFact], k: int, both_ways: bool) -> list[FactPath]:
    """Return all paths of k facts through a tree.

    Unless `both_ways`, all facts are followed in their direction.
    """
    onward: dict[int, list[tuple[int, int]]] = {}
    for number, (x, _, y) in enumerate(facts):
        onward.setdefault(x, []).append((number, y))
        if both_ways:
            onward.setdefault(y, []).append((number, x))
    paths: list[FactPath] = [([person], []) for person in sorted(onward)]
    for _ in range(k):
        paths = [
            ([*people, person], [*numbers, number])
            for people, numbers in paths
            for number, person in onward.get(people[-1], ())
            if person not in people
        ]
    return paths


def _ends_at(chains: list[FactChain], person: int) -> int:
    return [person in (chain.people[0], chain.people[-1]) for chain in chains].count(True)


def _bitmask(people: list[int]) -> int:
    mask = 0
    # A loop, not `sum`: compiled, that would make a generator each time.
    for person in people:
        mask |= 1 << person
    return mask


def _new_people(side_facts: list[SideFact]) -> int:
    return _bitmask([new for _, new, _ in side_facts])
