"""The options of stories: a leaf module, so that every part can take them."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from ...errors import NotFound, RelsmithError, did_you_mean
from ...options import CommaSeparated, External, Mix, Range, pattern_validator
from ...registry import LANGUAGES, WORLDS
from ...splits import TRAIN
from ...storage.files import Stamp, stamp

# Worlds, names and sentences are imported where they are used, to keep --help quick.
if TYPE_CHECKING:
    from ...kb.worlds.stories import NamePool
    from ...kb.worlds.world import World
    from ...templates.bank import Bank

Perturbation = Literal[
    "words", "names", "order", "noise", "inverse", "gender", "error", "en", "de", "es"
]
LANGUAGE_SIBLINGS: Final[frozenset[Perturbation]] = frozenset(["en", "de", "es"])
"""Siblings that tell the same in another language."""
NoiseKind = Literal["supporting", "irrelevant", "disconnected"]
AnswerKind = Literal["relation", "yes-no", "who"]
HoldOutKind = Literal["none", "templates", "clauses", "names"]
Choices = Annotated[
    str, pattern_validator(r"none|all|[1-9]\d?", "none, all, or a number from 1 to 99")
]

SHIPPED: Final = "shipped"
"""For names and sentences: the world's own, not those of a file."""
MAX_PEOPLE: Final = 120
HELD_OUT_SHARES: Final = {"templates": 0.2, "clauses": 0.1, "names": 0.3}
"""The shares held out; those of templates and clauses are the thesis's."""
SHAPE: Final = ("children", "marriage", "same_gender")
"""The options that shape a scene, where its world uses them."""
_NOISE_PEOPLE: Final[dict[NoiseKind, int]] = {"supporting": -1, "irrelevant": 0, "disconnected": 1}
"""For each kind of noise, the people that a path adds to the story, minus its number of facts."""
_MIN_WORDS_PER_FACT: Final = {"text": 10, "plain": 4, "facts": 3}
_PLACEHOLDERS: Final = tuple(f"@entity-{number}" for number in range(60))
"""Placeholders for names in an anonymised story."""


