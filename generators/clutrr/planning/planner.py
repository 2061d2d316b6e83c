"""Story plans: people, facts and queries before names and words."""

from collections.abc import Callable
from typing import Final, NamedTuple

from ....block import Block
from ....errors import Infeasible
from ....kb.worlds.scene import Scene
from ..values import NoiseKind
from .chain import (
    NOT_COMPUTED,
    Chainer,
    ChainSampling,
    FactChain,
    PredicateCounts,
    has_diverse_extensions,
)
from .endpoint_weights import endpoint_weights
from .matching import IndexedFact, is_undetermined
from .noise import (
    noise_room,
    random_path,
    sample_disconnected,
    sample_irrelevant,
    sample_supporting,
)
from .side_facts import QueryPair, SideFact, SideFactSampler

IndexedClause = tuple[int, ...]
"""The predicates along a chain, by number."""
NoisePath = tuple[NoiseKind, list[int]]
"""A kind of noise and the people along the path."""

_MAX_ATTEMPTS: Final = 400
"""Stories drawn per scene before going on to the next."""
_MAX_SCENES: Final = 20
_MAX_STRICT_ATTEMPTS: Final = 30
"""Attempts before a story with few pairs of queries is accepted."""
_MAX_PAIRED_ATTEMPTS: Final = 200
"""Attempts before a story with a single pair is accepted."""
_SHARED_PART_PROBABILITY: Final = 0.9
"""Share of chains sampled around a sub-chain that other answers can share."""
_MAX_SUBCHAINS: Final = 4
"""Sub-chains drawn per chain."""
_MAX_NOISE_ATTEMPTS: Final = 30
"""Attempts to fit short noise into a story that has room for it."""
_EXTRA_ENDS: Final = 5
"""Pairs compared for room between them, where units let any chain be long."""
_SWAPS_PER_STORY: Final = 8
"""Answer-swap attempts per story."""

Step = tuple[int, int, int, int, int]
"""The numbers of two premises, and their conclusion (x, predicate, y)."""


class QueryPlan:
    """A pair that can be asked about: the people between them and the proof.

    Facts are numbered as in the row of the query: first the k between the two, then all other
    stated facts, then the conclusions. `order` has their numbers in the story plan.
    """

    __slots__ = ("clause", "depth", "order", "people", "predicate", "proofs", "steps")

    def __init__(
        self, people: list[int], order: list[int], predicate: int, clause: list[str]
    ) -> None:
        self.people, self.order, self.predicate, self.clause = people, order, predicate, clause
        self.steps: list[Step] = []
        self.depth = self.proofs = 0

    def proved(self, steps: list[Step], depth: int, proofs: int) -> "QueryPlan":
        """Set the proof, its depth and the number of all proofs; return the plan."""
        self.steps, self.depth, self.proofs = steps, depth, proofs
        return self


class StoryPlan:
    """People by number, their genders, the stated facts, and the queries.

    People are numbered along the chain, then come those of side facts, then those of noise; so are
    facts. The first `core_size` facts are those of the chain and the side facts.
    """

    __slots__ = ("core_size", "facts", "gender", "k", "noise", "queries")

    def __init__(
        self,
        gender: list[int],
        facts: list[IndexedFact],
        k: int,
        core_size: int,
        noise: list[NoisePath],
        queries: list[QueryPlan],
    ) -> None:
        self.gender, self.facts, self.k, self.core_size = gender, facts, k, core_size
        self.noise, self.queries = noise, queries

    def copy(self) -> "StoryPlan":
        """Return a copy to which people, facts and noise can be added."""
        facts, noise = self.facts.copy(), self.noise.copy()
        return StoryPlan(self.gender.copy(), facts, self.k, self.core_size, noise, self.queries)


class PartialPlan:
    """A chain with its side facts and the pairs of its queries, before noise."""

    __slots__ = ("chain", "chainer", "pairs", "side_facts")

    def __init__(
        self,
        chainer: Chainer,
        chain: FactChain,
        side_facts: list[SideFact],
        pairs: list[QueryPair],
    ) -> None:
        self.chainer, self.chain, self.side_facts, self.pairs = chainer, chain, side_facts, pairs


class PlanOptions(NamedTuple):
    """Settings of a planner.

    A split has no clause that is in `excluded` and, where `only` has clauses for a length and an
    answer, no others.
    """

    side_facts: int
    both_ways: bool
    questions: int
    noise_kinds: list[NoiseKind]
    noise_lengths: list[int]
    noise_in_interior: bool
    excluded: frozenset[IndexedClause]
    only: dict[tuple[int, int], list[IndexedClause]]


