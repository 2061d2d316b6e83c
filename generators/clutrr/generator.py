"""The generator: its options, and what makes and judges its rows."""

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
from ...options import Listed, Mix, Outside, Range, written
from ...registry import WORLDS
from ...splits import TRAIN
from ...storage.files import Stamp, digest, stamp
from ...view import View
from .metadata import Metadata, told
from .output.presets import PRESETS
from .values import KINDS, SHIPPED, Change, Kind, Order, Style, What

# What makes and judges rows is imported where it is used: `gen clutrr --help` needs none of it.
if TYPE_CHECKING:
    import networkx

    from ...kb.worlds.stories import Pool
    from ...kb.worlds.world import World
    from ...scoring.answers import Key
    from ...templates.bank import Bank
    from .planning.holdout import HoldOut

_WORDS_A_FACT = 20
_FEWEST_WORDS_A_FACT = {"text": 10, "plain": 4, "facts": 3}
_FEWEST_WORDS = 500

_MOST_PEOPLE = 120
_LONGEST = 40
"""Beyond that, families in which to find such a chain are too rare."""

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

Choices = Annotated[str, written(r"none|all|[1-9]\d?", "none, all, or a number from 1 to 99")]


_Answer = Literal["relation", "yes-no", "who", "rank", "possible", "direction", "distance"]


