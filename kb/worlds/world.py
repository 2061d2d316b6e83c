"""Schema of world files, their loader, and the World that is made of one."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from importlib.resources.abc import Traversable
from itertools import chain
from typing import Annotated, Any, Final, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    ValidationInfo,
    field_validator,
    model_validator,
)

from ...errors import BrokenPlugin, InvalidWorld, NotFound, did_you_mean, hint
from ...registry import WORLDS
from ...seed import Stream
from ...storage.text import read
from ..document import Complaint, FieldPath, items, parse_document
from .fact import Fact
from .scene import Scene
from .semantics import Semantics
from .stories import StorySpec
from .verdict import Verdict

UNSTATED: Final = "unstated"
"""Gender of people whose gender is not stated."""


class _FileModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


def _declared_names(info: ValidationInfo, section: str) -> tuple[str, ...]:
    assert info.context is not None, "worlds are made by parse_world"
    return tuple(info.context[section])


def _unknown_predicate(name: str, predicates: tuple[str, ...]) -> str:
    guess = did_you_mean(name, predicates).rstrip() or f"known: {', '.join(predicates)}"
    return f"{name!r} is not a predicate of this world; {guess}"


def _check_declared(name: str, info: ValidationInfo) -> str:
    predicates = _declared_names(info, "predicates")
    if name not in predicates:
        raise ValueError(_unknown_predicate(name, predicates))
    return name


PredicateName = Annotated[str, AfterValidator(_check_declared)]
Text = Annotated[str, Field(min_length=1)]


class Predicate(_FileModel):
    """A relation: (x, r, y) means that y is the r of x."""

    words: str | dict[str, str]
    inverse: PredicateName | None = None
    symmetric: StrictBool = False
    functional: StrictBool = False
    between: tuple[str, str] | None = None
    """Kinds of x and y, in a world with kinds."""

    @field_validator("words", mode="before")
    @classmethod
    def _one_word_per_gender(cls, words: Any, info: ValidationInfo) -> Any:
        genders = _declared_names(info, "genders")
        texts = list(words.values()) if isinstance(words, dict) else [words]
        if not all(isinstance(text, str) and text for text in texts):
            raise ValueError("a word must be text")
        if not genders and isinstance(words, dict):
            raise ValueError("this world lists no genders; write one plain word")
        if genders and (isinstance(words, str) or set(words) != set(genders)):
            raise ValueError(f"give one word for each of {', '.join(genders)}")
        return words

    @field_validator("between")
    @classmethod
    def _kinds_exist(
        cls, between: tuple[str, str] | None, info: ValidationInfo
    ) -> tuple[str, str] | None:
        kinds = _declared_names(info, "kinds")
        unknown = next((kind for kind in between or () if kind not in kinds), None)
        if unknown is not None:
            raise ValueError(f"{unknown!r} is no kind of this world; list it under 'kinds'")
        return between

    @model_validator(mode="after")
    def _symmetric_is_its_own_inverse(self) -> Self:
        if self.symmetric and self.inverse is not None:
            raise ValueError("a symmetric predicate is its own inverse; leave out 'inverse'")
        return self

    @property
    def is_neutral(self) -> bool:
        """True if its word is the same for all genders, such as cousin."""
        return isinstance(self.words, str) or len(set(self.words.values())) == 1

    def word(self, gender: str | None = None) -> str:
        """Return the relation word; in a gendered world that for y of this gender."""
        if isinstance(self.words, str):
            return self.words
        if gender is None and self.is_neutral:
            return next(iter(self.words.values()))
        if gender is None and UNSTATED in self.words:
            return self.words[UNSTATED]
        if gender not in self.words:
            raise NotFound(f"no word for gender {gender!r}; choose from {', '.join(self.words)}")
        return self.words[gender]


class CompositionRule(_FileModel):
    """`head(X, Y) <- body[0](X, Z), body[1](Z, Y)`, for distinct X, Y, Z."""

    head: PredicateName
    body: tuple[PredicateName, PredicateName]
    source: Text
    convention: Text | None = None
    """The convention that the rule relies on, by its name in `conventions`."""

    def __str__(self) -> str:
        return f"{self.body[0]} . {self.body[1]} -> {self.head}"


class RuleSet(_FileModel):
    """A named set of composition rules."""

    summary: Text
    rules: tuple[CompositionRule, ...]


class Conventions(_FileModel):
    """Assumptions that answers rely on, in plain words; stories begin with the brief ones."""

    brief: Text
    full: str = ""
    """Further definitions, for those who want all of them."""
    named: dict[str, Text] = Field(default_factory=dict)
    """Single conventions, for explanations of the rules that name them."""


class WorldFile(_FileModel):
    """The content of a world file."""

    format: Literal[1]
    name: Text
    summary: Text
    semantics: Text | None = None
    genders: tuple[Text, ...] = ()
    kinds: tuple[Text, ...] = ()
    """Kinds of things that predicates apply to, such as events and instants."""
    default: Text
    predicates: dict[str, Predicate] = Field(min_length=1)
    rulesets: dict[str, RuleSet] = Field(min_length=1)
    aliases: dict[str, tuple[Text, ...]] = {}
    """Synonyms by relation word."""
    others: tuple[Text, ...] = ()
    """Words that contain a relation word, but are no answer: stepmother."""
    conventions: Conventions | None = None
    overlapping: StrictBool = False
    """Several predicates may hold between two; the answer is the strongest that is entailed."""

    @field_validator("aliases")
    @classmethod
    def _aliases_are_of_words(
        cls, aliases: dict[str, tuple[str, ...]], info: ValidationInfo
    ) -> dict[str, tuple[str, ...]]:
        predicates: dict[str, Predicate] = info.data.get("predicates", {})
        words = {
            word
            for predicate in predicates.values()
            for word in (
                [predicate.words] if isinstance(predicate.words, str) else predicate.words.values()
            )
        }
        every = Counter(other for others in aliases.values() for other in others)
        for word in aliases:
            if word not in words:
                raise ValueError(f"{word!r} is no word of this world")
        for other in every:
            if other in words or every[other] > 1:
                raise ValueError(f"{other!r} is a word of this world, or another's alias too")
        return aliases

    @field_validator("default")
    @classmethod
    def _default_exists(cls, default: str, info: ValidationInfo) -> str:
        rulesets = _declared_names(info, "rulesets")
        if default not in rulesets:
            raise ValueError(f"no rule set {default!r}; known: {', '.join(rulesets)}")
        return default


Composition = tuple[str, str, str]


class World:
    """Predicates, named rule sets over them, their semantics, stories and sentences.

    `stories` and `sentences` (one or more folders of its sentence bank) are optional. The rules
    of the rule set `default` are sound; those of other rule sets may not be.
    """

    def __init__(
        self,
        file: WorldFile,
        semantics: Semantics | None = None,
        stories: StorySpec | None = None,
        sentences: Traversable | Sequence[Traversable] | None = None,
        rules: Mapping[str, Iterable[Composition]] | None = None,
    ) -> None:
        self.name, self.summary, self.genders = file.name, file.summary, file.genders
        self.language = "en"
        self.answer_words: Mapping[str, str] = {}
        """In another language, the answers besides relations: yes, no, unknown and none."""
        self.kinds = file.kinds
        self.predicates, self.default = file.predicates, file.default
        self._file_rules, self._rules = file.rulesets, dict(rules or {})
        for name in self._rules:
            if name not in file.rulesets:
                raise InvalidWorld(f"{file.name}: no rule set {name!r} to add rules to")
        self.stories, self.sentences = stories, sentences
        self.conventions, self.overlapping = file.conventions, file.overlapping
        self.aliases = {other: word for word, every in file.aliases.items() for other in every}
        """Relation word by synonym."""
        self.others = file.others
        self._semantics, self._semantics_name = semantics, file.semantics
        mistake = None if stories is None else next(self._story_mistakes(stories), None)
        if mistake is not None:
            raise InvalidWorld(f"{self.name}: {mistake}")

    def _story_mistakes(self, stories: StorySpec) -> Iterator[str]:
        if self.genders and {*self.genders, UNSTATED} != {"male", "female", UNSTATED}:
            yield (
                f"stories need the genders male and female, but they are "
                f"{', '.join(self.genders)}; write 'genders: [male, female]', or none"
            )
        if self.kinds and (self.genders or not 2 <= len({*self.kinds}) == len(self.kinds) <= 3):
            yield "stories need two or three distinct kinds, and no genders then; fix 'kinds'"
        for name, predicate in self.predicates.items():
            inverse = self.inverse(name)
            if inverse is None:
                yield f"{name!r} has no inverse; stories need one"
                continue
            back = self.predicates[inverse].between
            if predicate.between and back != predicate.between[::-1]:
                yield (
                    f"{name!r} and its inverse {inverse!r} must be between the same kinds, "
                    f"the other way round"
                )
            if bool(predicate.between) != bool(self.kinds):
                yield (
                    f"{name!r} must say between which kinds, and only where there are some; "
                    f"give 'kinds' and 'between', or neither"
                )

    @property
    def semantics(self) -> Semantics:
        """The semantics of its predicates: its own, or that of the world named in its file."""
        if self._semantics is not None:
            return self._semantics
        if self._semantics_name is None or find_world(self._semantics_name) is self:
            raise InvalidWorld(
                f"the world {self.name!r} has no semantics; name a world whose meaning it shares "
                f"in its file, as in 'semantics: spatial', or hand one to load_world"
            )
        return find_world(self._semantics_name).semantics

    @cached_property
    def rulesets(self) -> dict[str, RuleSet]:
        """All rule sets by name; made on first use, as there may be thousands of rules."""
        rulesets = dict(self._file_rules)
        for name, compositions in self._added_rules.items():
            added = [
                CompositionRule.model_construct(head=head, body=(first, second), source="entailed")
                for first, second, head in compositions
            ]
            rules = (*rulesets[name].rules, *added)
            rulesets[name] = rulesets[name].model_copy(update={"rules": rules})
        return rulesets

    @cached_property
    def _added_rules(self) -> dict[str, list[Composition]]:
        """The rules that are not in the file, by rule set, checked on first use."""
        added = {name: list(compositions) for name, compositions in self._rules.items()}
        for compositions in added.values():
            for name in dict.fromkeys(chain.from_iterable(compositions)):
                if name not in self.predicates:
                    message = _unknown_predicate(name, tuple(self.predicates))
                    raise InvalidWorld(f"{self.name}: {message}")
        return added

    def compositions(self, name: str | None = None) -> list[Composition]:
        """Return (first, second, head) of each rule of a rule set, by default the default one."""
        name = self._check_ruleset(name)
        written = [(*rule.body, rule.head) for rule in self._file_rules[name].rules]
        return written + self._added_rules.get(name, [])

    def ruleset(self, name: str | None = None) -> RuleSet:
        """Return the rule set of this name, or the default one."""
        return self.rulesets[self._check_ruleset(name)]

    def _check_ruleset(self, name: str | None) -> str:
        name = self.default if name is None else name
        if name not in self._file_rules:
            raise NotFound(
                f"the world {self.name!r} has no rule set {name!r}; {hint(name, self._file_rules)}"
            )
        return name

    @cached_property
    def rule_conventions(self) -> dict[Composition, str]:
        """The convention that a rule relies on, for rules of the default rule set that name one."""
        named = self.conventions.named if self.conventions else {}
        return {
            (*rule.body, rule.head): named[rule.convention]
            for rule in self._file_rules[self.default].rules
            if rule.convention
        }

    @cached_property
    def meanings(self) -> dict[str, tuple[str, str | None]]:
        """By relation word, its predicate and the gender of y, None where the word implies none."""
        return {
            predicate.word(gender): (name, None if gender == UNSTATED else gender)
            for name, predicate in self.predicates.items()
            for gender in ((None,) if predicate.is_neutral else self.genders)
        }

    @cached_property
    def words(self) -> tuple[tuple[str, ...], ...]:
        """By predicate, its words for female, male and unstated y, as far as the world has these.

        Without genders there is one word, repeated for each kind of things.
        """
        genders: list[str | None] = [
            gender for gender in ("female", "male", UNSTATED) if gender in self.genders
        ]
        return tuple(
            tuple(p.word(gender) for gender in genders or [None] * max(1, len(self.kinds)))
            for p in self.predicates.values()
        )

    @cached_property
    def same_kind_words(self) -> dict[str, list[str]]:
        """By word, all words for two things of the same kinds, itself included."""
        between = {word: self.predicates[name].between for word, (name, _) in self.meanings.items()}
        return {
            word: sorted(other for other in between if between[other] == kinds)
            for word, kinds in between.items()
        }

    def inverse(self, predicate: str) -> str | None:
        """Return the predicate from y to x where this one holds from x to y; None if undefined."""
        if predicate not in self.predicates:
            raise NotFound(_unknown_predicate(predicate, tuple(self.predicates)))
        entry = self.predicates[predicate]
        return predicate if entry.symmetric else entry.inverse

    def scene(self, stream: Stream, size: int, **options: object) -> Scene:
        """Sample a scene of this size; options that the world does not use are ignored."""
        stories = self.story_spec
        used = {name: options[name] for name in stories.scene_options if name in options}
        return stories.scene(stream, size, tuple(self.predicates), **used)

    def judge(
        self,
        facts: Iterable[Fact],
        genders: Mapping[str, str],
        query: tuple[str, str],
        claimed: str | None = None,
    ) -> Verdict:
        """Return the verdict on a claim, or without one on whether any answer is entailed."""
        judge, known = self.story_spec.judge, [genders] if self.genders else []
        return judge(facts, *known, query, claimed)

    def solve(
        self,
        facts: Iterable[Fact],
        genders: Mapping[str, str],
        query: tuple[str, str],
        claimed: str | None = None,
    ) -> Verdict:
        """Return the same verdict by the solver, for rows as they are made."""
        solver, known = self.story_spec.solver, [genders] if self.genders else []
        return (solver or self.story_spec.judge)(facts, *known, query, claimed)

    @property
    def story_spec(self) -> StorySpec:
        """`stories`, or an error if the world has none."""
        if self.stories is None:
            raise NotFound(f"the world {self.name!r} has no stories; choose another world")
        return self.stories


@cache
def find_world(name: str) -> World:
    """Return the world registered under this name in the entry point group relsmith.worlds."""
    world = WORLDS.get(name)
    if not isinstance(world, World):
        raise BrokenPlugin(f"the world {name!r} is {world!r}, not a World; fix it")
    if world.name != name:
        raise BrokenPlugin(f"the world {name!r} calls itself {world.name!r}; give it one name")
    return world


def load_world(
    file: Traversable,
    *,
    semantics: Semantics | None = None,
    sections: Mapping[str, object] | None = None,
    rules: Mapping[str, Iterable[Composition]] | None = None,
    stories: StorySpec | None = None,
    sentences: Traversable | Sequence[Traversable] | None = None,
) -> World:
    """Read a world file and add what does not stand in it.

    `sections` are read as if they stood in the file. `rules` has, by rule set, (first, second,
    head) of more rules, which are checked on first use.
    """
    text = read(file, "name a world file, or a world of gen list")
    for name, section in (sections or {}).items():
        text += f"\n{name}: {json.dumps(section)}\n"  # which is YAML, too
    return World(_parse_file(text, str(file)), semantics, stories, sentences, rules)


def parse_world(text: str, file: str) -> World:
    """Make a world of a file's text; one error lists all mistakes."""
    return World(_parse_file(text, file))


