"""The plot of a story: who is related to whom, before anybody has a name or a word is said."""

from collections.abc import Callable
from typing import Final

from ....block import Block
from ....errors import Infeasible
from ....kb.worlds.scene import Scene
from ..values import Kind
from . import noise as noises
from .chain import NOT_ASKED, Chain, Chainer, Tally, leads_to_many
from .endpoint_weights import openness
from .matching import Link, is_open
from .side_facts import Beside, Fork, Pair

Clause = tuple[int, ...]
"""The predicates along a chain, by number."""

_TRIES: Final = 400
_SCENES: Final = 20
_CHOOSY: Final = 30
_MODEST: Final = 200
"""So many chains are looked at for one with many facts beside it, then for one with any."""
_SHARED: Final = 0.9
"""So many of the chains have a long part that other answers can share."""
_CUTS: Final = 4
"""So often another such part is drawn."""
_FITTINGS: Final = 30
"""So often short noise is drawn where there is room for it."""
_LOOKED_AT: Final = 5
"""So many other ends are looked at for some with room between them, where any chain can be long."""
_SWAPS: Final = 8
"""So often stories change answers, for each story."""

Step = tuple[int, int, int, int, int]
"""The numbers of two premises, and (x, predicate, y): y is that to x by them."""


class Inquiry:
    """A pair of the story that can be asked about: the people between them and the proof.

    Facts have the numbers that they have in the row that asks: first the k between the two, then
    all others that are told, then what the proof concludes. `order` has their numbers in the plot.
    """

    __slots__ = ("clause", "depth", "order", "people", "predicate", "proofs", "steps")

    def __init__(
        self,
        people: list[int],
        order: list[int],
        predicate: int,
        clause: list[str],
        steps: list[Step],
        depth: int,
        proofs: int,
    ) -> None:
        self.people, self.order, self.predicate = people, order, predicate
        self.clause, self.steps, self.depth, self.proofs = clause, steps, depth, proofs


class Plot:
    """Everyone in it by number, their genders, the facts that are told, and what can be asked.

    People are numbered along the chain, then come those beside it, then those of the noise; so are
    facts, and so many of these belong to the `core`: those of the chain and those beside it.
    """

    __slots__ = ("core", "facts", "gender", "inquiries", "k", "noise")

    def __init__(
        self,
        gender: list[int],
        facts: list[Link],
        k: int,
        core: int,
        noise: list[tuple[Kind, list[int]]],
        inquiries: list[Inquiry],
    ) -> None:
        self.gender, self.facts, self.k, self.core = gender, facts, k, core
        self.noise, self.inquiries = noise, inquiries

    def copy(self) -> "Plot":
        """A plot that can grow."""
        facts, noise = self.facts.copy(), self.noise.copy()
        return Plot(self.gender.copy(), facts, self.k, self.core, noise, self.inquiries)


class Draft:
    """A chain, the facts beside it, and what else could be asked of all that."""

    __slots__ = ("chain", "chainer", "forks", "pairs")

    def __init__(
        self, chainer: Chainer, chain: Chain, forks: list[Fork], pairs: list[Pair]
    ) -> None:
        self.chainer, self.chain, self.forks, self.pairs = chainer, chain, forks, pairs


