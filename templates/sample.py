"""Fact lists to try a bank with: chains that the rules can derive something from, and noise."""

from typing import Literal, NamedTuple

from ..kb.engine import Engine
from ..kb.proof import Fact
from ..kb.rules import RuleTable
from ..seed import Stream
from .bank import Bank

Noise = Literal["none", "supporting", "irrelevant", "disconnected"]


class Sample(NamedTuple):
    """Facts, and the gender of everyone in them."""

    facts: list[Fact]
    genders: dict[str, str]


class Sampler:
    """Draws fact lists for the world of a bank.

    A chain is made by taking a fact apart by the rules again and again, so that genders agree
    (whoever is somebody's husband in the end has been so from the start).
    """

    def __init__(self, bank: Bank) -> None:
        self.bank = bank
        self.rules = RuleTable.of(bank.world)
        self.engine = Engine(self.rules)
        self.kinds: tuple[str | None, ...] = bank.world.genders or (None,)

    def sample(self, length: int, stream: Stream, noise: Noise = "none") -> Sample:
        """A chain of so many facts, and a path of noise, in which nothing contradicts the rules."""
        while True:
            found = self._sample(length, stream, noise)
            if self._possible(found):
                return found

    def _possible(self, sample: Sample) -> bool:
        """Whether no two people are two things to each other, or wed twice, or of one gender."""
        held: dict[tuple[str, str], str] = {}
        one: dict[tuple[str, str], str] = {}
        predicates, opposite = self.bank.world.predicates, self.bank.head.opposite
        for x, name, y in self.engine.closure(sample.facts):
            if held.setdefault((x, y), name) != name:
                return False
            if predicates[name].functional and one.setdefault((x, name), y) != y:
                return False
            if name in opposite and sample.genders[x] == sample.genders[y]:
                return False
        return True

    def _sample(self, length: int, stream: Stream, noise: Noise) -> Sample:
        names = {kind: list(self.bank.names(kind)) for kind in self.kinds}
        for some in names.values():
            stream.shuffle(some)
        people: dict[int, str | None] = {}
        chain = self._chain(length, people, stream)
        if noise == "supporting":
            at = stream.below(len(chain))
            chain += self._apart(chain[at], people, stream)
        elif noise != "none":
            first = stream.choice(chain)[0] if noise == "irrelevant" else None
            chain += self._chain(2, people, stream, first)
        called = {person: names[kind].pop() for person, kind in people.items()}
        genders = {called[person]: kind for person, kind in people.items() if kind}
        return Sample([(called[x], name, called[y]) for x, name, y in chain], genders)

    def _chain(
        self, length: int, people: dict[int, str | None], stream: Stream, first: int | None = None
    ) -> list[tuple[int, str, int]]:
        head = stream.choice(tuple(self.rules.bodies))
        if first is None:
            first = len(people)
            people[first] = stream.choice(self.kinds)
        chain = [(first, head, self._joined(first, head, people, stream))]
        while len(chain) < length:
            at = stream.below(len(chain))
            if chain[at][1] in self.rules.bodies:
                chain[at : at + 1] = self._apart(chain[at], people, stream)
        return chain

    def _apart(
        self, fact: tuple[int, str, int], people: dict[int, str | None], stream: Stream
    ) -> list[tuple[int, str, int]]:
        x, head, y = fact
        before, after = stream.choice(self.rules.bodies[head])
        opposite = self.bank.head.opposite
        z = len(people)
        people[z] = None
        if before in opposite:
            people[z] = self._other(people[x])
        elif after in opposite:
            people[z] = self._other(people[y])
        else:
            people[z] = stream.choice(self.kinds)
        return [(x, before, z), (z, after, y)]

    def _joined(self, x: int, name: str, people: dict[int, str | None], stream: Stream) -> int:
        y = len(people)
        opposite = name in self.bank.head.opposite
        people[y] = self._other(people[x]) if opposite else stream.choice(self.kinds)
        return y

    def _other(self, kind: str | None) -> str | None:
        return next(other for other in self.kinds if other != kind)