def _parse_file(text: str, file: str) -> WorldFile:
    checks = (_check_inverses, _check_repeated_rules, _check_rule_conventions)
    parsed, _ = parse_document(
        text, file, WorldFile, InvalidWorld, context=_declarations, checks=checks
    )
    return parsed


def _declarations(data: Any) -> dict[str, list[str]]:
    """Return the names that the file declares and that other sections may refer to."""
    names = {
        section: [name for name, _ in items(data, section) if isinstance(name, str)]
        for section in ("predicates", "rulesets")
    }
    for section in ("genders", "kinds"):
        names[section] = [name for _, name in items(data, section) if isinstance(name, str)]
    return names


def _check_inverses(data: Any) -> Iterator[Complaint]:
    inverses = {
        name: dict(items(data, "predicates", name)).get("inverse")
        for name, _ in items(data, "predicates")
    }
    for name, inverse in inverses.items():
        if isinstance(inverse, str) and inverse in inverses and inverses[inverse] != name:
            yield (
                ("predicates", name, "inverse"),
                f"{inverse!r} has the inverse {inverses[inverse]!r}; make it {name!r}",
            )


def _check_rule_conventions(data: Any) -> Iterator[Complaint]:
    named = [name for name, _ in items(data, "conventions", "named")]
    for ruleset, _ in items(data, "rulesets"):
        for number, rule in items(data, "rulesets", ruleset, "rules"):
            name = dict(items(rule)).get("convention")
            if isinstance(name, str) and name not in named:
                where: FieldPath = ("rulesets", ruleset, "rules", number, "convention")
                yield where, f"no {name!r} under 'named' of 'conventions'; {hint(name, named)}"


def _check_repeated_rules(data: Any) -> Iterator[Complaint]:
    for ruleset, _ in items(data, "rulesets"):
        seen: dict[str, int] = {}
        for number, rule in items(data, "rulesets", ruleset, "rules"):
            key = str([dict(items(rule)).get(part) for part in ("head", "body")])
            if key in seen:
                where: FieldPath = ("rulesets", ruleset, "rules", number)
                yield where, f"the same rule as number {seen[key]}; delete one"
            seen.setdefault(key, number)