class Planner:
    """Sampler of the story plans of one block, from one scene as long as it has what is needed.

    `chainer` returns the rules with a scene, by number.
    """

    def __init__(
        self, block: Block, chainer: Callable[[int], Chainer], options: PlanOptions
    ) -> None:
        self.chainer, self.rules = chainer, chainer(0).rules
        self.questions, self.both_ways = options.questions, options.both_ways
        self.kinds, self.lengths = options.noise_kinds, options.noise_lengths
        self.interior = options.noise_in_interior
        self.reserves_room = not self.interior and len(set(self.kinds)) == len(self.kinds)
        """True if the room that every story keeps is enough for the noise."""
        self.excluded, self.only = options.excluded, options.only
        self.chain_stream, self.noise_stream = block.stream("chain"), block.stream("noise-chain")
        self.counts = PredicateCounts(self.rules)
        self.side_facts = SideFactSampler(
            options.side_facts, self.both_ways, self.rules, self.counts, block.stream("beside")
        )
        self.end_counts: dict[tuple[int, int, int], int] = {}
        """Queries so far, by answer and the first and last predicate of the chain."""
        self.reversible, self.asked = (
            self.both_ways and self.rules.is_inverse_closed,
            block.stream("asked"),
        )
        self.diverse = has_diverse_extensions(self.rules)

    def allowed_answers(self, k: int, among: frozenset[int]) -> frozenset[int]:
        """Return the answers that the split can have for chains of k facts."""
        held_out = frozenset([answer for length, answer in self.only if length == k])
        return held_out or among

    def answers_stating(self, k: int, predicate: int) -> list[int]:
        """Return the answers of those required chains that state a predicate."""
        return [
            answer
            for (length, answer), clauses in self.only.items()
            if length == k and any(predicate in clause for clause in clauses)
        ]

    def tellable_predicates(self, k: int, among: frozenset[int]) -> frozenset[int]:
        """Return the predicates that the split can state in chains of k facts."""
        if not self.only:
            return among
        return frozenset([p for p in among if self.answers_stating(k, p)]) or among

    def plan(self, k: int, predicate: int, single_query: bool = False) -> StoryPlan:
        """Sample a plan of k facts with that answer; `single_query`: other pairs are not needed."""
        for number in range(_MAX_SCENES):
            plan = self.plan_in(self.chainer(number), k, predicate, _MAX_ATTEMPTS, single_query)
            if plan:
                return plan
        kinds = " and ".join(dict.fromkeys(self.kinds))
        raise Infeasible(
            f"no story of {k} facts{f' and {kinds} noise' if kinds else ''} with the answer "
            f"{self.rules.predicates[predicate]!r} was found in {_MAX_SCENES} scenes; "
            f"ask for more people, a smaller k, or shorter or fewer noise paths"
        )

    def plan_in(
        self, chainer: Chainer, k: int, predicate: int, attempts: int, single_query: bool = False
    ) -> StoryPlan | None:
        """Sample from one scene; None after `attempts`."""
        for attempt in range(attempts if chainer.goals[predicate] else 0):
            min_pairs = 0 if single_query else self._min_pairs(attempt)
            partial = self._partial_plan(chainer, k, predicate, min_pairs)
            plan = self._with_noise(partial, True) if partial else None
            if plan:
                return plan
        return None

    def plans(self, k: int, predicates: list[int]) -> list[StoryPlan]:
        """Sample a plan for each answer; which story has which answer is drawn after the stories.

        Two stories swap answers where both can have both, so a story does not reveal which of its
        queries is asked.
        """
        partials: list[PartialPlan] = []
        options: list[list[tuple[int, QueryPair, bool]]] = []
        possible: list[int] = []
        for predicate in predicates:
            partial = self._some_partial_plan(k, predicate)
            partials.append(partial)
            options.append(self._query_options(partial))
            possible.append(_bitmask([option[0] for option in options[-1]]))
        answers, size, stream = predicates.copy(), len(predicates), self.asked
        for _ in range(_SWAPS_PER_STORY * size):
            one, other = stream.below(size), stream.below(size)
            if possible[one] >> answers[other] & possible[other] >> answers[one] & 1:
                answers[one], answers[other] = answers[other], answers[one]
        plans: list[StoryPlan] = []
        for partial, listed, answer in zip(partials, options, answers, strict=True):
            pair, is_reversed = self._rarest(partial.chainer, listed, answer)
            asked = self._asking(partial, pair, is_reversed)
            plan = self._with_noise(asked, False) if asked else None
            plans.append(plan or self.plan(k, answer))
        return plans

    def _some_partial_plan(self, k: int, predicate: int) -> PartialPlan:
        for number in range(_MAX_SCENES):
            chainer = self.chainer(number)
            for attempt in range(_MAX_ATTEMPTS if chainer.goals[predicate] else 0):
                partial = self._partial_plan(chainer, k, predicate, self._min_pairs(attempt))
                if partial:
                    return partial
        raise Infeasible(
            f"no story of {k} facts with the answer {self.rules.predicates[predicate]!r} was found "
            f"in {_MAX_SCENES} scenes; ask for more people or a smaller k"
        )

    def _query_options(self, partial: PartialPlan) -> list[tuple[int, QueryPair, bool]]:
        """Return the possible answers, each with its pair and whether that is reversed."""
        chainer, inverse = partial.chainer, self.rules.inverse
        used = _bitmask(partial.chain.people) | _new_people(partial.side_facts)
        options: list[tuple[int, QueryPair, bool]] = []
        for number, pair in enumerate(partial.pairs):
            if number and not noise_room(chainer, pair.people, used):
                continue
            if number == 0 or self._is_allowed(chainer.scene, pair.people, pair.predicate):
                options.append((pair.predicate, pair, False))
            back = inverse[pair.predicate]
            if self.reversible and self._is_allowed(chainer.scene, pair.people[::-1], back):
                options.append((back, pair, True))
        return options

    def _rarest(
        self, chainer: Chainer, options: list[tuple[int, QueryPair, bool]], answer: int
    ) -> tuple[QueryPair, bool]:
        """Choose a pair for an answer whose end facts had that answer least so far."""
        between, inverse = chainer.between, self.rules.inverse
        best: list[tuple[QueryPair, bool, tuple[int, int, int]]] = []
        least = 0
        for predicate, pair, is_reversed in options:
            if predicate != answer:
                continue
            people = pair.people
            first, last = between[people[0]][people[1]], between[people[-2]][people[-1]]
            ends = (answer, first, last)
            if is_reversed:
                ends = (answer, inverse[last], inverse[first])
            count = self.end_counts.get(ends, 0)
            if not best or count < least:
                best, least = [], count
            if count == least:
                best.append((pair, is_reversed, ends))
        pair, is_reversed, ends = best[self.asked.below(len(best))]
        self.end_counts[ends] = least + 1
        return pair, is_reversed

    def _is_allowed(self, scene: Scene, people: list[int], answer: int) -> bool:
        """Return whether the split may have a chain for an answer."""
        if not self.excluded and not self.only:
            return True
        clause = clause_of(scene, people)
        held_out = [length for length, _ in self.only if length == len(clause)]
        return clause not in self.excluded and (
            not held_out or clause in self.only.get((len(clause), answer), ())
        )

    def _asking(
        self, partial: PartialPlan, pair: QueryPair, is_reversed: bool
    ) -> PartialPlan | None:
        """Return the plan with another pair for its chain; None if rules give no one answer."""
        if pair is partial.pairs[0] and not is_reversed:
            return partial
        chainer = partial.chainer
        people = pair.people[::-1] if is_reversed else pair.people
        answer = chainer.scene.between[people[0]][people[-1]]
        chart = self.rules.chart(clause_of(chainer.scene, people))
        if chart is None or chart[0][-1][0] != answer:
            return None
        places = self.rules.sample_steps(chart[0], self.asked)
        steps = [(people[x], people[z], people[y]) for x, z, y in reversed(places)]
        before = partial.chain.people
        facts = [(before[n - 1], before[n]) for n in range(1, len(before))]
        facts += [(x, y) if outward else (y, x) for x, y, outward in partial.side_facts]
        reached = _bitmask(people)
        side_facts: list[SideFact] = []
        while len(side_facts) < len(partial.side_facts):
            for x, y in facts:
                if not reached >> x & 1 and reached >> y & 1:
                    side_facts.append((y, x, False))
                    reached |= 1 << x
                elif not reached >> y & 1 and reached >> x & 1:
                    side_facts.append((x, y, True))
                    reached |= 1 << y
        chain = FactChain(people, steps, answer)
        chain.proofs = chart[1][-1][0]
        return PartialPlan(chainer, chain, side_facts, partial.pairs)

    def undetermined(self, k: int) -> StoryPlan:
        """Sample a plan of k facts that leave open how the first and the last are related."""
        stream = self.chain_stream
        for number in range(_MAX_SCENES):
            chainer = self.chainer(number)
            scene = chainer.scene
            for _ in range(_MAX_ATTEMPTS):
                start = stream.below(len(scene.gender))
                people = random_path(scene, start, 1 << start, k, stream)
                chain = FactChain(people, [], -1) if people else None
                partial = self._with_side_facts(chainer, chain, 0, []) if chain else None
                plan = self._with_noise(partial, True) if partial else None
                if plan and is_undetermined(
                    scene, plan.gender, plan.facts[:k], self._facts_outward(plan)
                ):
                    return plan
        raise Infeasible(
            f"no story of {k} facts that leaves the answer open was found; ask for a larger k"
        )

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

    def _min_pairs(self, attempt: int) -> int:
        """Return the pairs that a story must have at this attempt: fewer at later ones."""
        branching = self.side_facts.branching
        if not branching or attempt > _MAX_PAIRED_ATTEMPTS:
            return 0
        if not self.diverse:
            return 1
        if attempt >= _MAX_STRICT_ATTEMPTS:
            return 2
        return min(branching, 3 if attempt < _MAX_STRICT_ATTEMPTS // 2 else 2) + 1

    def _partial_plan(
        self, chainer: Chainer, k: int, predicate: int, min_pairs: int
    ) -> PartialPlan | None:
        """Sample a chain with that answer and its side facts; None with fewer pairs.

        Side facts around a sub-chain are sampled before the chain, which could be in their way.
        """
        stream = self.chain_stream
        held_out = self.only.get((k, predicate))
        if held_out:
            chain = chainer.instantiate(stream.choice(held_out), predicate, stream)
            return self._with_side_facts(chainer, chain, min_pairs, []) if chain else None
        side_facts = self.side_facts
        goals = chainer.goals[predicate]
        x, y = goals[stream.below(len(goals))]
        for _ in range(_EXTRA_ENDS if self.rules.identities else 0):
            a, b = goals[stream.below(len(goals))]
            if chainer.room(a, b) > chainer.room(x, y):
                x, y = a, b
        used = 1 << x | 1 << y
        weights = endpoint_weights(self.rules, k)
        sampling = ChainSampling(stream, self.counts, weights if min_pairs else None)
        if min_pairs <= 2 or stream.random() >= _SHARED_PART_PROBABILITY:
            chain = chainer.sample_chain(x, y, k, used, sampling)
            return self._with_side_facts(chainer, chain, min_pairs, []) if chain else None
        for _ in range(_MAX_SUBCHAINS):
            subchain = chainer.sample_subchain(x, y, used, stream, weights)
            if subchain is None:
                break
            side_facts.start_story(chainer, x, y, predicate, weights)
            # The others are added later, to any chain that there is then.
            limit = 1 + side_facts.stream.below(side_facts.branching)
            all_used = used | 1 << subchain.first | 1 << subchain.last
            around = side_facts.sample(chainer, subchain, limit, all_used, k)
            if len(around) + 1 + side_facts.branching - limit >= min_pairs:
                all_used = used | _new_people(around)
                chain = chainer.complete_chain(x, y, subchain, k, all_used, sampling)
                if chain:
                    return self._with_side_facts(chainer, chain, min_pairs, around)
        return None

    def _with_side_facts(
        self, chainer: Chainer, chain: FactChain, min_pairs: int, side_facts: list[SideFact]
    ) -> PartialPlan | None:
        """Add side facts to a chain and to those given; None with fewer pairs.

        Every story must have room for noise, so that it is the same with noise and without.
        """
        people = chain.people
        if self.excluded and clause_of(chainer.scene, people) in self.excluded:
            return None
        used = _bitmask(people) | _new_people(side_facts)
        room = noise_room(chainer, people, used)
        if not room:
            return None
        if not side_facts:
            weights = endpoint_weights(self.rules, len(people) - 1)
            self.side_facts.start_story(chainer, people[0], people[-1], chain.answer, weights)
        side_facts, pairs = self.side_facts.complete(chainer, chain, used | room, side_facts)
        if len(pairs) < min_pairs:
            return None
        stated = list(clause_of(chainer.scene, people))
        for x, y, outward in side_facts:
            stated.append(chainer.between[x][y] if outward else chainer.between[y][x])
        self.counts.add(stated)
        return PartialPlan(chainer, chain, side_facts, pairs)

    def _with_noise(self, partial: PartialPlan, drop_side_facts: bool) -> StoryPlan | None:
        """Add noise; None where it does not fit, if need be without some side facts.

        Side facts leave room for noise: where one noise path was in the way of another, short ones
        are sampled until they fit.
        """
        side_facts = partial.side_facts
        noise = self._noise(partial, side_facts, self.lengths)
        while noise is None and drop_side_facts and side_facts:
            side_facts = side_facts[:-1]
            noise = self._noise(partial, side_facts, self.lengths)
        attempts = 0 if drop_side_facts or not self.reserves_room else _MAX_NOISE_ATTEMPTS
        while noise is None and attempts:
            attempts -= 1
            noise = self._noise(partial, side_facts, [min(self.lengths)])
        if noise is None:
            return None
        return self._story_plan(partial.chainer, partial.chain, side_facts, noise)

    def _noise(
        self, partial: PartialPlan, side_facts: list[SideFact], lengths: list[int]
    ) -> list[NoisePath] | None:
        """Sample noise paths of every kind through unused people; None where one does not fit.

        Where noise leaves the chain must not reveal the query: of both ends it takes the one where
        more of the other pairs end, too.
        """
        noise: list[NoisePath] = []
        chainer, chain = partial.chainer, partial.chain.people
        stream, sampling = self.noise_stream, ChainSampling(self.noise_stream, self.counts)
        used = _bitmask(chain) | _new_people(side_facts)
        ends = [chain[0], chain[-1]]
        if self.kinds and _count_ends(partial.pairs, chain[0]) < _count_ends(
            partial.pairs, chain[-1]
        ):
            ends.reverse()
        for kind in self.kinds:
            if kind == "supporting":
                path = sample_supporting(chainer, chain, ends[1], used, lengths, sampling)
            elif kind == "irrelevant":
                starts = chain[1:-1] if self.interior else ends
                if self.interior:
                    stream.shuffle(starts)
                path = sample_irrelevant(chainer.scene, starts, used, lengths, stream)
            else:
                path = sample_disconnected(chainer.scene, used, lengths, stream)
            if path is None:
                return None
            used |= _bitmask(path)
            noise.append((kind, path))
        return noise

    def _story_plan(
        self,
        chainer: Chainer,
        chain: FactChain,
        side_facts: list[SideFact],
        noise: list[NoisePath],
    ) -> StoryPlan | None:
        """Renumber people and facts as in the story; None where there are too few queries."""
        scene = chainer.scene
        between, clause = chainer.between, clause_of(scene, chain.people)
        everyone = chain.people.copy()
        place = [-1] * len(scene.gender)
        for n, person in enumerate(chain.people):
            place[person] = n
        facts = [(n, predicate, n + 1) for n, predicate in enumerate(clause)]
        for person, new, outward in side_facts:
            place[new] = len(everyone)
            everyone.append(new)
            x, y = (person, new) if outward else (new, person)
            facts.append((place[x], between[x][y], place[y]))
        core_size = len(facts)
        paths: list[NoisePath] = []
        for kind, path in noise:
            for person in path:
                if place[person] < 0:
                    place[person] = len(everyone)
                    everyone.append(person)
            for n in range(1, len(path)):
                x, y = path[n - 1], path[n]
                facts.append((place[x], between[x][y], place[y]))
            paths.append((kind, [place[person] for person in path]))
        steps = [(place[x], place[z], place[y]) for x, z, y in chain.steps]
        order, people = list(range(len(facts))), list(range(len(chain.people)))
        queries = [self._query_plan(clause, order, steps, people, chain.answer, chain.proofs)]
        gender = [scene.gender[person] for person in everyone]
        if self.questions > 1:
            queries += self._other_queries(facts, core_size, gender, queries[0])
            if len(queries) < self.questions:
                return None
        return StoryPlan(gender, facts, len(clause), core_size, paths, queries)

    def _other_queries(
        self, facts: list[IndexedFact], core_size: int, gender: list[int], first: QueryPlan
    ) -> list[QueryPlan]:
        """Return further queries as far apart as the first, with different answers and pairs.

        No pair occurs in both directions, so that no answer is the inverse of another.
        """
        rules, k, words = self.rules, len(first.clause), self.rules.word_ids
        routes = _routes(facts[:core_size], k, self.both_ways)
        self.asked.shuffle(routes)
        last = first.people[-1]
        answers = {words[first.predicate][gender[last]]}
        pairs, asked = {(first.people[0], last), (last, first.people[0])}, {last}
        others: list[QueryPlan] = []
        for people, numbers in routes:
            ends = people[0], people[-1]
            if ends in pairs or len(others) == self.questions - 1:
                continue
            if people[-1] not in asked and len(asked) == core_size:
                continue  # keep one person whose gender need not be shown
            clause = tuple(
                [
                    facts[number][1]
                    if facts[number][0] == people[n]
                    else rules.inverse[facts[number][1]]
                    for n, number in enumerate(numbers)
                ]
            )
            heads = [] if -1 in clause else list(rules.count_proofs(clause))
            if len(heads) != 1 or words[heads[0]][gender[people[-1]]] in answers:
                continue
            answers.add(words[heads[0]][gender[people[-1]]])
            asked.add(people[-1])
            pairs |= {ends, ends[::-1]}
            order = numbers + [n for n in range(len(facts)) if n not in numbers]
            steps = rules.sample_proof(clause, heads[0], self.asked)[::-1]
            others.append(self._query_plan(clause, order, steps, people, heads[0], NOT_COMPUTED))
        return others

    def _query_plan(
        self,
        clause: IndexedClause,
        order: list[int],
        steps: list[tuple[int, int, int]],
        people: list[int],
        answer: int,
        proofs: int,
    ) -> QueryPlan:
        """Return the plan of a query whose proof has places along the chain."""
        rules, size = self.rules, len(people)
        query = QueryPlan(people, order, answer, [rules.predicates[p] for p in clause])
        if not steps:
            return query
        if proofs == NOT_COMPUTED:
            proofs = rules.count_proofs(clause).get(answer, 0)
        # The number of the fact from one place to another, the predicate of each, and its depth.
        number = [0] * (size * size)
        predicates, depth = list(clause), [0] * len(clause)
        for n in range(size - 1):
            number[n * size + n + 1] = n
        others = len(order) - size + 1
        proof: list[Step] = []
        for start, middle, end in steps:
            before, after = number[start * size + middle], number[middle * size + end]
            head = rules.composed_by_second[predicates[after]][predicates[before]]
            number[start * size + end] = len(predicates)
            depth.append(1 + max(depth[before], depth[after]))
            predicates.append(head)
            one = before if before < size - 1 else before + others
            other = after if after < size - 1 else after + others
            proof.append((one, other, people[start], head, people[end]))
        return query.proved(proof, depth[-1], proofs)


def _routes(facts: list[IndexedFact], k: int, both_ways: bool) -> list[tuple[list[int], list[int]]]:
    """Return all paths of k facts through a tree: their people and the numbers of their facts.

    Unless `both_ways`, all facts are followed in their direction.
    """
    onward: dict[int, list[tuple[int, int]]] = {}
    for number, (x, _, y) in enumerate(facts):
        onward.setdefault(x, []).append((number, y))
        if both_ways:
            onward.setdefault(y, []).append((number, x))
    routes: list[tuple[list[int], list[int]]] = [([person], []) for person in sorted(onward)]
    for _ in range(k):
        routes = [
            ([*people, person], [*numbers, number])
            for people, numbers in routes
            for number, person in onward.get(people[-1], ())
            if person not in people
        ]
    return routes


def clause_of(scene: Scene, people: list[int]) -> IndexedClause:
    """Return the predicates along a path of people."""
    between = scene.between
    return tuple([between[people[n - 1]][people[n]] for n in range(1, len(people))])


def _count_ends(pairs: list[QueryPair], person: int) -> int:
    count = 0
    for pair in pairs:
        if person in (pair.people[0], pair.people[-1]):
            count += 1
    return count


def _bitmask(people: list[int]) -> int:
    mask = 0
    # A loop, not `sum`: compiled, that would make a generator each time.
    for person in people:
        mask |= 1 << person
    return mask


def _new_people(side_facts: list[SideFact]) -> int:
    """Return the bitmask of the people introduced by side facts."""
    mask = 0
    for _, new, _ in side_facts:
        mask |= 1 << new
    return mask