class Clutrr(Generator):
    """Kinship stories: how are two people related, k facts apart?

    A family is grown at random, a relation in it is drawn, and backward chaining takes it apart
    into k facts that lead from the one person to the other through nobody twice. Further facts
    beside them could be asked about as well, so that the question must be read. The answer
    holds in every family in which the story's facts hold, no other answer does, and no fewer
    than k facts of the story give it, noise or not.
    """

    name: ClassVar[str] = "clutrr"
    version: ClassVar[int] = 3
    citation: ClassVar[str] = (
        "Sinha et al., CLUTRR: A Diagnostic Benchmark for Inductive Reasoning from Text, EMNLP 2019"
    )
    presets: ClassVar[Mapping[str, Preset]] = PRESETS
    Metadata: ClassVar[type[BaseModel]] = Metadata

    k: Mix = Field(Mix.parse("2..4"), description="how many facts lead from one to the other")
    train_k: Mix | None = Field(
        None, description="another k for the split train, so that longer stories are new in tests"
    )
    beside: int = Field(
        3, ge=0, le=9, description="facts told beside the k, at most; 0 for the chain alone"
    )
    direction: Literal["random", "forward"] = Field(
        "random", description="which way facts are told: by chance, or all from x on to y"
    )
    questions: int = Field(
        1, ge=1, le=8, description="questions about each story, a row for each, answers different"
    )
    siblings: Listed[Change] = Field(
        (), description="tell each story again, a row each time, with only this changed"
    )
    noise: Listed[Literal["none", "supporting", "irrelevant", "disconnected", "all"]] = Field(
        ("none",), min_length=1, description="facts that do not help: of these kinds in each row"
    )
    noise_paths: int = Field(1, ge=1, le=3, description="how many noise paths of each kind")
    noise_length: Range = Field(Range(2, 3), description="facts in a noise path")
    noise_at: Literal["ends", "interior"] = Field(
        "ends", description="where irrelevant noise leaves the chain"
    )
    words: int = Field(
        0, ge=0, le=100_000, description="fill the story up to so many words with noise; 0: do not"
    )
    depth: float | None = Field(
        None,
        ge=0,
        le=1,
        description="where in a long story the facts needed stand: 0 first, 1 last",
    )
    world: str = Field("kinship", description="the world that stories are set in")
    rules: str = Field(
        "",
        description="a rule set of the world; by default its own default, whose rules always hold",
    )
    task: Literal["reasoning", "memory", "mixed"] = Field(
        "reasoning", description="ask for what follows, for a fact that is told, or in turn"
    )
    answer: _Answer = Field(
        "relation",
        description="ask which relation, whether one, for all who are so related, for a rank, for "
        "all relations that are possible, or for a part of one, where the world has such questions",
    )
    unknown_share: float = Field(
        0, ge=0, le=0.9, description="so many of the answers are left open: unknown, or none"
    )
    conventions: Literal["none", "brief", "full"] = Field(
        "none", description="say before the story what holds in its world, and the possible answers"
    )
    choices: Choices = Field("none", description="offer none, all, or so many wrong answers")
    explain: bool = Field(
        False, description="say the proof in words, a sentence for each step, in the metadata"
    )
    style: Style = Field(
        "text", description="told as people would, plainly by the fact, or as bare facts"
    )
    order: Order = Field(
        "shuffled", description="order of the sentences: shuffled, or along the chain"
    )
    gender: Literal["text", "given", "names"] = Field(
        "text", description="who is male: shown by the text, listed before it, or by names only"
    )
    names: Outside[str] = Field(
        SHIPPED, description="our own names, or a file with lines like: Ann, female"
    )
    paraphrases: Outside[str] = Field(
        SHIPPED, description="our own sentences, or a file in the original's template format"
    )
    anonymize: bool = Field(False, description="@entity-1 and the like instead of names")
    hold_out: Listed[What] = Field(
        ("none",), min_length=1, description="what the split train never sees"
    )
    people: int = Field(
        60, ge=10, le=_MOST_PEOPLE, description="people in the family behind a story"
    )
    children: int = Field(4, ge=2, le=8, description="most children of a couple")
    marriage: float = Field(0.85, gt=0.2, le=1, description="chance of marrying")
    same_gender: float = Field(
        0.1, ge=0, le=1, description="so many couples are two men or two women, where these may be"
    )

    @model_validator(mode="after")
    def _can_be_met(self) -> Self:
        for name, mix in (("k", self.k), ("train_k", self.train_k)):
            if mix and mix.low < 2:
                raise ValueError(f"{name}: expected 2 or more, but got '{mix}'")
            if mix and mix.high > _LONGEST:
                raise ValueError(f"{name}: expected {_LONGEST} at most, but got '{mix}'")
        for name, listed in (("noise", self.noise), ("hold_out", self.hold_out)):
            if "none" in listed and len(listed) > 1:
                raise ValueError(f"{name}: 'none' cannot stand beside other kinds")
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
        """Refuse changes that there is no way to make, and options that would change more."""
        from ...kb.worlds.world import find_world
        from .planning.feasibility import rules_of

        world, changes = find_world(self.world), self.siblings
        if len(set(changes)) < len(changes):
            raise ValueError("siblings: each change may stand once")
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
        back = rules.inverse
        for change, possible, why in (
            ("words", self.style != "facts", "bare facts have no other words; use --style text"),
            ("order", self.order == "shuffled", "--order narrative has one order; leave it out"),
            ("noise", bool(self.kinds), "say which by --noise supporting or another kind"),
            ("gender", bool(world.genders), f"in the world {self.world} nobody has one"),
            (
                "inverse",
                self.direction == "random",
                "--direction forward has facts run one way only; leave it out",
            ),
            (
                "inverse",
                all((back[s], back[f], back[h]) in rules.heads for f, s, h in rules.heads),
                f"the rules {self.rules!r} do not all hold the other way round; use --rules "
                f"{world.default}",
            ),
        ):
            if change in changes and not possible:
                raise ValueError(f"siblings: {change!r}: {why}")
        if self.choices not in ("none", "all"):
            raise ValueError(f"siblings: they need --choices none or all, but got {self.choices!r}")
        if {"names", "gender"} & set(changes):
            most = 2 * (self._everyone + self.most_beside)
            if most > self._share * self._names:
                raise ValueError(
                    f"siblings: {most} names of a kind are needed so that no sibling has one of "
                    f"another, but there are {int(self._share * self._names)}; ask for a smaller "
                    f"k, less noise or fewer facts --beside"
                )

    @field_validator("world")
    @classmethod
    def _has_stories(cls, name: str) -> str:
        from ...kb.worlds.world import find_world

        if name not in WORLDS.entries:
            raise ValueError(f"no {name!r}; {WORLDS.hint(name)}")
        if find_world(name).stories is None:
            told = ", ".join(world.name for world in _worlds())
            raise ValueError(f"no stories are told of {name!r}; choose from {told}")
        return name

    @field_validator("rules")
    @classmethod
    def _of_the_world(cls, rules: str, info: ValidationInfo) -> str:
        """The default rule set goes by its name, so that a manifest says which it was."""
        from ...kb.worlds.world import find_world

        if "world" not in info.data:  # refused, and the complaint is about that
            return rules
        world = find_world(info.data["world"])
        if rules and rules not in world.rulesets:
            near = get_close_matches(rules, world.rulesets, n=1)
            guess = f"; did you mean {near[0]!r}?" if near else ""
            listed = ", ".join(world.rulesets)
            raise ValueError(f"{world.name} has {listed}, but got {rules!r}{guess}")
        return rules or world.default

    def _check_effects(self) -> None:
        """Refuse what would change nothing."""
        from ...kb.worlds.world import find_world

        world = find_world(self.world)
        place = f"in the world {self.world},"
        for name, heeded, why in (
            ("gender", world.genders, f"{place} where nobody has one; leave it out"),
            ("children", "children" in world.told.heeds, f"{place} without couples; leave it out"),
            ("marriage", "marriage" in world.told.heeds, f"{place} without couples; leave it out"),
            (
                "same_gender",
                "same_gender" in world.told.heeds,
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
        from ...kb.worlds.world import find_world

        world = find_world(self.world)
        self._check_style(world)
        if self.conventions != "none" and world.conventions is None:
            raise ValueError(
                f"conventions: the world {self.world} has none written down; leave it out"
            )
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
        elif self.answer == "possible" and world.told.possible:
            if not self.unknown_share:
                raise ValueError(
                    "answer: with 'possible' say how often more than one relation is left by "
                    "--unknown-share"
                )
        elif self.answer not in ("relation", "yes-no", *world.parts):
            raise ValueError(f"answer: the world {self.world} has no question for {self.answer!r}")
        if self.questions > 1:
            self._check_questions()
        if self.rules != world.default and self.explain:
            raise ValueError(f"explain: needs rules that always hold: --rules {world.default}")
        if self.task != "reasoning" and self.unknown_share:
            raise ValueError("unknown_share: is for reasoning; what is told is never unknown")

    def _check_style(self, world: "World") -> None:
        if self.style == "text" and world.sentences is None:
            raise ValueError(f"style: {self.world} has no sentences for 'text'; use plain or facts")
        if self.style == "facts" and world.told.dated:
            raise ValueError(f"style: bare facts have no dates for {self.world}; use text or plain")

    def _check_who(self, world: "World") -> None:
        if not (world.told.who if self.answer == "who" else world.superlatives):
            raise ValueError(f"answer: the world {self.world} has no question for {self.answer!r}")
        if self.task != "reasoning":
            raise ValueError(f"answer: {self.answer!r} is for reasoning; leave --task out")
        if self.answer == "who" and world.genders and self.gender == "text":
            raise ValueError("answer: 'who' asks of everyone, whose gender must be --gender given")

    def _check_questions(self) -> None:
        """Refuse what stories with several questions cannot have."""
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
                "questions: more than one cannot go with held out clauses, of which no story has "
                "several; leave out one of the two"
            )
        if not self.beside:
            raise ValueError("questions: a chain alone has one; tell some facts --beside it")

    def _check_possible(self) -> None:
        """Refuse more questions than any story has."""
        from .planning.feasibility import most_questions

        for k in sorted({*self.k, *(self.train_k or ())}):
            most = most_questions(self, k)
            if most < self.questions:
                raise ValueError(
                    f"questions: in a story of {k} facts and {self.most_beside} beside them "
                    f"{most or 'no'} question{'s' * (most != 1)} with different answers "
                    f"{'was' if most == 1 else 'were'} found, but got {self.questions}; ask for "
                    f"{most or 1}, more facts --beside, more --people or less noise"
                )

    def _check_people(self) -> None:
        from ...kb.worlds.world import find_world
        from ...templates.statistics import vocabulary

        world = find_world(self.world)
        longest = max(self.k.high, self.train_k.high if self.train_k else 0)
        noise = len(self.kinds) * self.noise_paths * self.noise_length.high
        for facts, room in (
            (longest + noise, world.told.longest),
            (longest, world.told.longest_chain or world.told.longest),
        ):
            if facts <= room(self.people):
                continue
            fewest = next(size for size in count(1) if facts <= room(size))
            raise ValueError(
                f"people: stories of up to {facts} facts need {fewest} to draw from, "
                f"but got {self.people}; ask for "
                f"{'more people or ' * (fewest <= _MOST_PEOPLE)}a smaller k"
                f"{' or less noise' * (facts > longest)}"
            )
        everyone, fewest, share = self._everyone, self._names, self._share
        if everyone > share * fewest:
            held = " and a share of them is held out" if share < 1 else ""
            raise ValueError(
                f"names: a story of up to {everyone} people needs as many names of a kind, but "
                f"there are {fewest}{held}; ask for a smaller k or less noise"
            )
        if self.names != SHIPPED and not self.anonymize:
            words = vocabulary(self.bank()) if self.style == "text" else frozenset[str]()
            words |= world.told.dated_words
            clash = next((n for kind in self.pool() for n in kind if n.lower() in words), None)
            if clash:
                raise ValueError(f"names: {clash!r} is a word of the sentences too; delete it")
        if self.anonymize and self.gender == "names":
            raise ValueError("gender: a placeholder is no name to tell by; use text or given")
        if self.anonymize and world.kinds:
            listed = " and ".join(f"{kind}s" for kind in world.kinds)
            raise ValueError(
                f"anonymize: a placeholder does not tell {listed} of the world {self.world} apart"
            )

    def _check_words(self) -> None:
        """Refuse long stories that cannot be told."""
        from ...kb.worlds.world import find_world

        if not self.words:
            return
        if not find_world(self.world).told.family_names:
            raise ValueError(f"words: the world {self.world} has too few names for long stories")
        if "disconnected" not in self.kinds:
            raise ValueError("words: there is nothing to fill with; add --noise all")
        noise = len(self.kinds) * self.noise_paths * self.noise_length.high
        longest = max(self.k.high, self.train_k.high if self.train_k else 0)
        fewest = _WORDS_A_FACT * (longest + self.most_beside + noise)
        if self.words < max(fewest, _FEWEST_WORDS):
            raise ValueError(
                f"words: expected {max(fewest, _FEWEST_WORDS)} or more for stories of up to "
                f"{longest} facts beside others, but got {self.words}"
            )
        for name, wanted in (("anonymize", self.anonymize), ("gender", self.gender == "given")):
            if wanted:
                raise ValueError(f"{name}: too many people for that in stories with --words")
        if self.full_names and "names" in self.hold_out:
            raise ValueError("hold_out: names are full in stories that long, and none is held out")

    @property
    def full_names(self) -> bool:
        """Whether there are more people in a story than first names."""
        people = 1.5 * self.words / _FEWEST_WORDS_A_FACT[self.style]
        return 0.6 * people > self._share * self._names

    def _check_hold_out(self) -> None:
        from ...templates.paraphrases import gaps
        from .planning import holdout
        from .planning.feasibility import rules_of

        if "clauses" in self.hold_out:
            longest = holdout.longest(rules_of(self.world, self.rules))
            if (self.train_k or self.k).high > longest:
                raise ValueError(
                    f"hold_out: of clauses longer than {longest} there are too many to list; "
                    f"give a smaller train_k"
                )
        if self.paraphrases != SHIPPED:
            if self.world != "kinship" or self.style != "text":
                raise ValueError("paraphrases: these are for the world kinship and the style text")
            missing = gaps(self.bank())
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
    def _everyone(self) -> int:
        """How many people a story may have, but for those beside its chain."""
        from .planning.noise import STRANGERS

        longest = max(self.k.high, self.train_k.high if self.train_k else 0)
        strangers = [self.noise_length.high + STRANGERS[kind] for kind in self.kinds]
        return longest + 1 + self.noise_paths * sum(strangers)

    @property
    def _names(self) -> int:
        """How many names there are of the gender that has fewer."""
        from ...kb.worlds.world import find_world

        world = find_world(self.world)
        kinds = 1 if self.anonymize else max(1, len(world.genders or world.kinds))
        return min(len(names) for names in self.pool()[:kinds])

    @property
    def _share(self) -> float:
        """How much of the names the split has that has fewest."""
        from .planning import holdout

        return holdout.SHARES["names"] if "names" in self.hold_out else 1

    @property
    def most_beside(self) -> int:
        """How many facts may be told beside a chain: as many as there are names for."""
        return min(self.beside, int(self._share * self._names) - self._everyone)

    @cached_property
    def shape(self) -> tuple[Any, ...]:
        """What shapes a scene, beside its size."""
        from .planning.feasibility import SHAPE

        return tuple(getattr(self, name) for name in SHAPE)

    @cached_property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of noise in each row."""
        return tuple(kind for kind in KINDS if {kind, "all"} & set(self.noise))

    def lengths(self, split: str) -> Mix:
        """How many facts the stories of a split have."""
        return self.train_k if self.train_k and split == TRAIN else self.k

    def pool(self) -> "Pool":
        """The names that stories draw from."""
        from ...kb.worlds.stories import Pool
        from ...kb.worlds.world import find_world
        from .realizing.names import PLACEHOLDERS

        if self.anonymize:
            return Pool(PLACEHOLDERS)
        world = find_world(self.world)
        if self.names == SHIPPED:
            return world.told.names
        return _names(self.names, stamp(self.names), world.genders, world.kinds)

    def bank(self) -> "Bank":
        """The sentences that stories are told by."""
        from ...templates.bank import find_bank

        if self.paraphrases == SHIPPED:
            return find_bank(self.world)
        return _bank(self.paraphrases, stamp(self.paraphrases))

    def levels(self) -> Sequence[Mapping[str, object]]:
        """Longer chains, then noise, then words; k stays where train has one of its own."""
        if self.train_k is None:
            return _LEVELS
        levels = [{name: level[name] for name in level if name != "k"} for level in _LEVELS]
        return [level for place, level in enumerate(levels) if level not in levels[:place]]

    def sources(self) -> list[Source]:
        """The files of names and sentences, where they are not our own."""
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
        """What the split train never sees in a dataset of this seed."""
        return _held_out(self, seed)

    def caveats(self) -> list[str]:
        """Name the relations that are never an answer, or never told, by these rules."""
        from ...kb.worlds.world import find_world

        return list(_unused(find_world(self.world), self.rules))

    @classmethod
    def measures(cls, rows: Iterable[Example]) -> dict[str, float]:
        """What is to be had without the question, and by what is told of the two asked about."""
        from .output.ceiling import measures

        return measures(rows, list(_worlds()))

    def notes(self) -> list[str]:
        """Relations that stories of some length cannot ask for with these options."""
        from ...kb.worlds.world import find_world
        from .planning.feasibility import answers, rules_of

        rules, world = rules_of(self.world, self.rules), find_world(self.world)
        lines = []
        for k in sorted({*self.k, *(self.train_k or ())}):
            missing = rules.concluded - answers(self, k)
            if missing:
                lines.append(f"no story of {k} facts has the answer {_listed(world, missing)}")
        return lines

    def withheld(self, seed: int) -> dict[str, list[str]]:
        """What the split train never sees, as the manifest lists it."""
        held = self.held_out(seed).listed()
        longer = set(self.k) - set(self.train_k or self.k)
        return held | ({"k": list(map(str, sorted(longer)))} if longer else {})

    def uses(self, example: Example) -> dict[str, list[str]]:
        """What of that kind a row has."""
        from ...kb.worlds.stories import DATED
        from .judging.replay import is_open
        from .planning import holdout

        metadata = example.metadata
        lengths = set(self.train_k or self.k)
        # Of two facts no clause is held out, and no rule makes anything of an open one.
        has_clause = metadata["k"] in lengths - {2} and not is_open(example)
        return {
            # Sentences that tell times are never held out.
            "templates": [t for t in metadata["templates"] if not t.startswith(DATED)],
            "clauses": [holdout.written(metadata["clause"])] if has_clause else [],
            "names": list({name for x, _, y in told(metadata) for name in (x, y)}),
            "k": [str(metadata["k"])] if metadata["k"] not in lengths else [],
        }

    def check_splits(self, splits: tuple[str, ...]) -> None:
        """Something is held out of `train` for the sake of another split."""
        from .planning import holdout

        held = [f"--hold-out: '{','.join(self.hold_out)}'"] if self.hold_out != ("none",) else []
        held += [f"--train-k: '{self.train_k}'"] if self.train_k else []
        if held and len(splits) < 2:
            raise InvalidOption(
                f"{self.name}: {held[0]} has no effect without a split beside {splits[0]!r}; "
                f"write for example --split train=5000,test=100"
            )
        if held:
            holdout.check_splits(splits)

    def rows(self, block: Block) -> Iterator[Example]:
        """One family serves a block, under other names in each row, and mirrored in half."""
        from .rows import Rows
        from .siblings.groups import grouped

        if self.together > 1:
            yield from grouped(self, block)
            return
        rows = Rows(self, block)
        for n in block.numbers:
            yield rows.example(n)

    @classmethod
    def answer_key(cls, row: Example) -> "Key":
        """A relation, yes or no, or everyone who is asked for."""
        from .asking.answers import answer_key

        return answer_key(row)

    @classmethod
    def preface(cls, row: Example) -> str:
        """What holds in the world, and the answers there are, where the row does not say so."""
        from .asking.answers import conventions

        return conventions(row)

    @classmethod
    def agreeing(
        cls, options: Mapping[str, object], first: Example, other: Example, answer: str
    ) -> str:
        """The answer to a sibling that agrees with an answer to the first of its group."""
        from ...kb.worlds.world import find_world
        from .siblings.comparison import agreeing

        return agreeing(find_world(str(options.get("world", "kinship"))), first, other, answer)

    @property
    def together(self) -> int:
        """The questions about a story, or the story and its siblings."""
        return max(self.questions, 1 + len(self.siblings))

    def unlike(self, examples: list[Example]) -> list[str]:
        """Hold the siblings of a story, or the questions about it, against one another."""
        from .siblings.comparison import confusion, unlikeness

        if self.siblings:
            return unlikeness(examples, self)
        return confusion(examples) if self.questions > 1 else []

    def replay(self, example: Example) -> list[str]:
        """The proof, step by step, from the facts to the answer."""
        from ...kb.worlds.world import find_world
        from .judging.replay import replay

        return replay(example, find_world(self.world), self.rules)

    @classmethod
    def graph(cls, example: Example) -> "networkx.MultiDiGraph[str]":
        """Who is whose what, noise included."""
        from .output.graph import graph

        return graph(example)

    @classmethod
    def view(cls, example: Example) -> View:
        """The facts drawn and marked in the text, and the proof step by step."""
        from .output.view import view

        return view(example)

    def problems(self, example: Example) -> list[str]:
        """Judge the answer without rules, the noise by the graph, the text by its sentences."""
        from .judging.judge import judgement

        return [*judgement(example, self), *self.replay(example)]


def _worlds() -> "Iterator[World]":
    """Every world that stories are told of; a broken plugin hurts only itself."""
    from ...kb.worlds.world import find_world

    for name in WORLDS.entries:
        with suppress(RelsmithError):
            world = find_world(name)
            if world.stories is not None:
                yield world


def _unused(world: "World", ruleset: str) -> Iterator[str]:
    """Which relations are never an answer, or never told, by a rule set."""
    from .planning.feasibility import rules_of

    try:
        rules = rules_of(world.name, ruleset)
    except InvalidWorld:  # of no use to stories; it is refused where it is asked for
        return
    every = set(range(len(rules.predicates)))
    for missing, what in (
        (every - rules.concluded, "are never an answer"),
        (every - rules.premised, "are never told in the chain, so no answer of memory"),
    ):
        if missing:
            words = _listed(world, missing)
            yield f"--world {world.name} --rules {ruleset}: {words} {what}"


def _listed(world: "World", predicates: Collection[int]) -> str:
    """The words for some predicates, each once."""
    words = [word for predicate in sorted(predicates) for word in world.words[predicate]]
    return ", ".join(dict.fromkeys(words))


@cache
def _names(file: str, stamp: Stamp, genders: tuple[str, ...], kinds: tuple[str, ...]) -> "Pool":
    from .realizing.names import read_names

    return read_names(Path(file), genders, kinds)


@cache
def _bank(file: str, stamp: Stamp) -> "Bank":
    from ...templates.paraphrases import load_paraphrases

    return load_paraphrases(Path(file))


@cache
def _held_out(options: Clutrr, seed: int) -> "HoldOut":
    from .planning import holdout
    from .planning.feasibility import occurs, rules_of
    from .planning.holdout import HoldOut

    what, key = set(options.hold_out), (Clutrr.name, Clutrr.version, seed)
    lengths = list(options.train_k or options.k)
    rules = rules_of(options.world, options.rules)
    return HoldOut(
        holdout.templates_held_out(options.bank(), *key) if "templates" in what else frozenset(),
        holdout.clauses_held_out(rules, lengths, partial(occurs, options), *key)
        if "clauses" in what
        else frozenset(),
        holdout.names_held_out(options.pool(), *key) if "names" in what else frozenset(),
    )
