"""The plot of a story: who is related to whom, before anybody has a name or a word is said."""

from collections.abc import Callable
from typing import Final, NamedTuple

from ...block import Block
from ...errors import Infeasible
from ...kb.scene import Scene
from . import noise as noises
from .chain import Chain, Chainer
from .noise import Kind

Fact = tuple[int, int, int]
"""(x, predicate, y), all numbers: y is that to x."""

_TRIES: Final = 400
_SCENES: Final = 20


class Path:
    """People in a row, and which of the plot's facts lead from each to the next."""

    __slots__ = ("first", "kind", "last", "people")

    def __init__(self, kind: Kind | None, people: list[int], first: int, last: int) -> None:
        self.kind, self.people, self.first, self.last = kind, people, first, last


class Plot:
    """Everyone in it by number, 0 to k along the chain; who is male; the facts; the proof.

    The facts are those of the chain, then those of the noise, then those the proof concludes;
    so many of them are told. A step of the proof has the numbers of its conclusion and its two
    premises, and its rule.
    """

    __slots__ = ("clause", "depth", "facts", "k", "male", "paths", "proofs", "steps", "told")

    def __init__(
        self,
        k: int,
        male: list[bool],
        facts: list[Fact],
        paths: list[Path],
        steps: list[tuple[int, int, int, str]],
        clause: list[str],
        depth: int,
        proofs: int,
    ) -> None:
        self.k, self.male, self.facts, self.paths = k, male, facts, paths
        self.steps, self.clause, self.depth, self.proofs = steps, clause, depth, proofs
        self.told = paths[-1].last + 1


class Noise(NamedTuple):
    """How much noise of which kinds."""

    kinds: tuple[Kind, ...]
    lengths: list[int]
    interior: bool


class Clauses(NamedTuple):
    """Which chains a split has: never these, and by length and answer these alone."""

    never: frozenset[tuple[int, ...]]
    only: dict[tuple[int, int], list[tuple[int, ...]]]

    def answers(self, k: int, among: frozenset[int]) -> frozenset[int]:
        """Those answers that the split can have for chains of k facts."""
        held = frozenset(answer for length, answer in self.only if length == k)
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
        return frozenset(one for one in among if self.heads(k, one)) or among


