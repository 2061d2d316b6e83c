"""The clutrr generator: its options and their checks."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from functools import cache, cached_property, partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import BaseModel, Field, ValidationInfo, field_validator, model_validator

from ...block import Block
from ...errors import InvalidOption, InvalidWorld, RelsmithError
from ...example import Example
from ...generator import Generator, Preset, Source
from ...options import CommaSeparated, External, Mix, Range, pattern_validator
from ...registry import WORLDS
from ...splits import TRAIN
from ...storage.files import Stamp, digest, stamp
from ...view import View
from .metadata import Metadata, stated_facts
from .output.presets import PRESETS
from .values import (
    NOISE_KINDS,
    SHIPPED,
    HoldOutKind,
    NoiseKind,
    Perturbation,
    SentenceOrder,
    Style,
)

# Modules that make and judge rows are imported where they are used, to keep --help quick.
if TYPE_CHECKING:
    import networkx

    from ...kb.worlds.stories import NamePool
    from ...kb.worlds.world import World
    from ...scoring.answers import AnswerKey
    from ...templates.bank import Bank
    from .planning.holdout import HoldOut

_WORDS_PER_FACT = 20
_MIN_WORDS_PER_FACT = {"text": 10, "plain": 4, "facts": 3}
_MIN_WORDS = 500
_MAX_PEOPLE = 120
_MAX_K = 40
"""Families with longer chains are too rare."""

_LEVELS: tuple[Mapping[str, object], ...] = (
    {"k": "2", "beside": 0},
    {"k": "2"},
    {"k": "2..3"},
    {"k": "3..4"},
    {"k": "3..4", "noise": "supporting,irrelevant"},
    {"k": "4..6", "noise": "all"},
    {"k": "6..8", "noise": "all"},
    {"k": "8..10", "noise": "all"},
    {"k": "8..10", "noise": "all", "words": 1000},
)

Choices = Annotated[
    str, pattern_validator(r"none|all|[1-9]\d?", "none, all, or a number from 1 to 99")
]


_Answer = Literal["relation", "yes-no", "who", "rank", "possible", "direction", "distance"]


class Clutrr(Generator):
    """Kinship stories: how are two people related, k facts apart?

    A random family is grown, a relation in it is drawn, and backward chaining resolves it into k
    facts that lead from one person to the other and visit nobody twice. Side facts allow for other
    queries, so that the question must be read. The answer, and no other, holds in every family in
    which the story's facts hold, and no fewer than k facts of the story entail it.
    """

    name: ClassVar[str] = "clutrr"
    version: ClassVar[int] = 3
    citation: ClassVar[str] = (
        "Sinha et al., CLUTRR: A Diagnostic Benchmark for Inductive Reasoning from Text, EMNLP 2019"
    )
    presets: ClassVar[Mapping[str, Preset]] = PRESETS
    Metadata: ClassVar[type[BaseModel]] = Metadata

    k: Mix = Field(Mix.parse("2..4"), description="facts between the two people of the query")
    train_k: Mix | None = Field(
        None, description="another k for the split train, so that test stories are longer"
    )
    beside: int = Field(
        3, ge=0, le=9, description="side facts at most, outside the chain and the noise; 0 for none"
    )
    direction: Literal["random", "forward"] = Field(
        "random", description="direction of the facts: random, or all from x on to y"
    )
    questions: int = Field(
        1, ge=1, le=8, description="questions per story, a row each, with different answers"
    )
    siblings: CommaSeparated[Perturbation] = Field(
        (), description="perturbed copies of each story, a row each, with only this changed"
    )
    noise: CommaSeparated[Literal["none", "supporting", "irrelevant", "disconnected", "all"]] = (
        Field(
            ("none",),
            min_length=1,
            description="kinds of noise in each row: facts that do not help",
        )
    )
    noise_paths: int = Field(1, ge=1, le=3, description="noise paths of each kind")
    noise_length: Range = Field(Range(2, 3), description="facts in a noise path")
    noise_at: Literal["ends", "interior"] = Field(
        "ends", description="where irrelevant noise leaves the chain"
    )
    words: int = Field(
        0,
        ge=0,
        le=100_000,
        description="fill the story with noise up to this many words; 0: do not",
    )
    depth: float | None = Field(
        None,
        ge=0,
        le=1,
        description="where in a long story the needed facts are: 0 first, 1 last",
    )
    world: str = Field("kinship", description="the world of the stories")
    rules: str = Field(
        "",
        description="a rule set of the world; by default the one whose rules always hold",
    )
    task: Literal["reasoning", "memory", "mixed"] = Field(
        "reasoning", description="ask for what follows, for a stated fact, or for both in turn"
    )
    answer: _Answer = Field(
        "relation",
        description="ask for a relation, yes or no, everyone so related, a rank, all possible "
        "relations, or a part of one, where the world has such questions",
    )
    unknown_share: float = Field(
        0, ge=0, le=0.9, description="share of undetermined answers: unknown, or none"
    )
    conventions: Literal["none", "brief", "full"] = Field(
        "none",
        description="state the conventions of the world and the possible answers before the story",
    )
    choices: Choices = Field("none", description="wrong answers to offer: none, all, or a number")
    explain: bool = Field(
        False, description="add the proof in words to the metadata, a sentence for each step"
    )
    style: Style = Field(
        "text", description="natural text, a plain sentence per fact, or bare facts"
    )
    order: SentenceOrder = Field(
        "shuffled", description="order of the sentences: shuffled, or along the chain"
    )
    gender: Literal["text", "given", "names"] = Field(
        "text", description="genders: shown by the text, listed before it, or by names only"
    )
    names: External[str] = Field(
        SHIPPED, description="our own names, or a file with lines like: Ann, female"
    )
    paraphrases: External[str] = Field(
        SHIPPED, description="our own sentences, or a file in the original's template format"
    )
    anonymize: bool = Field(False, description="placeholders like @entity-1 instead of names")
    hold_out: CommaSeparated[HoldOutKind] = Field(
        ("none",), min_length=1, description="what is held out of the split train"
    )
    people: int = Field(
        60, ge=10, le=_MAX_PEOPLE, description="people in the family behind a story"
    )
    children: int = Field(4, ge=2, le=8, description="maximum number of children of a couple")
    marriage: float = Field(0.85, gt=0.2, le=1, description="probability of marrying")
    same_gender: float = Field(
        0.1, ge=0, le=1, description="share of same-gender couples, where allowed"
    )

    @model_validator(mode="after")
    def _check_all(self) -> Self:
        for name, mix in (("k", self.k), ("train_k", self.train_k)):
            if mix and mix.low < 2:
                raise ValueError(f"{name}: expected 2 or more, but got '{mix}'")
            if mix and mix.high > _MAX_K:
                raise ValueError(f"{name}: expected {_MAX_K} at most, but got '{mix}'")
        for name, listed in (("noise", self.noise), ("hold_out", self.hold_out)):
            if "none" in listed and len(listed) > 1:
                raise ValueError(f"{name}: 'none' cannot be combined with other kinds")
        if self.noise_length.low < 2 or self.noise_length.high > 6:
            raise ValueError(f"noise_length: expected 2 to 6, but got '{self.noise_length}'")
        self._check_effects()
        self._check_question()
        self._check_people()
        self._check_words()
        self._check_hold_out()
        if self.siblings:
            self._check_siblings()
        if self.questions > 1:
            self._check_possible()
        return self

    def _check_siblings(self) -> None:
        """Refuse impossible perturbations, and options that would change more."""
        from .planning.feasibility import rules_of

        world, changes = self._world, self.siblings
        if len(set(changes)) < len(changes):
            raise ValueError("siblings: each perturbation may be listed once")
        for name, value in (
            *(("answer", "relation"), ("task", "reasoning")),
            *(("questions", 1), ("unknown_share", 0), ("words", 0)),
        ):
            if getattr(self, name) != value:
                option = name.replace("_", "-")
                raise ValueError(
                    f"siblings: they need --{option} {value}, but got {getattr(self, name)!r}"
                )
        rules = rules_of(self.world, self.rules)
        for change, possible, why in (
            ("words", self.style != "facts", "bare facts have no other words; use --style text"),
            ("order", self.order == "shuffled", "--order narrative has one order; leave it out"),
            ("noise", bool(self.kinds), "choose a kind with --noise"),
            ("gender", bool(world.genders), f"in the world {self.world} nobody has one"),
            (
                "inverse",
                self.direction == "random",
                "--direction forward has facts run one way only; leave it out",
            ),
            (
                "inverse",
                rules.is_inverse_closed,
                f"the rules {self.rules!r} do not all hold the other way round; use --rules "
                f"{world.default}",
            ),
        ):
            if change in changes and not possible:
                raise ValueError(f"siblings: {change!r}: {why}")
        if self.choices not in ("none", "all"):
            raise ValueError(f"siblings: they need --choices none or all, but got {self.choices!r}")
        if {"names", "gender"} & set(changes):
            needed = 2 * (self._max_people + self.max_side_facts)
            present = self._name_share * self._name_count
            if needed > present:
                raise ValueError(
                    f"siblings: {needed} names of a kind are needed so that siblings share none, "
                    f"but there are {int(present)}; ask for a smaller k, less noise or a smaller "
                    f"--beside"
                )

    @field_validator("world")
    @classmethod
    def _check_world(cls, name: str) -> str:
        from ...kb.worlds.world import find_world

        if name not in WORLDS.entries:
            raise ValueError(f"no {name!r}; {WORLDS.hint(name)}")
        if find_world(name).stories is None:
            listed = ", ".join(world.name for world in _worlds())
            raise ValueError(f"no stories are told of {name!r}; choose from {listed}")
        return name

    @field_validator("rules")
    @classmethod
    def _name_rules(cls, rules: str, info: ValidationInfo) -> str:
        """Replace the default by its name, so that the manifest has it."""
        from ...kb.worlds.world import find_world

        if "world" not in info.data:  # refused, with its own message
            return rules
        world = find_world(info.data["world"])
        if rules and rules not in world.rulesets:
            near = get_close_matches(rules, world.rulesets, n=1)
            guess = f"; did you mean {near[0]!r}?" if near else ""
            listed = ", ".join(world.rulesets)
            raise ValueError(f"{world.name} has {listed}, but got {rules!r}{guess}")
        return rules or world.default

    def _check_effects(self) -> None:
        """Refuse options that would have no effect."""

        world = self._world
        place = f"in the world {self.world},"
        for name, heeded, why in (
            ("gender", world.genders, f"{place} where nobody has one; leave it out"),
            (
                "children",
                "children" in world.story_spec.scene_options,
                f"{place} without couples; leave it out",
            ),
            (
                "marriage",
                "marriage" in world.story_spec.scene_options,
                f"{place} without couples; leave it out",
            ),
            (
                "same_gender",
                "same_gender" in world.story_spec.scene_options,
                f"{place} where no couple is of one gender; leave it out",
            ),
            ("noise_paths", self.kinds, "without noise; add --noise or leave it out"),
            ("noise_length", self.kinds, "without noise; add --noise or leave it out"),
            ("noise_at", "irrelevant" in self.kinds, "without --noise irrelevant; leave it out"),
            ("depth", self.words, "without --words; leave it out"),
            ("explain", self.task != "memory", "where nothing is to be proved; leave it out"),
            ("choices", self.answer == "relation", f"on {self.answer} questions; leave it out"),
        ):
            value = getattr(self, name)
            if not heeded and value != type(self).model_fields[name].default:
                raise ValueError(f"{name}: '{value}' has no effect {why}")

    def _check_question(self) -> None:

        world = self._world
        self._check_style(world)
        if self.conventions != "none" and world.conventions is None:
            raise ValueError(f"conventions: the world {self.world} has none; leave it out")
        if self.choices.isdigit() and int(self.choices) >= len(world.predicates):
            raise ValueError(
                f"choices: there are {len(world.predicates) - 1} wrong answers, "
                f"but got {self.choices}"
            )
        for name, value, usual in (
            ("answer", self.answer, "relation"),
            ("unknown_share", self.unknown_share, 0),
        ):
            if self.rules != world.default and value != usual:
                raise ValueError(
                    f"{name}: {value!r} needs rules that always hold: --rules {world.default}"
                )
        if self.answer in ("who", "rank"):
            self._check_who(world)
        elif self.answer == "possible" and "possible" in world.questions:
            if not self.unknown_share:
                raise ValueError(
                    "answer: 'possible' needs --unknown-share, the share of rows with more than "
                    "one possible relation"
                )
        elif self.answer not in ("relation", "yes-no", *world.parts):
            raise ValueError(f"answer: the world {self.world} has no question for {self.answer!r}")
        if self.questions > 1:
            self._check_questions()
        if self.rules != world.default and self.explain:
            raise ValueError(f"explain: needs rules that always hold: --rules {world.default}")
        if self.task != "reasoning" and self.unknown_share:
            raise ValueError("unknown_share: is for reasoning; stated facts are never unknown")

    def _check_style(self, world: "World") -> None:
        if self.style == "text" and world.sentences is None:
            raise ValueError(f"style: {self.world} has no sentences for 'text'; use plain or facts")
        if self.style == "facts" and world.story_spec.dated:
            raise ValueError(f"style: bare facts have no dates for {self.world}; use text or plain")

    def _check_who(self, world: "World") -> None:
        if self.answer not in world.questions:
            raise ValueError(f"answer: the world {self.world} has no question for {self.answer!r}")
        if self.task != "reasoning":
            raise ValueError(f"answer: {self.answer!r} is for reasoning; leave --task out")
        if self.answer == "who" and world.genders and self.gender == "text":
            raise ValueError("answer: 'who' needs everyone's gender: pass --gender given")

    def _check_questions(self) -> None:
        """Refuse options that do not go with several questions."""
        for name, value, why in (
            ("answer", "relation", "they have different answers"),
            ("unknown_share", 0, "they have different answers"),
            ("task", "reasoning", "they have different answers"),
        ):
            if getattr(self, name) != value:
                raise ValueError(
                    f"questions: more than one needs --{name} {value}, since {why}, "
                    f"but got {getattr(self, name)!r}"
                )
        if "clauses" in self.hold_out:
            raise ValueError(
                "questions: more than one cannot be combined with held-out clauses, of which no "
                "story has several; leave out one of the two"
            )
        if not self.beside:
            raise ValueError("questions: --questions above 1 needs --beside 1 or more")

    def _check_possible(self) -> None:
        """Refuse more questions than stories can have."""
        from .planning.feasibility import max_questions

        for k in sorted({*self.k, *(self.train_k or ())}):
            most = max_questions(self, k)
            if most < self.questions:
                raise ValueError(
                    f"questions: in stories of {k} facts and {self.max_side_facts} side facts "
                    f"{most or 'no'} question{'s' * (most != 1)} with different answers "
                    f"{'was' if most == 1 else 'were'} found, but got {self.questions}; ask for "
                    f"{most or 1}, a larger --beside, more --people or less noise"
                )

    def _check_people(self) -> None:
        from ...templates.statistics import vocabulary

        world = self._world
        longest = max(self.k.high, self.train_k.high if self.train_k else 0)
        noise = len(self.kinds) * self.noise_paths * self.noise_length.high
        for facts, room in (
            (longest + noise, world.story_spec.max_facts),
            (longest, world.story_spec.max_chain_facts or world.story_spec.max_facts),
        ):
            if facts <= room(self.people):
                continue
            fewest = next(size for size in count(1) if facts <= room(size))
            raise ValueError(
                f"people: stories of up to {facts} facts need at least {fewest}, "
                f"but got {self.people}; ask for "
                f"{'more people or ' * (fewest <= _MAX_PEOPLE)}a smaller k"
                f"{' or less noise' * (facts > longest)}"
            )
        everyone, fewest, share = self._max_people, self._name_count, self._name_share
        if everyone > share * fewest:
            held = " and a share of them is held out" if share < 1 else ""
            raise ValueError(
                f"names: a story of up to {everyone} people needs as many names of a kind, but "
                f"there are {fewest}{held}; ask for a smaller k or less noise"
            )
        if self.names != SHIPPED and not self.anonymize:
            words = vocabulary(self.bank()) if self.style == "text" else frozenset[str]()
            words |= world.story_spec.dated.words if world.story_spec.dated else frozenset()
            clash = next((n for kind in self.pool() for n in kind if n.lower() in words), None)
            if clash:
                raise ValueError(f"names: {clash!r} is a word of the sentences too; delete it")
        if self.anonymize and self.gender == "names":
            raise ValueError("gender: placeholders do not show the gender; use text or given")
        if self.anonymize and world.kinds:
            listed = " and ".join(f"{kind}s" for kind in world.kinds)
            raise ValueError(
                f"anonymize: placeholders do not distinguish {listed} of the world {self.world}"
            )

    def _check_words(self) -> None:
        """Refuse long stories that cannot be filled."""

        if not self.words:
            return
        if not self._world.story_spec.family_names:
            raise ValueError(f"words: the world {self.world} has too few names for long stories")
        if "disconnected" not in self.kinds:
            raise ValueError("words: there is no noise to fill the story with; add --noise all")
        noise = len(self.kinds) * self.noise_paths * self.noise_length.high
        longest = max(self.k.high, self.train_k.high if self.train_k else 0)
        fewest = _WORDS_PER_FACT * (longest + self.max_side_facts + noise)
        if self.words < max(fewest, _MIN_WORDS):
            raise ValueError(
                f"words: expected {max(fewest, _MIN_WORDS)} or more for stories of up to "
                f"{longest} facts and their side facts and noise, but got {self.words}"
            )
        for name, wanted in (("anonymize", self.anonymize), ("gender", self.gender == "given")):
            if wanted:
                raise ValueError(f"{name}: stories with --words have too many people for that")
        if self.full_names and "names" in self.hold_out:
            raise ValueError(
                "hold_out: stories this long use full names, of which none is held out"
            )

    @property
    def _world(self) -> "World":
        from ...kb.worlds.world import find_world

        return find_world(self.world)

    @property
    def full_names(self) -> bool:
        """True if a story may have more people than there are first names."""
        people = 1.5 * self.words / _MIN_WORDS_PER_FACT[self.style]
        return 0.6 * people > self._name_share * self._name_count

    def _check_hold_out(self) -> None:
        from ...templates.paraphrases import unstated_facts
        from .planning import holdout
        from .planning.feasibility import rules_of

        if "clauses" in self.hold_out:
            longest = holdout.max_clause_length(rules_of(self.world, self.rules))
            if (self.train_k or self.k).high > longest:
                raise ValueError(
                    f"hold_out: of clauses longer than {longest} there are too many to list; "
                    f"give a smaller train_k"
                )
        if self.paraphrases != SHIPPED:
            if self.world != "kinship" or self.style != "text":
                raise ValueError("paraphrases: these are for the world kinship and the style text")
            missing = unstated_facts(self.bank())
            if missing:
                raise ValueError(
                    f"paraphrases: {self.paraphrases} has no sentence for the {missing[0]} "
                    f"({len(missing)} single facts in all); add some"
                )
        if "clauses" in self.hold_out and set(self.train_k or self.k) == {2}:
            raise ValueError("hold_out: clauses of two facts are never held out; give a larger k")
        if "names" in self.hold_out and self.anonymize:
            raise ValueError("hold_out: an anonymised story has no names to hold out")
        if "templates" in self.hold_out and self.style != "text":
            raise ValueError("hold_out: only the style text has templates to hold out")

    @property
    def _max_people(self) -> int:
        """Maximum number of people in a story, without those of side facts."""
        from .planning.noise import EXTRA_PEOPLE

        longest = max(self.k.high, self.train_k.high if self.train_k else 0)
        per_path = [self.noise_length.high + EXTRA_PEOPLE[kind] for kind in self.kinds]
        return longest + 1 + self.noise_paths * sum(per_path)

    @property
    def _name_count(self) -> int:
        """Number of names of the gender that has fewest."""

        world = self._world
        kinds = 1 if self.anonymize else max(1, len(world.genders or world.kinds))
        return min(len(names) for names in self.pool()[:kinds])

    @property
    def _name_share(self) -> float:
        """Share of the names in the split that has fewest."""
        from .planning import holdout

        return holdout.SHARES["names"] if "names" in self.hold_out else 1

    @property
    def max_side_facts(self) -> int:
        """Maximum number of side facts for which there are names."""
        return min(self.beside, int(self._name_share * self._name_count) - self._max_people)

    @cached_property
    def shape(self) -> tuple[Any, ...]:
        """The options that shape a scene, except for its size."""
        from .planning.feasibility import SHAPE

        return tuple(getattr(self, name) for name in SHAPE)

    @cached_property
    def kinds(self) -> tuple[NoiseKind, ...]:
        """The kinds of noise in each row."""
        return tuple(kind for kind in NOISE_KINDS if {kind, "all"} & set(self.noise))

    def lengths(self, split: str) -> Mix:
        """Return the numbers of facts in the stories of a split."""
        return self.train_k if self.train_k and split == TRAIN else self.k

    def pool(self) -> "NamePool":
        """Return the names for stories."""
        from ...kb.worlds.stories import NamePool
        from .realizing.names import PLACEHOLDERS

        if self.anonymize:
            return NamePool(PLACEHOLDERS)
        world = self._world
        if self.names == SHIPPED:
            return world.story_spec.names
        return _names(self.names, stamp(self.names), world.genders, world.kinds)

    def bank(self) -> "Bank":
        """Return the sentence bank for stories."""
        from ...templates.bank import find_bank

        if self.paraphrases == SHIPPED:
            return find_bank(self.world)
        return _bank(self.paraphrases, stamp(self.paraphrases))

    def levels(self) -> Sequence[Mapping[str, object]]:
        """Return levels: longer chains, then noise, then words; k stays if train has its own."""
        if self.train_k is None:
            return _LEVELS
        levels = [{name: level[name] for name in level if name != "k"} for level in _LEVELS]
        return [level for place, level in enumerate(levels) if level not in levels[:place]]

    def sources(self) -> list[Source]:
        """Return the files of names and sentences, where they are not our own."""
        return [
            Source(
                name=Path(file).name,
                version=what,
                digest=digest(Path(file)),
            )
            for what, file in (("names", self.names), ("paraphrases", self.paraphrases))
            if file != SHIPPED
        ]

    def held_out(self, seed: int) -> "HoldOut":
        """Return what is held out of the split train in a dataset of this seed."""
        return _held_out(self, seed)

    def caveats(self) -> list[str]:
        """Return the relations that are never an answer, or never stated, with these rules."""

        return list(_unused(self._world, self.rules))

    @classmethod
    def measures(cls, rows: Iterable[Example]) -> dict[str, float]:
        """Return the accuracy of guessing without the question, and from the end facts alone."""
        from .output.ceiling import measures

        return measures(rows, list(_worlds()))

    def notes(self) -> list[str]:
        """Return the relations that stories of some length cannot ask for with these options."""
        from .planning.feasibility import possible_answers, rules_of

        rules, world = rules_of(self.world, self.rules), self._world
        lines = []
        for k in sorted({*self.k, *(self.train_k or ())}):
            missing = rules.head_predicates - possible_answers(self, k)
            if missing:
                lines.append(f"no story of {k} facts has the answer {_listed(world, missing)}")
        return lines

    def held_out_values(self, seed: int) -> dict[str, list[str]]:
        """Return what is held out of the split train, as the manifest lists it."""
        held = self.held_out(seed).listed()
        longer = set(self.k) - set(self.train_k or self.k)
        return held | ({"k": list(map(str, sorted(longer)))} if longer else {})

    def used_values(self, example: Example) -> dict[str, list[str]]:
        """Return what a row has of the things that can be held out."""
        from ...kb.worlds.stories import DATED_PREFIX
        from .judging.replay import is_undetermined
        from .planning import holdout

        metadata = example.metadata
        lengths = set(self.train_k or self.k)
        # Clauses of two facts are never held out, and undetermined rows have none.
        has_clause = metadata["k"] in lengths - {2} and not is_undetermined(example)
        return {
            # Sentences with times are never held out.
            "templates": [t for t in metadata["templates"] if not t.startswith(DATED_PREFIX)],
            "clauses": [holdout.format_clause(metadata["clause"])] if has_clause else [],
            "names": list({name for x, _, y in stated_facts(metadata) for name in (x, y)}),
            "k": [str(metadata["k"])] if metadata["k"] not in lengths else [],
        }

    def check_splits(self, splits: tuple[str, ...]) -> None:
        """Refuse to hold something out where there is no other split."""
        from .planning import holdout

        held = [f"--hold-out: '{','.join(self.hold_out)}'"] if self.hold_out != ("none",) else []
        held += [f"--train-k: '{self.train_k}'"] if self.train_k else []
        if held and len(splits) < 2:
            raise InvalidOption(
                f"{self.name}: {held[0]} has no effect without a split other than {splits[0]!r}; "
                f"write for example --split train=5000,test=100"
            )
        if held:
            holdout.check_splits(splits)

    def rows(self, block: Block) -> Iterator[Example]:
        """Yield the rows of a block; they share a scene, with other names in each row."""
        from .rows import RowBuilder
        from .siblings.groups import grouped

        if self.group_size > 1:
            yield from grouped(self, block)
            return
        rows = RowBuilder(self, block)
        for n in block.numbers:
            yield rows.example(n)

    @classmethod
    def answer_key(cls, row: Example) -> "AnswerKey":
        """Return how answers to a row are scored."""
        from .asking.answers import answer_key

        return answer_key(row)

    @classmethod
    def preface(cls, row: Example) -> str:
        """Return conventions of the world and possible answers, unless the row has them."""
        from .asking.answers import conventions

        return conventions(row)

    @classmethod
    def equivalent_answer(
        cls, options: Mapping[str, object], first: Example, other: Example, answer: str
    ) -> str:
        """Return the answer to a sibling that is equivalent to one to the first of its group."""
        from ...kb.worlds.world import find_world
        from .siblings.comparison import equivalent_answer

        return equivalent_answer(
            find_world(str(options.get("world", "kinship"))), first, other, answer
        )

    @property
    def group_size(self) -> int:
        """Number of questions about a story, or of a story and its siblings."""
        return max(self.questions, 1 + len(self.siblings))

    def check_group(self, examples: list[Example]) -> list[str]:
        """Compare the siblings of a story, or the questions about it, with one another."""
        from .siblings.comparison import question_group_violations, sibling_violations

        if self.siblings:
            return sibling_violations(examples, self)
        return question_group_violations(examples) if self.questions > 1 else []

    def replay(self, example: Example) -> list[str]:
        """Check the proof step by step, from the facts to the answer."""
        from .judging.replay import replay

        return replay(example, self._world, self.rules)

    @classmethod
    def graph(cls, example: Example) -> "networkx.MultiDiGraph[str]":
        """Return the people and facts of a story as a graph, noise included."""
        from .output.graph import graph

        return graph(example)

    @classmethod
    def view(cls, example: Example) -> View:
        """Return the facts drawn and marked in the text, and the proof step by step."""
        from .output.view import view

        return view(example)

    def problems(self, example: Example) -> list[str]:
        """Judge the answer without rules, the noise by the graph, the text by its sentences."""
        from .judging.judge import judge_row

        return [*judge_row(example, self), *self.replay(example)]


def _worlds() -> "Iterator[World]":
    """Yield every world that has stories; broken plugins are skipped."""
    from ...kb.worlds.world import find_world

    for name in WORLDS.entries:
        with suppress(RelsmithError):
            world = find_world(name)
            if world.stories is not None:
                yield world


def _unused(world: "World", ruleset: str) -> Iterator[str]:
    """Yield a line for relations that are never an answer, or never stated, by a rule set."""
    from .planning.feasibility import rules_of

    try:
        rules = rules_of(world.name, ruleset)
    except InvalidWorld:  # not for stories; refused when it is chosen
        return
    every = set(range(len(rules.predicates)))
    for missing, what in (
        (every - rules.head_predicates, "are never an answer"),
        (
            every - rules.body_predicates,
            "are never stated in the chain, so never the answer to a memory question",
        ),
    ):
        if missing:
            words = _listed(world, missing)
            yield f"--world {world.name} --rules {ruleset}: {words} {what}"


def _listed(world: "World", predicates: Collection[int]) -> str:
    """Return the words for some predicates, each once."""
    words = [word for predicate in sorted(predicates) for word in world.words[predicate]]
    return ", ".join(dict.fromkeys(words))


@cache
def _names(file: str, stamp: Stamp, genders: tuple[str, ...], kinds: tuple[str, ...]) -> "NamePool":
    from .realizing.names import read_names

    return read_names(Path(file), genders, kinds)


@cache
def _bank(file: str, stamp: Stamp) -> "Bank":
    from ...templates.paraphrases import load_paraphrases

    return load_paraphrases(Path(file))


@cache
def _held_out(options: Clutrr, seed: int) -> "HoldOut":
    from .planning import holdout
    from .planning.feasibility import clause_occurs, rules_of
    from .planning.holdout import HoldOut

    what, key = set(options.hold_out), (Clutrr.name, Clutrr.version, seed)
    lengths = list(options.train_k or options.k)
    rules = rules_of(options.world, options.rules)
    return HoldOut(
        holdout.templates_held_out(options.bank(), *key) if "templates" in what else frozenset(),
        holdout.clauses_held_out(rules, lengths, partial(clause_occurs, options), *key)
        if "clauses" in what
        else frozenset(),
        holdout.names_held_out(options.pool(), *key) if "names" in what else frozenset(),
    )