class Plotter:
    """Draws the plots of one block, from one scene as long as that has what is wanted.

    `chainer` has the rules and a scene, by number. So many facts are told beside the chain where
    there is room, and so many questions can be asked. Noise is of these kinds and lengths, and
    leaves the chain in its interior or at its ends. The split has no chain that is in `never` and,
    where `only` has chains of a length and an answer, no others.
    """

    def __init__(
        self,
        block: Block,
        chainer: Callable[[int], Chainer],
        *,
        beside: int,
        both_ways: bool,
        questions: int,
        kinds: list[Kind],
        lengths: list[int],
        interior: bool,
        never: frozenset[Clause],
        only: dict[tuple[int, int], list[Clause]],
    ) -> None:
        self.chainer, self.rules = chainer, chainer(0).rules
        self.questions = questions
        self.kinds, self.lengths, self.interior = kinds, lengths, interior
        self.roomy = not interior and len(set(kinds)) == len(kinds)
        """Whether the room that stories keep is enough for the noise."""
        self.never, self.only = never, only
        self.chain_stream, self.noise_stream = block.stream("chain"), block.stream("noise-chain")
        self.tally = Tally(self.rules)
        self.beside = Beside(beside, both_ways, self.rules, self.tally, block.stream("beside"))
        self.ended: dict[tuple[int, int, int], int] = {}
        """How often a question with this answer was asked of a chain with these ends."""
        self.turns, self.asked = both_ways and self.rules.turns, block.stream("asked")
        self.shares = leads_to_many(self.rules)
        """Whether chains have a long part that other answers can share."""

    def answers(self, k: int, among: frozenset[int]) -> frozenset[int]:
        """Those answers that the split can have for chains of k facts."""
        held = frozenset([answer for length, answer in self.only if length == k])
        return held or among

    def heads(self, k: int, predicate: int) -> list[int]:
        """The answers of those chains that the split is kept to and that tell of a predicate."""
        return [
            answer
            for (length, answer), clauses in self.only.items()
            if length == k and any(predicate in clause for clause in clauses)
        ]

    def told(self, k: int, among: frozenset[int]) -> frozenset[int]:
        """Those predicates that the split can tell of in chains of k facts."""
        if not self.only:
            return among
        return frozenset([predicate for predicate in among if self.heads(k, predicate)]) or among

    def plot(self, k: int, predicate: int, modest: bool = False) -> Plot:
        """A plot of k facts with that answer; `modest`, if little else need be asked of it."""
        for number in range(_SCENES):
            plot = self.plot_in(self.chainer(number), k, predicate, _TRIES, modest)
            if plot:
                return plot
        kinds = " and ".join(dict.fromkeys(self.kinds))
        raise Infeasible(
            f"no story of {k} facts{f' and {kinds} noise' if kinds else ''} with the answer "
            f"{self.rules.predicates[predicate]!r} was found in {_SCENES} scenes; "
            f"ask for more people, a smaller k, or shorter or fewer noise paths"
        )

    def plot_in(
        self, chainer: Chainer, k: int, predicate: int, tries: int, modest: bool = False
    ) -> Plot | None:
        """The same in one scene, if luck has it."""
        for number in range(tries if chainer.goals[predicate] else 0):
            draft = self._draft(chainer, k, predicate, 0 if modest else self._wanted(number))
            plot = self._noisy(draft, True) if draft else None
            if plot:
                return plot
        return None

    def plots(self, k: int, predicates: list[int]) -> list[Plot]:
        """A plot for each answer; which story has which answer is drawn after the stories are.

        So a story does not tell which of its questions is asked: two stories change answers as
        long as both can have both.
        """
        drafts: list[Draft] = []
        ways: list[list[tuple[int, Pair, bool]]] = []
        for predicate in predicates:
            draft = self._some_draft(k, predicate)
            drafts.append(draft)
            ways.append(self._ways(draft))
        possible: list[int] = []
        for listed in ways:
            possible.append(_together([way[0] for way in listed]))
        answers, size, stream = predicates.copy(), len(predicates), self.asked
        for _ in range(_SWAPS * size):
            one, other = stream.below(size), stream.below(size)
            if possible[one] >> answers[other] & possible[other] >> answers[one] & 1:
                answers[one], answers[other] = answers[other], answers[one]
        plots: list[Plot] = []
        for draft, listed, answer in zip(drafts, ways, answers, strict=True):
            asked = self._asked(draft, *self._rarest(draft.chainer, listed, answer))
            plot = self._noisy(asked, False) if asked else None
            plots.append(plot or self.plot(k, answer))
        return plots

    def _some_draft(self, k: int, predicate: int) -> Draft:
        for number in range(_SCENES):
            chainer = self.chainer(number)
            for attempt in range(_TRIES if chainer.goals[predicate] else 0):
                draft = self._draft(chainer, k, predicate, self._wanted(attempt))
                if draft:
                    return draft
        raise Infeasible(
            f"no story of {k} facts with the answer {self.rules.predicates[predicate]!r} was found "
            f"in {_SCENES} scenes; ask for more people or a smaller k"
        )

    def _ways(self, draft: Draft) -> list[tuple[int, Pair, bool]]:
        """The answers that a draft can have, by which pair, and whether that is turned round."""
        chainer, inverse = draft.chainer, self.rules.inverse
        taken = _together(draft.chain.people) | _new(draft.forks)
        ways: list[tuple[int, Pair, bool]] = []
        for number, pair in enumerate(draft.pairs):
            if number and not noises.room(chainer, pair.people, taken):
                continue
            if number == 0 or self._admits(chainer.scene, pair.people, pair.predicate):
                ways.append((pair.predicate, pair, False))
            back = inverse[pair.predicate]
            if self.turns and self._admits(chainer.scene, pair.people[::-1], back):
                ways.append((back, pair, True))
        return ways

    def _rarest(
        self, chainer: Chainer, ways: list[tuple[int, Pair, bool]], answer: int
    ) -> tuple[Pair, bool]:
        """Of the ways to an answer one whose ends had that answer least so far."""
        between, inverse = chainer.between, self.rules.inverse
        best: list[tuple[Pair, bool, tuple[int, int, int]]] = []
        least = 0
        for predicate, pair, turned in ways:
            if predicate != answer:
                continue
            people = pair.people
            first, last = between[people[0]][people[1]], between[people[-2]][people[-1]]
            ends = (answer, inverse[last], inverse[first]) if turned else (answer, first, last)
            often = self.ended.get(ends, 0)
            if not best or often < least:
                best, least = [], often
            if often == least:
                best.append((pair, turned, ends))
        pair, turned, ends = best[self.asked.below(len(best))]
        self.ended[ends] = least + 1
        return pair, turned

    def _admits(self, scene: Scene, people: list[int], answer: int) -> bool:
        """Whether the split may have a chain for an answer."""
        if not self.never and not self.only:
            return True
        clause = clause_of(scene, people)
        held = [length for length, _ in self.only if length == len(clause)]
        return clause not in self.never and (
            not held or clause in self.only.get((len(clause), answer), ())
        )

    def _asked(self, draft: Draft, pair: Pair, turned: bool) -> Draft | None:
        """The draft with another pair of it for a chain, if rules give one answer for that."""
        if pair is draft.pairs[0] and not turned:
            return draft
        chainer = draft.chainer
        people = pair.people[::-1] if turned else pair.people
        answer = chainer.scene.between[people[0]][people[-1]]
        chart = self.rules.chart(clause_of(chainer.scene, people))
        if chart is None or chart[0][-1][0] != answer:
            return None
        places = self.rules.steps(chart[0], self.asked)
        steps = [(people[x], people[z], people[y]) for x, z, y in reversed(places)]
        told = draft.chain.people
        facts = [(told[n - 1], told[n]) for n in range(1, len(told))]
        facts += [(x, y) if outward else (y, x) for x, y, outward in draft.forks]
        reached = _together(people)
        forks: list[Fork] = []
        while len(forks) < len(draft.forks):
            for x, y in facts:
                if not reached >> x & 1 and reached >> y & 1:
                    forks.append((y, x, False))
                    reached |= 1 << x
                elif not reached >> y & 1 and reached >> x & 1:
                    forks.append((x, y, True))
                    reached |= 1 << y
        chain = Chain(people, steps, answer)
        chain.proofs = chart[1][-1][0]
        return Draft(chainer, chain, forks, draft.pairs)

    def undetermined(self, k: int) -> Plot:
        """A plot of k facts that leave open how the first and the last are related."""
        stream = self.chain_stream
        for number in range(_SCENES):
            chainer = self.chainer(number)
            scene = chainer.scene
            for _ in range(_TRIES):
                start = stream.below(len(scene.gender))
                people = noises.walk(scene, start, 1 << start, k, stream)
                open_chain = Chain(people, [], -1) if people else None
                draft = self._forked(chainer, open_chain, 0, []) if open_chain else None
                plot = self._noisy(draft, True) if draft else None
                if plot and is_open(scene, plot.gender, plot.facts[:k], self._onward(plot)):
                    return plot
        raise Infeasible(
            f"no story of {k} facts that leaves the answer open was found; ask for a larger k"
        )

    def _onward(self, plot: Plot) -> list[Link]:
        """The noise and the facts beside the chain, each from somebody who is known by then.

        What leaves least room comes first.
        """
        facts: list[Link] = []
        for x, predicate, y in plot.facts[plot.core :] + plot.facts[plot.k : plot.core]:
            back = self.rules.inverse[predicate]
            facts.append((y, back, x) if y < x and back >= 0 else (x, predicate, y))
        return facts

    def _wanted(self, attempt: int) -> int:
        """How many pairs a story must have that can be asked about: at first many."""
        opening = self.beside.opening
        if not opening or attempt > _MODEST:
            return 0
        if not self.shares:
            return 1
        if attempt >= _CHOOSY:
            return 2
        return min(opening, 3 if attempt < _CHOOSY // 2 else 2) + 1

    def _draft(self, chainer: Chainer, k: int, predicate: int, pairs: int) -> Draft | None:
        """A draft for the answer of which so many pairs can be asked, if luck has it."""
        held_out = self.only.get((k, predicate))
        if held_out:
            stream = self.chain_stream
            followed = chainer.follow(stream.choice(held_out), predicate, stream)
            return self._forked(chainer, followed, pairs, []) if followed else None
        return self._drawn(chainer, k, predicate, pairs)

    def _drawn(self, chainer: Chainer, k: int, predicate: int, pairs: int) -> Draft | None:
        """A draft by a chain of k facts, where much can be asked around all but one of them.

        What is told around these comes first, as they could be in its way.
        """
        stream, tally, beside = self.chain_stream, self.tally, self.beside
        among = chainer.goals[predicate]
        x, y = among[stream.below(len(among))]
        for _ in range(_LOOKED_AT if self.rules.units else 0):
            a, b = among[stream.below(len(among))]
            if chainer.room(a, b) > chainer.room(x, y):
                x, y = a, b
        taken = 1 << x | 1 << y
        leaving = openness(self.rules, k)
        if pairs <= 2 or stream.random() >= _SHARED:
            chain = chainer.derive(x, y, k, taken, stream, tally, leaving if pairs else None)
            return self._forked(chainer, chain, pairs, []) if chain else None
        for _ in range(_CUTS):
            cut = chainer.cut(x, y, taken, stream, leaving)
            if cut is None:
                break
            z, given, last = cut
            beside.begin(chainer, x, y, predicate, leaving)
            # Some others grow later from any chain that there is then.
            count = 1 + beside.stream.below(beside.opening)
            sides = (x, z) if last else (z, y)
            forks = beside.around(chainer, *sides, given, count, taken | 1 << z, last, k)
            if len(forks) + 1 + beside.opening - count >= pairs:
                new = taken | _new(forks)
                chain = chainer.around(x, y, cut, k, new, stream, tally, leaving)
                if chain:
                    return self._forked(chainer, chain, pairs, forks)
        return None

    def _forked(
        self, chainer: Chainer, chain: Chain, least: int, forks: list[Fork]
    ) -> Draft | None:
        """A chain and facts beside it, of which some may be there, if so many pairs can be asked.

        Clean or noisy, a story must have room for noise, so that it is the same story.
        """
        people = chain.people
        if self.never and clause_of(chainer.scene, people) in self.never:
            return None
        taken = _together(people) | _new(forks)
        room = noises.room(chainer, people, taken)
        if not room:
            return None
        if not forks:
            leaving = openness(self.rules, len(people) - 1)
            self.beside.begin(chainer, people[0], people[-1], chain.answer, leaving)
        forks, pairs = self.beside.draw(chainer, chain, taken | room, forks)
        if len(pairs) < least:
            return None
        facts = list(clause_of(chainer.scene, people))
        for x, y, outward in forks:
            facts.append(chainer.between[x][y] if outward else chainer.between[y][x])
        self.tally.count(facts)
        return Draft(chainer, chain, forks, pairs)

    def _noisy(self, draft: Draft, fewer: bool) -> Plot | None:
        """The plot of a draft with noise, if there is room, where need be with fewer facts beside.

        Facts beside the chain take no room that noise needs: where one path was in the way of
        another, short ones are drawn until they fit.
        """
        forks = draft.forks
        noise = self._noise(draft, forks, self.lengths)
        while noise is None and fewer and forks:
            forks = forks[:-1]
            noise = self._noise(draft, forks, self.lengths)
        tries = 0 if fewer or not self.roomy else _FITTINGS
        while noise is None and tries:
            tries -= 1
            noise = self._noise(draft, forks, [min(self.lengths)])
        return None if noise is None else self._plot(draft.chainer, draft.chain, forks, noise)

    def _noise(
        self, draft: Draft, forks: list[Fork], lengths: list[int]
    ) -> list[tuple[Kind, list[int]]] | None:
        """Noise paths of every kind asked for, through people of whom nothing is told yet.

        Where it leaves the chain must not tell which pair is asked about: of both ends it takes the
        one where more of the other pairs end, too.
        """
        noise: list[tuple[Kind, list[int]]] = []
        chainer, chain = draft.chainer, draft.chain.people
        stream = self.noise_stream
        taken = _together(chain) | _new(forks)
        ends = [chain[0], chain[-1]]
        if self.kinds and _ending(draft.pairs, chain[0]) < _ending(draft.pairs, chain[-1]):
            ends.reverse()
        for kind in self.kinds:
            if kind == "supporting":
                path = noises.supporting(
                    chainer, chain, ends[1], taken, lengths, stream, self.tally
                )
            elif kind == "irrelevant":
                starts = chain[1:-1] if self.interior else ends
                if self.interior:
                    stream.shuffle(starts)
                path = noises.irrelevant(chainer.scene, starts, taken, lengths, stream)
            else:
                path = noises.disconnected(chainer.scene, taken, lengths, stream)
            if path is None:
                return None
            taken |= _together(path)
            noise.append((kind, path))
        return noise

    def _plot(
        self,
        chainer: Chainer,
        chain: Chain,
        forks: list[Fork],
        noise: list[tuple[Kind, list[int]]],
    ) -> Plot | None:
        """All by the numbers that people and facts have in the story, if there is enough to ask."""
        scene = chainer.scene
        between, clause = chainer.between, clause_of(scene, chain.people)
        everyone = chain.people.copy()
        place = [-1] * len(scene.gender)
        for n, person in enumerate(chain.people):
            place[person] = n
        facts = [(n, predicate, n + 1) for n, predicate in enumerate(clause)]
        for person, new, outward in forks:
            place[new] = len(everyone)
            everyone.append(new)
            x, y = (person, new) if outward else (new, person)
            facts.append((place[x], between[x][y], place[y]))
        core = len(facts)
        paths: list[tuple[Kind, list[int]]] = []
        for kind, path in noise:
            for person in path:
                if place[person] < 0:
                    place[person] = len(everyone)
                    everyone.append(person)
            for n in range(1, len(path)):
                x, y = path[n - 1], path[n]
                facts.append((place[x], between[x][y], place[y]))
            paths.append((kind, [place[person] for person in path]))
        places = [(place[x], place[z], place[y]) for x, z, y in chain.steps]
        order, people = list(range(len(facts))), list(range(len(chain.people)))
        inquiries = [self._inquiry(clause, order, places, people, chain.answer, chain.proofs)]
        gender = [scene.gender[person] for person in everyone]
        if self.questions > 1:
            inquiries += self._others(facts, core, gender, inquiries[0])
            if len(inquiries) < self.questions:
                return None
        return Plot(gender, facts, len(clause), core, paths, inquiries)

    def _others(
        self, facts: list[Link], core: int, gender: list[int], first: Inquiry
    ) -> list[Inquiry]:
        """Further pairs of the core as far apart as the first, all with different answers.

        They are two different people each time, so that no answer is another's turned round.
        """
        rules, k = self.rules, len(first.clause)
        routes = _routes(facts[:core], k, self.beside.both_ways)
        self.asked.shuffle(routes)
        words = rules.word
        codes = {words[first.predicate][gender[first.people[-1]]]}
        pairs = {(first.people[0], first.people[-1]), (first.people[-1], first.people[0])}
        asked = {first.people[-1]}
        others: list[Inquiry] = []
        for people, numbers in routes:
            ends = people[0], people[-1]
            if ends in pairs or len(others) == self.questions - 1:
                continue
            if people[-1] not in asked and len(asked) == core:
                continue  # somebody is left whose gender need not be told
            clause = tuple(
                [
                    facts[number][1]
                    if facts[number][0] == people[n]
                    else rules.inverse[facts[number][1]]
                    for n, number in enumerate(numbers)
                ]
            )
            heads = [] if -1 in clause else list(rules.proofs(clause))
            if len(heads) != 1 or words[heads[0]][gender[people[-1]]] in codes:
                continue
            codes.add(words[heads[0]][gender[people[-1]]])
            asked.add(people[-1])
            pairs |= {ends, ends[::-1]}
            rest = [n for n in range(len(facts)) if n not in numbers]
            steps = rules.proof(clause, heads[0], self.asked)[::-1]
            order = numbers + rest
            others.append(self._inquiry(clause, order, steps, people, heads[0], NOT_ASKED))
        return others

    def _inquiry(
        self,
        clause: Clause,
        order: list[int],
        steps: list[tuple[int, int, int]],
        people: list[int],
        answer: int,
        proofs: int,
    ) -> Inquiry:
        """Two people by those between them, and a proof by places among these."""
        rules, size = self.rules, len(people)
        if steps and proofs == NOT_ASKED:
            proofs = rules.proofs(clause).get(answer, 0)
        # The number of the fact from one to another along the chain, what it says, and its depth.
        number = [0] * (size * size)
        says, depth = list(clause), [0] * len(clause)
        for n in range(size - 1):
            number[n * size + n + 1] = n
        proof: list[Step] = []
        for start, middle, end in steps:
            before, after = number[start * size + middle], number[middle * size + end]
            head = rules.follows[says[after]][says[before]]
            number[start * size + end] = len(says)
            depth.append(1 + max(depth[before], depth[after]))
            says.append(head)
            told = len(order) - size + 1
            proof.append(
                (
                    before if before < size - 1 else before + told,
                    after if after < size - 1 else after + told,
                    people[start],
                    head,
                    people[end],
                )
            )
        return Inquiry(
            people,
            order,
            answer,
            [rules.predicates[predicate] for predicate in clause],
            proof,
            depth[-1] if steps else 0,
            proofs if steps else 0,
        )


def _routes(facts: list[Link], k: int, both_ways: bool) -> list[tuple[list[int], list[int]]]:
    """All ways of k facts through a tree, by their people and the numbers of their facts.

    Unless both ways are, they go along with all facts, and not against any.
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


def clause_of(scene: Scene, people: list[int]) -> Clause:
    """The predicates along a path."""
    between = scene.between
    return tuple([between[people[n - 1]][people[n]] for n in range(1, len(people))])


def _ending(pairs: list[Pair], person: int) -> int:
    """How many pairs a person is one of."""
    count = 0
    for pair in pairs:
        if person in (pair.people[0], pair.people[-1]):
            count += 1
    return count


def _together(people: list[int]) -> int:
    """A set of them, as a whole number."""
    taken = 0
    # A loop, not `sum`: compiled, that would make a generator each time.
    for person in people:
        taken |= 1 << person
    return taken


def _new(forks: list[Fork]) -> int:
    """Those who come in by forks, as a whole number."""
    taken = 0
    for _, new, _ in forks:
        taken |= 1 << new
    return taken
