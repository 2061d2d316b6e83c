"""The plot of a story: who is related to whom, before anybody has a name or a word is said."""

from collections.abc import Callable
from typing import Final

from ...block import Block
from ...errors import Infeasible
from ...kb.scene import Scene
from . import noise as noises
from .chain import Chain, Chainer
from .embedding import Link, is_open
from .noise import Kind

Clause = tuple[int, ...]
"""The predicates along a chain, by number."""

_TRIES: Final = 400
_SCENES: Final = 20


class Plot:
    """Everyone in it by number, 0 to k along the chain; who is male; the facts; the proof.

    The facts are those of the chain, then those of the noise, path after path, then those the proof
    concludes; so many of them are told. A step of the proof has the numbers of its conclusion and
    its two premises, and its rule.
    """

    __slots__ = ("clause", "depth", "facts", "k", "male", "noise", "proofs", "steps", "told")

    def __init__(
        self,
        male: list[bool],
        facts: list[Link],
        noise: list[tuple[Kind, list[int]]],
        steps: list[tuple[int, int, int, str]],
        clause: list[str],
        depth: int,
        proofs: int,
    ) -> None:
        self.male, self.facts, self.noise, self.steps = male, facts, noise, steps
        self.clause, self.depth, self.proofs = clause, depth, proofs
        self.k, self.told = len(clause), len(facts) - len(steps)


class Plotter:
    """Draws the plots of one block, from one scene as long as that has what is wanted.

    `chainer` has the rules and a scene, by number. Noise is of these kinds and lengths, and leaves
    the chain in its interior or at its ends. The split has no chain that is in `never` and, where
    `only` has chains of a length and an answer, no others.
    """

    def __init__(
        self,
        block: Block,
        chainer: Callable[[int], Chainer],
        *,
        kinds: list[Kind],
        lengths: list[int],
        interior: bool,
        never: frozenset[Clause],
        only: dict[tuple[int, int], list[Clause]],
    ) -> None:
        self.chainer, self.rules = chainer, chainer(0).rules
        self.kinds, self.lengths, self.interior = kinds, lengths, interior
        self.never, self.only = never, only
        self.chain_stream, self.noise_stream = block.stream("chain"), block.stream("noise-chain")

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
        return frozenset([predicate for predicate in among if self.heads(k, predicate)]) or among

    def plot(self, k: int, predicate: int) -> Plot:
        """A plot of k facts whose answer is that predicate."""
        for number in range(_SCENES):
            chainer = self.chainer(number)
            for _ in range(_TRIES if chainer.pairs[predicate] else 0):
                chain = self._chain(chainer, k, predicate)
                plot = self._noisy(chainer, chain[0], chain[1]) if chain else None
                if plot:
                    return plot
        kinds = " and ".join(dict.fromkeys(self.kinds))
        raise Infeasible(
            f"no story of {k} facts{f' and {kinds} noise' if kinds else ''} with the answer "
            f"{self.rules.predicates[predicate]!r} was found in {_SCENES} scenes; "
            f"ask for more people, a smaller k, or shorter or fewer noise paths"
        )

    def undetermined(self, k: int) -> Plot:
        """A plot of k facts that leave open how the first and the last are related."""
        stream = self.chain_stream
        for number in range(_SCENES):
            chainer = self.chainer(number)
            scene = chainer.scene
            for _ in range(_TRIES):
                start = stream.below(len(scene.male))
                people = noises.walk(scene, start, 1 << start, k, stream)
                plot = self._noisy(chainer, people, []) if people else None
                if plot and is_open(scene, plot.male, plot.facts[:k], plot.facts[k:]):
                    return plot
        raise Infeasible(
            f"no story of {k} facts that leaves the answer open was found; ask for a larger k"
        )

    def _chain(self, chainer: Chainer, k: int, predicate: int) -> Chain | None:
        """A chain of k facts for the answer, if luck has it."""
        stream = self.chain_stream
        held_out = self.only.get((k, predicate))
        if held_out:
            return chainer.follow(stream.choice(held_out), predicate, stream)
        among = chainer.pairs[predicate]
        x, y = among[stream.below(len(among))]
        chain = chainer.derive(x, y, k, 1 << x | 1 << y, stream)
        if chain and self.never and clause_of(chainer.scene, chain[0]) in self.never:
            return None
        return chain

    def _noisy(
        self, chainer: Chainer, chain: list[int], steps: list[tuple[int, int, int]]
    ) -> Plot | None:
        """The plot of a chain with noise beside it, if there is room.

        Clean or noisy, a story must have room for noise, so that it is the same story.
        """
        taken = _together(chain)
        if not noises.has_room(chainer, chain, taken):
            return None
        noise = self._noise(chainer, chain, taken)
        return None if noise is None else self._plot(chainer.scene, chain, steps, noise)

    def _noise(
        self, chainer: Chainer, chain: list[int], taken: int
    ) -> list[tuple[Kind, list[int]]] | None:
        """Noise paths of every kind asked for, through people of whom nothing is told yet."""
        noise: list[tuple[Kind, list[int]]] = []
        lengths, stream = self.lengths, self.noise_stream
        for kind in self.kinds:
            if kind == "supporting":
                path = noises.supporting(chainer, chain, taken, lengths, stream)
            elif kind == "irrelevant":
                starts = chain[1:-1] if self.interior else [chain[0], chain[-1]]
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
        scene: Scene,
        chain: list[int],
        steps: list[tuple[int, int, int]],
        noise: list[tuple[Kind, list[int]]],
    ) -> Plot:
        """All by the numbers that people and facts have in the story."""
        between, clause, size = scene.between, clause_of(scene, chain), len(chain)
        everyone = chain.copy()
        place = [-1] * len(scene.male)
        for n, person in enumerate(chain):
            place[person] = n
        facts = [(n, predicate, n + 1) for n, predicate in enumerate(clause)]
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
        # The number of the fact from one to another along the chain, and its depth.
        number, depth = [0] * (size * size), [0] * (len(facts) + len(steps))
        for n in range(size - 1):
            number[n * size + n + 1] = n
        proof: list[tuple[int, int, int, str]] = []
        for x, z, y in steps:
            start, middle, end = place[x], place[z], place[y]
            before, after = number[start * size + middle], number[middle * size + end]
            head, new = between[x][y], len(facts)
            number[start * size + end] = new
            depth[new] = 1 + max(depth[before], depth[after])
            rule = self.rules.heads[facts[before][1], facts[after][1], head]
            proof.append((new, before, after, rule))
            facts.append((start, head, end))
        return Plot(
            [scene.male[person] for person in everyone],
            facts,
            paths,
            proof,
            [self.rules.predicates[predicate] for predicate in clause],
            depth[-1] if steps else 0,
            self.rules.proofs(clause).get(facts[-1][1], 0) if steps else 0,
        )


def clause_of(scene: Scene, people: list[int]) -> Clause:
    """The predicates along a path."""
    between = scene.between
    return tuple([between[people[n - 1]][people[n]] for n in range(1, len(people))])


def _together(people: list[int]) -> int:
    """A set of them, as a whole number."""
    taken = 0
    # A loop, not `sum`: compiled, that would make a generator each time.
    for person in people:
        taken |= 1 << person
    return taken
