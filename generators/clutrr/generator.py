"""The generator: families, targets, chains, noise and words put together."""

from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import ClassVar, Literal, NamedTuple, Self

from pydantic import BaseModel, Field, model_validator

from ...block import Block
from ...errors import Infeasible
from ...example import Example
from ...generator import Generator
from ...kb.kinship import world
from ...kb.proof import replay as replay_proof
from ...kb.rules import RuleTable, rule_name
from ...options import Listed, Range
from ...seed import Stream
from ...templates.stitcher import Order
from . import noise as noises
from .chain import Chainer, Derivation, Fact
from .family import PREDICATES, Kin, grow
from .judgement import judgement
from .metadata import Metadata
from .people import Names, pool
from .telling import Style, Telling
from .telling import tell as tell_facts

Kind = Literal["supporting", "irrelevant", "disconnected"]

_TRIES = 200
_FAMILIES = 20


class _Words(NamedTuple):
    """Relation words by predicate and gender of the second person, and back."""

    by_gender: tuple[tuple[str, str], ...]
    predicates: dict[str, str]


@cache
def _words() -> _Words:
    kinship = world().predicates
    by_gender = tuple((kinship[p].word("female"), kinship[p].word("male")) for p in PREDICATES)
    return _Words(by_gender, {word: name for word, (name, _) in world().meanings.items()})


@cache
def _rules(ruleset: str) -> RuleTable:
    return RuleTable.of(world(), ruleset)


@cache
def _chainer(ruleset: str) -> Chainer:
    return Chainer(_rules(ruleset))


@cache
def _rule(first: int, second: int, head: int) -> str:
    return rule_name((PREDICATES[first], PREDICATES[second]), PREDICATES[head])