class Plotter:
    """Draws the plots of one block, from one scene as long as that has what is wanted.

    `chainer` has the rules and a scene, by number.
    """

    def __init__(
        self,
        block: Block,
        chainer: Callable[[int], Chainer],
        noise: Noise,
        clauses: Clauses,
    ) -> None:
        self.chainer, self.noise, self.clauses = chainer, noise, clauses
        self.rules = chainer(0).rules
        self.streams = {purpose: block.stream(purpose) for purpose in ("chain", "noise-chain")}

    def plot(self, k: int, predicate: int) -> Plot:
        """A plot of k facts whose answer is that predicate."""
        for at in range(_SCENES):
            chainer = self.chainer(at)
            for _ in range(_TRIES if chainer.pairs[predicate] else 0):
                chain = self._chain(chainer, k, predicate)
                # Clean or noisy, a story must have room for noise, so that it is the same story.
                taken = _together(chain.people) if chain else 0
                if chain and noises.has_room(chainer, chain.people, taken):
                    noise = self._noise(chainer, chain.people, taken)
                    if noise is not None:
                        clause = clause_of(chainer.scene, chain.people)
                        return self._plot(chainer.scene, chain.people, chain.steps, clause, noise)
        raise Infeasible(
            f"no story of {k} facts{self._noise_words()} with the answer "
            f"{self.rules.predicates[predicate]!r} was found in {_SCENES} scenes; "
            f"ask for more people, a smaller k, or shorter or fewer noise paths"
        )

    def _chain(self, chainer: Chainer, k: int, predicate: int) -> Chain | None:
        """A chain of k facts for the answer, if luck has it."""
        stream = self.streams["chain"]
        held_out = self.clauses.only.get((k, predicate))
        if held_out:
            return chainer.follow(stream.choice(held_out), predicate, stream)
        among = chainer.pairs[predicate]
        x, y = among[stream.below(len(among))]
        chain = chainer.derive(x, y, k, 1 << x | 1 << y, stream)
        never = self.clauses.never
        return (
            None if chain and never and clause_of(chainer.scene, chain.people) in never else chain
        )

    def undetermined(self, k: int, is_open: Callable[[Scene, Plot], bool]) -> Plot:
        """A plot of k facts that leave open how the first and the last are related."""
        stream = self.streams["chain"]
        for at in range(_SCENES):
            chainer = self.chainer(at)
            scene = chainer.scene
            for _ in range(_TRIES):
                start = stream.below(len(scene.male))
                people = noises.walk(scene, start, 1 << start, k, stream)
                if people is None or not noises.has_room(chainer, people, _together(people)):
                    continue
                noise = self._noise(chainer, people, _together(people))
                if noise is None:
                    continue
                found = self._plot(scene, people, [], clause_of(scene, people), noise)
                if is_open(scene, found):
                    return found
        raise Infeasible(
            f"no story of {k} facts that leaves the answer open was found; ask for a larger k"
        )

    def _noise(
        self, chainer: Chainer, chain: list[int], taken: int
    ) -> list[tuple[Kind, list[int]]] | None:
        """Noise paths of every kind asked for, through people of whom nothing is told yet."""
        found: list[tuple[Kind, list[int]]] = []
        lengths, stream = self.noise.lengths, self.streams["noise-chain"]
        for kind in self.noise.kinds:
            if kind == "supporting":
                path = noises.supporting(chainer, chain, taken, lengths, stream)
            elif kind == "irrelevant":
                starts = chain[1:-1] if self.noise.interior else [chain[0], chain[-1]]
                path = noises.irrelevant(chainer.scene, starts, taken, lengths, stream)
            else:
                path = noises.disconnected(chainer.scene, taken, lengths, stream)
            if path is None:
                return None
            taken |= _together(path)
            found.append((kind, path))
        return found

    def _noise_words(self) -> str:
        kinds = " and ".join(dict.fromkeys(self.noise.kinds))
        return f" and {kinds} noise" if kinds else ""

    def _plot(
        self,
        scene: Scene,
        chain: list[int],
        steps: list[tuple[int, int, int]],
        clause: tuple[int, ...],
        noise: list[tuple[Kind, list[int]]],
    ) -> Plot:
        between, k, size = scene.between, len(clause), len(chain)
        everyone = chain.copy()
        place = [-1] * len(scene.male)
        for at, person in enumerate(chain):
            place[person] = at
        facts = [(at, predicate, at + 1) for at, predicate in enumerate(clause)]
        paths = [Path(None, list(range(size)), 0, k - 1)]
        for kind, path in noise:
            first = len(facts)
            for person in path:
                if place[person] < 0:
                    place[person] = len(everyone)
                    everyone.append(person)
            for at in range(1, len(path)):
                x, y = path[at - 1], path[at]
                facts.append((place[x], between[x][y], place[y]))
            paths.append(Path(kind, [place[one] for one in path], first, len(facts) - 1))
        # The number of what is known from one to another along the chain, and its depth.
        number, depth = [0] * (size * size), [0] * (len(facts) + len(steps))
        for at in range(k):
            number[at * size + at + 1] = at
        proof: list[tuple[int, int, int, str]] = []
        for x, z, y in steps:
            start, middle, end = place[x], place[z], place[y]
            before, after = number[start * size + middle], number[middle * size + end]
            head, at = between[x][y], len(facts)
            number[start * size + end] = at
            depth[at] = 1 + max(depth[before], depth[after])
            proof.append((at, before, after, self.rules.name(facts[before][1], facts[after][1])))
            facts.append((start, head, end))
        return Plot(
            k,
            [scene.male[person] for person in everyone],
            facts,
            paths,
            proof,
            [self.rules.predicates[predicate] for predicate in clause],
            depth[-1] if steps else 0,
            self.rules.proofs(clause).get(facts[-1][1], 0) if steps else 0,
        )


def clause_of(scene: Scene, people: list[int]) -> tuple[int, ...]:
    """The predicates along a path."""
    between = scene.between
    return tuple([between[people[at - 1]][people[at]] for at in range(1, len(people))])


def _together(people: list[int]) -> int:
    found = 0
    for person in people:
        found |= 1 << person
    return found