class StoryOptions(BaseModel):
    """Options of stories, and what follows from them. `Clutrr` checks that they go together."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True, validate_default=True)

    k: Mix = Field(Mix.parse("2..4"), description="facts between the two people of the query")
    train_k: Mix | None = Field(
        None, description="another k for the split train, so that test stories are longer"
    )
    side_facts: int = Field(
        3, ge=0, le=9, description="side facts at most, outside the chain and the noise; 0 for none"
    )
    direction: Literal["random", "forward"] = Field(
        "random", description="direction of the facts: random, or all from x on to y"
    )
    questions: int = Field(
        1, ge=1, le=8, description="questions per story, a row each, with different answers"
    )
    siblings: CommaSeparated[Perturbation] = Field(
        (),
        description="copies of each story, a row each, with only this changed; en, de or es: the "
        "same in another language",
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
    words: int = Field(
        0,
        ge=0,
        le=100_000,
        description="fill the story with connected noise up to this many words; 0: do not",
    )
    depth: float | None = Field(
        None,
        ge=0,
        le=1,
        description="where in a long story the needed facts are: 0 first, 1 last",
    )
    world: str = Field("kinship", description="the world of the stories")
    language: str = Field("en", description="the language of the stories: en, de, es")
    rules: str = Field(
        "",
        description="a rule set of the world; by default the one whose rules always hold",
    )
    task: Literal["reasoning", "memory", "mixed", "verify-steps"] = Field(
        "reasoning",
        description="ask for what follows, for a stated fact, for both in turn, or for the first "
        "wrong step of a derivation",
    )
    answer: AnswerKind = Field(
        "relation", description="ask for a relation, for yes or no, or for everyone so related"
    )
    unknown_share: float = Field(
        0, ge=0, le=0.9, description="share of undetermined answers: unknown, or none"
    )
    conventions: Literal["none", "brief", "full"] = Field(
        "brief",
        description="state the conventions of the world before the story; full: with all "
        "definitions and the possible answers",
    )
    choices: Choices = Field("none", description="wrong answers to offer: none, all, or a number")
    explain: bool = Field(
        False, description="add the proof in words to the metadata, a sentence for each step"
    )
    style: Literal["text", "plain", "facts"] = Field(
        "text", description="natural text, a plain sentence per fact, or bare facts"
    )
    order: Literal["connected", "shuffled"] = Field(
        "connected",
        description="order of the sentences: most share a person with one of the two before, or "
        "shuffled",
    )
    gender: Literal["text", "given", "names"] = Field(
        "text", description="genders: shown by the text, listed before it, or by names only"
    )
    names: External[str] = Field(
        SHIPPED, description="our own names, or a file with lines like: Ann, female"
    )
    anonymize: bool = Field(False, description="placeholders like @entity-1 instead of names")
    hold_out: CommaSeparated[HoldOutKind] = Field(
        ("none",), min_length=1, description="what is held out of the split train"
    )
    people: int = Field(60, ge=10, le=MAX_PEOPLE, description="people in the family behind a story")
    children: int = Field(4, ge=2, le=8, description="maximum number of children of a couple")
    marriage: float = Field(0.85, gt=0.2, le=1, description="probability of marrying")
    same_gender: float = Field(
        0.1, ge=0, le=1, description="share of same-gender couples, where allowed"
    )

    @field_validator("world")
    @classmethod
    def _check_world(cls, name: str) -> str:
        from ...kb.worlds.world import find_world

        if name not in WORLDS.entries:
            raise ValueError(f"no {name!r}; {WORLDS.hint(name)}")
        if find_world(name).stories is None:
            listed = ", ".join(world.name for world in story_worlds())
            raise ValueError(f"the world {name!r} has no stories; choose from {listed}")
        return name

    @field_validator("language")
    @classmethod
    def _check_language(cls, code: str, info: ValidationInfo) -> str:
        from ...kb.worlds.languages import world_in

        if code not in LANGUAGES.entries:
            raise ValueError(f"no {code!r}; {LANGUAGES.hint(code)}")
        if "world" in info.data:
            try:
                world_in(info.data["world"], code)
            except NotFound as error:
                raise ValueError(str(error)) from None
        return code

    @field_validator("rules")
    @classmethod
    def _name_rules(cls, rules: str, info: ValidationInfo) -> str:
        """Replace the default by its name, so that the manifest has it."""
        from ...kb.worlds.world import find_world

        if "world" not in info.data:  # refused, with its own message
            return rules
        world = find_world(info.data["world"])
        if rules and rules not in world.rulesets:
            guess, listed = did_you_mean(rules, world.rulesets).rstrip(), ", ".join(world.rulesets)
            raise ValueError(
                f"{world.name} has {listed}, but got {rules!r}{guess and f'; {guess}'}"
            )
        return rules or world.default

    @property
    def story_world(self) -> "World":
        """The world of the stories, in their language."""
        from ...kb.worlds.languages import world_in

        return world_in(self.world, self.language)

    @cached_property
    def kinds(self) -> tuple[NoiseKind, ...]:
        """The kinds of noise in each row."""
        return tuple(kind for kind in _NOISE_PEOPLE if {kind, "all"} & set(self.noise))

    @cached_property
    def shape(self) -> tuple[Any, ...]:
        """The options that shape a scene, except for its size."""
        return tuple(getattr(self, name) for name in SHAPE)

    @property
    def is_parallel(self) -> bool:
        """True if siblings tell the same story in other languages."""
        return not LANGUAGE_SIBLINGS.isdisjoint(self.siblings)

    def in_language_of(self, metadata: Mapping[str, Any]) -> Self:
        """Return the options with the language of a row."""
        language = metadata["language"]
        return self if language == self.language else self.model_copy(update={"language": language})

    @property
    def verifies(self) -> bool:
        """True if rows ask for the first wrong step of a derivation."""
        return self.task == "verify-steps"

    @cached_property
    def group_size(self) -> int:
        """Number of questions about a story, or of a story and its siblings."""
        return max(self.questions, 1 + len(self.siblings))

    def lengths(self, split: str) -> Mix:
        """Return the numbers of facts in the stories of a split."""
        return self.train_k if self.train_k and split == TRAIN else self.k

    @cached_property
    def all_lengths(self) -> list[int]:
        """All numbers of facts between the two people of a query, in ascending order."""
        return sorted({*self.k, *self.lengths(TRAIN)})

    @property
    def max_noise_facts(self) -> int:
        """Maximum number of noise facts in a story without filler."""
        return len(self.kinds) * self.noise_paths * self.noise_length.high

    @property
    def max_core_people(self) -> int:
        """Maximum number of people in a story, without those of side facts."""
        per_path = [self.noise_length.high + _NOISE_PEOPLE[kind] for kind in self.kinds]
        return self.all_lengths[-1] + 1 + self.noise_paths * sum(per_path)

    @cached_property
    def max_side_facts(self) -> int:
        """Maximum number of side facts for which there are names."""
        return min(self.side_facts, int(self.name_share * self.name_count) - self.max_core_people)

    @property
    def name_count(self) -> int:
        """Number of names of the gender that has fewest."""
        world = self.story_world
        kinds = 1 if self.anonymize else max(1, len(world.genders or world.kinds))
        return min(len(names) for names in self.pool()[:kinds])

    @property
    def name_share(self) -> float:
        """Share of the names in the split that has fewest."""
        return HELD_OUT_SHARES["names"] if "names" in self.hold_out else 1

    @property
    def full_names(self) -> bool:
        """True if a story may have more people than there are first names."""
        people = 1.5 * self.words / _MIN_WORDS_PER_FACT[self.style]
        return 0.6 * people > self.name_share * self.name_count

    def pool(self) -> "NamePool":
        """Return the names for stories."""
        from ...kb.worlds.stories import NamePool

        world = self.story_world
        if self.anonymize:
            return NamePool(_PLACEHOLDERS)
        if self.names == SHIPPED:
            return world.story_spec.names
        return _names(self.names, stamp(self.names), world.genders, world.kinds)

    def bank(self) -> "Bank":
        """Return the sentence bank for stories."""
        from ...templates.bank import find_bank

        return find_bank(self.world, self.language)


def story_worlds() -> "Iterator[World]":
    """Yield every world that has stories; broken plugins are skipped."""
    from ...kb.worlds.world import find_world

    for name in WORLDS.entries:
        with suppress(RelsmithError):
            world = find_world(name)
            if world.stories is not None:
                yield world


@cache
def _names(file: str, stamp: Stamp, genders: tuple[str, ...], kinds: tuple[str, ...]) -> "NamePool":
    from .realizing.names import read_names

    return read_names(Path(file), genders, kinds)