class Clutrr(Generator):
    """Kinship stories: how are two people related, k facts apart?

    A family is grown at random, a relation in it is drawn, and backward chaining takes it apart
    into k facts that lead from the one person to the other through nobody twice. The answer
    holds in every family in which the story's facts hold, no other answer does, and no fewer
    than k facts of the story give it, noise or not.
    """

    name: ClassVar[str] = "clutrr"
    version: ClassVar[int] = 1
    citation: ClassVar[str] = (
        "Sinha et al., CLUTRR: A Diagnostic Benchmark for Inductive Reasoning from Text, EMNLP 2019"
    )
    Metadata: ClassVar[type[BaseModel]] = Metadata

    k: Range = Field(Range(2, 4), description="how many facts lead from one person to the other")
    noise: Listed[Literal["none", "supporting", "irrelevant", "disconnected", "all"]] = Field(
        ("none",), min_length=1, description="facts that do not help: of these kinds in each row"
    )
    noise_paths: int = Field(1, ge=1, le=3, description="how many noise paths of each kind")
    noise_length: Range = Field(Range(2, 3), description="facts in a noise path")
    style: Style = Field(
        "text", description="told as people would, or plainly, a sentence for each fact"
    )
    order: Order = Field(
        "shuffled", description="order of the sentences: shuffled, or along the chain"
    )
    choices: Literal["none", "all"] = Field(
        "none", description="offer no choices, or all relations"
    )
    people: int = Field(40, ge=10, le=120, description="people in the family behind a story")
    children: int = Field(4, ge=2, le=8, description="most children of a couple")
    marriage: float = Field(0.85, gt=0.2, le=1, description="chance of marrying")

    @model_validator(mode="after")
    def _can_be_met(self) -> Self:
        if self.k.low < 2:
            raise ValueError(f"k: expected 2 or more, but got '{self.k}'")
        if self.k.high > 15:
            raise ValueError(f"k: expected 15 at most, but got '{self.k}'")
        if "none" in self.noise and len(self.noise) > 1:
            raise ValueError("noise: 'none' cannot stand beside other kinds")
        if self.noise_length.low < 2 or self.noise_length.high > 6:
            raise ValueError(f"noise_length: expected 2 to 6, but got '{self.noise_length}'")
        told = self.k.high + 1 + len(self.kinds) * self.noise_paths * self.noise_length.high
        if self.people < 2 * told:
            raise ValueError(
                f"people: a story of up to {told} people needs a family of {2 * told}, "
                f"but got {self.people}; ask for more people or a smaller k"
            )
        return self

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of noise in each row."""
        every: tuple[Kind, ...] = ("supporting", "irrelevant", "disconnected")
        return tuple(kind for kind in every if {kind, "all"} & set(self.noise))

    def rows(self, block: Block) -> Iterator[Example]:
        """One family serves a block, under other names in each row, and mirrored in half."""
        draw = _Draw(self, block)
        for n in block.numbers:
            yield draw.example(n)

    def replay(self, example: Example) -> list[str]:
        """The proof, step by step, from the facts to the answer."""
        known, predicates = example.metadata, _words().predicates
        x, y = known["query"]
        steps = [
            {
                "conclusion": _neutral(step["conclusion"], predicates),
                "premises": [_neutral(premise, predicates) for premise in step["premises"]],
                "rule": step["rule"],
            }
            for step in known["proof"]
        ]
        facts = [_neutral(fact, predicates) for fact in known["facts"]]
        goal = (x, predicates.get(example.target, example.target), y)
        return replay_proof(steps, facts, _rules("sound"), goal)  # type: ignore[arg-type]

    def problems(self, example: Example) -> list[str]:
        """Judge the answer without rules, the noise by the graph, the text by its sentences."""
        return [
            *judgement(example, set(self.kinds), self.choices == "all"),
            *self.replay(example),
        ]


def _neutral(fact: list[str], predicates: dict[str, str]) -> tuple[str, str, str]:
    x, word, y = fact
    return x, predicates.get(word, word), y


class _Draw:
    """The draws of one block, each purpose from a stream of its own."""

    def __init__(self, options: Clutrr, block: Block) -> None:
        self.options, self.block = options, block
        self.chainer = _chainer("sound")
        self.families: list[Kin] = []
        self.pairs: list[list[list[tuple[int, int]]]] = []
        self.names = Names(*pool())
        self.kinds = [kind for kind in options.kinds for _ in range(options.noise_paths)]
        self.cells = list(product(options.k, range(len(PREDICATES)), (False, True)))
        self.streams = {
            purpose: block.stream(purpose)
            for purpose in ("family", "target", "chain", "names", "words", "noise")
        }
        self.streams["target"].shuffle(self.cells)

    def family(self, at: int) -> tuple[Kin, list[list[tuple[int, int]]]]:
        """The block's family; others where that one has no such story."""
        if at == len(self.families):
            made = grow(
                self.streams["family"],
                self.options.people,
                self.options.children,
                self.options.marriage,
            )
            self.families.append(made)
            self.pairs.append([list(made.pairs(p)) for p in range(len(PREDICATES))])
        return self.families[at], self.pairs[at]

    def chain(self, k: int, predicate: int) -> tuple[Kin, Derivation]:
        """A chain of k facts for a target of that relation."""
        stream = self.streams["chain"]
        for at in range(_FAMILIES):
            kin, pairs = self.family(at)
            for _ in range(_TRIES if pairs[predicate] else 0):
                x, y = stream.choice(pairs[predicate])
                target = (x, predicate, y)
                found = self.chainer.derive(kin, target, k, 1 << x | 1 << y, stream)
                # Clean or noisy, a story must have room for noise, so that it is the same story.
                if found and self.has_room(kin, found.facts):
                    return kin, found
        raise Infeasible(
            f"no family of {self.options.people} people has a {PREDICATES[predicate]} "
            f"{k} facts away; ask for more people or a smaller k"
        )

    def named(self, male: dict[int, bool]) -> dict[int, str]:
        """Names for people of given gender; in this order no other split has the same."""
        while True:
            self.names.start()
            name = {
                person: self.names.draw(gender, self.streams["names"])
                for person, gender in male.items()
            }
            if self.block.owns(" ".join(name.values())):
                return name

    def has_room(self, kin: Kin, facts: list[Fact]) -> bool:
        """Whether a short supporting and a short irrelevant path fit beside each other."""
        taken = _people(facts)
        ends = [facts[0][0], facts[-1][2]]
        return any(
            noises.has_way_out(kin, ends, taken | 1 << person)
            for person in self.chainer.detours(kin, facts, taken)
        )

    def noise(self, kin: Kin, facts: list[Fact]) -> list[tuple[Kind, list[Fact]]]:
        """Noise paths of every kind asked for, through people of whom nothing is told yet."""
        for _ in range(_TRIES):
            taken = _people(facts)
            found: list[tuple[Kind, list[Fact]]] = []
            for kind in self.kinds:
                path = self.path(kind, kin, facts, taken)
                if path is None:
                    break
                taken |= _people(path)
                found.append((kind, path))
            else:
                return found
        raise Infeasible(
            f"no {', '.join(self.options.kinds)} noise fits a story of {len(facts)} facts; "
            f"ask for more people or for shorter or fewer noise paths"
        )

    def path(self, kind: Kind, kin: Kin, facts: list[Fact], taken: int) -> list[Fact] | None:
        """One noise path of that kind, if there is room."""
        lengths, stream = list(self.options.noise_length), self.streams["noise"]
        if kind == "supporting":
            return noises.supporting(self.chainer, kin, facts, taken, lengths, stream)
        if kind == "irrelevant":
            return noises.irrelevant(kin, [facts[0][0], facts[-1][2]], taken, lengths, stream)
        return noises.disconnected(kin, taken, lengths, stream)

    def example(self, n: int) -> Example:
        """Row n."""
        options, streams, words = self.options, self.streams, _words().by_gender
        cell = self.cells[(n - self.block.numbers.start) % len(self.cells)]
        k, predicate, wanted_male = cell
        kin, found = self.chain(k, predicate)
        x, _, y = target = (found.facts[0][0], predicate, found.facts[-1][2])
        # The axioms know no difference between men and women, so the mirror family is one too.
        mirrored = kin.male[y] != wanted_male

        people = [x, *(fact[2] for fact in found.facts)]
        name = self.named({person: kin.male[person] != mirrored for person in people})

        known: dict[Fact, list[str]] = {}

        def told(fact: Fact) -> list[str]:
            if fact not in known:
                one, relation, other = fact
                word = words[relation][kin.male[other] != mirrored]
                known[fact] = [name[one], word, name[other]]
            return known[fact]

        genders: dict[str, str] = {}

        def tell(
            facts: list[Fact], order: Order, stream: Stream, reveal: tuple[str, ...] = ()
        ) -> list[Telling]:
            for fact in facts:
                for person in (fact[0], fact[2]):
                    genders[name[person]] = "male" if kin.male[person] != mirrored else "female"
            predicates = [PREDICATES[fact[1]] for fact in facts]
            words = [told(fact) for fact in facts]
            return tell_facts(words, predicates, genders, options.style, order, stream, reveal)

        # Else nothing but the name would tell an aunt from an uncle.
        lines = tell(found.facts, options.order, streams["words"], reveal=(name[y],))
        noise_facts = []
        for kind, path in self.noise(kin, found.facts):
            for one, _, other in path:
                for person in (one, other):
                    if person not in name:
                        male = kin.male[person] != mirrored
                        name[person] = self.names.draw(male, streams["noise"])
            noise_facts.append({"type": kind, "facts": [told(fact) for fact in path]})
            self.mix(lines, tell(path, "narrative", streams["noise"]))

        proof = [
            {
                "conclusion": told(head),
                "premises": [told(before), told(after)],
                "rule": _rule(before[1], after[1], head[1]),
            }
            for head, before, after in found.steps
        ]
        question = f"How is {name[y]} related to {name[x]}?"
        return Example(
            self.block.id(n),
            " ".join([*(line.text for line in lines), question]),
            sorted(_words().predicates) if options.choices == "all" else [],
            told(target)[1],
            {
                "k": k,
                "noise": list(options.kinds),
                "clause": [PREDICATES[fact[1]] for fact in found.facts],
                "facts": [told(fact) for fact in found.facts],
                "noise_facts": noise_facts,
                "genders": genders,
                "query": [name[x], name[y]],
                "proof": proof,
                "sentences": [{"text": line.text, "facts": line.facts} for line in lines],
                "templates": [line.template for line in lines],
                "difficulty": {
                    "proof_depth": _depth(found.steps, target),
                    "proofs": self.chainer.proofs(found.facts),
                    "off_path_facts": sum(len(path["facts"]) for path in noise_facts),
                },
            },
        )

    def mix(self, lines: list[Telling], noise: list[Telling]) -> None:
        """Put noise between what is told, in one piece where the story is told in order."""
        stream = self.streams["noise"]
        if self.options.order == "narrative":
            at = stream.below(len(lines) + 1)
            lines[at:at] = noise
        else:
            for line in noise:
                lines.insert(stream.below(len(lines) + 1), line)


def _people(facts: list[Fact]) -> int:
    people = 0
    for x, _, y in facts:
        people |= 1 << x | 1 << y
    return people


def _depth(steps: list[tuple[Fact, Fact, Fact]], goal: Fact) -> int:
    depth: dict[Fact, int] = {}
    for head, before, after in steps:
        depth[head] = 1 + max(depth.get(before, 0), depth.get(after, 0))
    return depth[goal]
