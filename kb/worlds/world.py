"""Rule worlds as data: the schema of a world file, and a loader that names every mistake."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
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

from ...errors import BrokenPlugin, InvalidWorld, NotFound, hint
from ...registry import WORLDS
from ...seed import Stream
from ...storage.text import read
from ..document import Complaint, Where, items, parse_document
from .scene import Scene
from .semantics import Semantics
from .stories import Stories

UNSTATED: Final = "unstated"
"""Stands among the genders of a world where some people's is not told."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


def _section(info: ValidationInfo, section: str) -> tuple[str, ...]:
    assert info.context is not None, "worlds are made by parse_world"
    return tuple(info.context[section])


def _unknown(name: str, predicates: tuple[str, ...]) -> str:
    close = get_close_matches(name, predicates, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(predicates)}"
    return f"{name!r} is not a predicate of this world; {hint}"


def _declared(name: str, info: ValidationInfo) -> str:
    predicates = _section(info, "predicates")
    if name not in predicates:
        raise ValueError(_unknown(name, predicates))
    return name


PredicateName = Annotated[str, AfterValidator(_declared)]
Text = Annotated[str, Field(min_length=1)]


class Predicate(_Part):
    """A relation: (x, r, y) says that y is the r of x."""

    words: str | dict[str, str]
    inverse: PredicateName | None = None
    symmetric: StrictBool = False
    functional: StrictBool = False
    between: tuple[str, str] | None = None
    """In a world with kinds, the kind of x and that of y."""

    @field_validator("words", mode="before")
    @classmethod
    def _one_word_per_gender(cls, words: Any, info: ValidationInfo) -> Any:
        genders = _section(info, "genders")
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
        kinds = _section(info, "kinds")
        stranger = next((kind for kind in between or () if kind not in kinds), None)
        if stranger is not None:
            raise ValueError(f"{stranger!r} is no kind of this world; list it under 'kinds'")
        return between

    @model_validator(mode="after")
    def _symmetric_is_its_own_inverse(self) -> Self:
        if self.symmetric and self.inverse is not None:
            raise ValueError("a symmetric predicate is its own inverse; leave out 'inverse'")
        return self

    @property
    def neutral(self) -> bool:
        """Whether its word says no gender: cousin."""
        return isinstance(self.words, str) or len(set(self.words.values())) == 1

    def word(self, gender: str | None = None) -> str:
        """The surface word, in a gendered world that for a second argument of this gender."""
        if isinstance(self.words, str):
            return self.words
        if gender is None and self.neutral:
            return next(iter(self.words.values()))
        if gender is None and UNSTATED in self.words:
            return self.words[UNSTATED]
        if gender not in self.words:
            raise NotFound(f"no word for gender {gender!r}; choose from {', '.join(self.words)}")
        return self.words[gender]


class Rule(_Part):
    """`head(X, Y) <- body[0](X, Z), body[1](Z, Y)`, for distinct X, Y, Z."""

    head: PredicateName
    body: tuple[PredicateName, PredicateName]
    source: Text

    def __str__(self) -> str:
        return f"{self.body[0]} . {self.body[1]} -> {self.head}"


class RuleSet(_Part):
    """Composition rules that are used together."""

    summary: Text
    rules: tuple[Rule, ...]


class PartOfWords(_Part):
    """A question for a part of what a relation says, as the direction without the distance."""

    question: Text
    """With {x} and {y}."""
    answers: dict[str, tuple[PredicateName, ...]]
    """For each answer the predicates that say so: each predicate is in one."""
    aliases: dict[str, tuple[Text, ...]] = {}
    """Other words that people use for an answer."""
    others: tuple[Text, ...] = ()
    """Words that are no answer, though part of one may look like it."""

    @model_validator(mode="after")
    def _each_once(self, info: ValidationInfo) -> Self:
        listed = [name for names in self.answers.values() for name in names]
        if sorted(listed) != sorted(_section(info, "predicates")):
            raise ValueError("each predicate of the world must be in one of the answers")
        strangers = [answer for answer in self.aliases if answer not in self.answers]
        if strangers:
            raise ValueError(f"aliases: {strangers[0]!r} is no answer")
        return self


class Conventions(_Part):
    """What holds in the world and nobody says in a story, in plain words."""

    brief: Text
    full: Text


class WorldFile(_Part):
    """A world as its file has it."""

    format: Literal[1]
    name: Text
    summary: Text
    semantics: Text | None = None
    genders: tuple[Text, ...] = ()
    kinds: tuple[Text, ...] = ()
    """Kinds of things, where predicates are each for one of them: events, and instants."""
    default: Text
    predicates: dict[str, Predicate] = Field(min_length=1)
    rulesets: dict[str, RuleSet] = Field(min_length=1)
    aliases: dict[str, tuple[Text, ...]] = {}
    """Other words that people use for a word of the world."""
    others: tuple[Text, ...] = ()
    """Words that are no answer, though part of one may look like it: stepmother."""
    conventions: Conventions | None = None
    parts: dict[str, PartOfWords] = {}
    """Questions for a part of a relation, by what --answer calls them."""
    overlapping: StrictBool = False
    """Several predicates may hold between two: the answer is what is certain, and most of that."""
    superlatives: dict[PredicateName, Text] = {}
    """For a predicate that ranks people, what the first of them is called: taller, tallest."""

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
        rulesets = _section(info, "rulesets")
        if default not in rulesets:
            raise ValueError(f"no rule set {default!r}; known: {', '.join(rulesets)}")
        return default


Triple = tuple[str, str, str]


class World:
    """Predicates, named rule sets over them, and all else that belongs to them.

    `semantics` judges the rules. `stories` is what stories in the world need, `sentences` the
    folder of its sentence bank, or several; a world need not have these. The rules of the rule set
    `default` always hold; those of others may not.
    """

    def __init__(
        self,
        file: WorldFile,
        semantics: Semantics | None = None,
        stories: Stories | None = None,
        sentences: Traversable | Sequence[Traversable] | None = None,
        rules: Mapping[str, Iterable[Triple]] | None = None,
    ) -> None:
        self.name, self.summary, self.genders = file.name, file.summary, file.genders
        self.kinds = file.kinds
        self.predicates, self.default = file.predicates, file.default
        self._written, self._rules = file.rulesets, dict(rules or {})
        for name in self._rules:
            if name not in file.rulesets:
                raise InvalidWorld(f"{file.name}: no rule set {name!r} to add rules to")
        self.stories, self.sentences = stories, sentences
        self.conventions, self.parts = file.conventions, file.parts
        self.overlapping, self.superlatives = file.overlapping, file.superlatives
        self.aliases = {other: word for word, every in file.aliases.items() for other in every}
        """By another word that people use the world's own."""
        self.others = file.others
        self._semantics, self._shared = semantics, file.semantics
        if stories is not None:
            self._check_stories()

    def _check_stories(self) -> None:
        if self.genders and {*self.genders, UNSTATED} != {"male", "female", UNSTATED}:
            raise InvalidWorld(
                f"{self.name}: stories tell male from female, but the genders are "
                f"{', '.join(self.genders)}; write 'genders: [male, female]', or none"
            )
        if self.kinds and (self.genders or not 2 <= len({*self.kinds}) == len(self.kinds) <= 3):
            raise InvalidWorld(
                f"{self.name}: stories tell two or three kinds apart, and then no genders; "
                f"mend 'kinds'"
            )
        for name, predicate in self.predicates.items():
            inverse = self.inverse(name)
            if inverse is None:
                raise InvalidWorld(f"{self.name}: {name!r} has no inverse; stories need one")
            back = self.predicates[inverse].between
            if predicate.between and back != predicate.between[::-1]:
                raise InvalidWorld(
                    f"{self.name}: {name!r} and its inverse {inverse!r} must be between the same "
                    f"kinds, the other way round"
                )
            if bool(predicate.between) != bool(self.kinds):
                raise InvalidWorld(
                    f"{self.name}: {name!r} must say between which kinds, and only where there are "
                    f"some; give 'kinds' and 'between', or neither"
                )
        if self.told.dated and not self.told.reckoned:
            raise InvalidWorld(f"{self.name}: its stories tell dates; say how they are read")
        ranks = self.stories and self.stories.rank and self.stories.ranked
        if self.superlatives and not ranks:
            raise InvalidWorld(
                f"{self.name}: its stories must ask for superlatives; give them rank"
            )
        if self.parts and self.stories and self.stories.part is None:
            raise InvalidWorld(f"{self.name}: its judge must know the parts of words; give it one")

    @property
    def semantics(self) -> Semantics:
        """What judges its rules: its own, or that of the world its file names."""
        if self._semantics is not None:
            return self._semantics
        if self._shared is None or find_world(self._shared) is self:
            raise InvalidWorld(
                f"the world {self.name!r} has no semantics; name a world whose meaning it shares "
                f"in its file, as in 'semantics: spatial', or hand one to load_world"
            )
        return find_world(self._shared).semantics

    @cached_property
    def rulesets(self) -> dict[str, RuleSet]:
        """By name; thousands of rules are made in no time, but not for who only needs words."""
        rulesets = dict(self._written)
        for name, triples in self._handed_over.items():
            rules = list(rulesets[name].rules)
            for first, second, head in triples:
                rules.append(
                    Rule.model_construct(head=head, body=(first, second), source="entailed")
                )
            rulesets[name] = rulesets[name].model_copy(update={"rules": tuple(rules)})
        return rulesets

    @cached_property
    def _handed_over(self) -> dict[str, list[Triple]]:
        """The rules that are not in the file, by rule set, looked at when they are first needed."""
        handed_over = {name: list(triples) for name, triples in self._rules.items()}
        for triples in handed_over.values():
            for part in dict.fromkeys(chain.from_iterable(triples)):
                if part not in self.predicates:
                    raise InvalidWorld(f"{self.name}: {_unknown(part, tuple(self.predicates))}")
        return handed_over

    def compositions(self, name: str | None = None) -> list[Triple]:
        """First, second and head of each rule of the rule set of this name, or the default one."""
        name = self._known(name)
        written = [(*rule.body, rule.head) for rule in self._written[name].rules]
        return written + self._handed_over.get(name, [])

    def ruleset(self, name: str | None = None) -> RuleSet:
        """The rule set of this name, or the default one."""
        return self.rulesets[self._known(name)]

    def _known(self, name: str | None) -> str:
        name = self.default if name is None else name
        if name not in self._written:
            raise NotFound(
                f"the world {self.name!r} has no rule set {name!r}; {hint(name, self._written)}"
            )
        return name

    @cached_property
    def meanings(self) -> dict[str, tuple[str, str | None]]:
        """What each surface word says: the predicate, and the gender of the second person if any.

        A word that is the same for all genders says none, nor does one for no stated gender.
        """
        return {
            predicate.word(gender): (name, None if gender == UNSTATED else gender)
            for name, predicate in self.predicates.items()
            for gender in ((None,) if predicate.neutral else self.genders)
        }

    @cached_property
    def parts_of(self) -> dict[str, dict[str, str]]:
        """By part and word of the world what the word says of it."""
        return {
            name: {
                self.predicates[predicate].word(gender): answer
                for answer, predicates in part.answers.items()
                for predicate in predicates
                for gender in self.genders or (None,)
            }
            for name, part in self.parts.items()
        }

    @cached_property
    def words(self) -> tuple[tuple[str, ...], ...]:
        """For each predicate the word for a woman, for a man, and for one of no stated gender.

        The last is left out where there are none, and all but one are where nobody has a gender. Of
        several kinds of things, each has the same word.
        """
        genders: list[str | None] = [
            gender for gender in ("female", "male", UNSTATED) if gender in self.genders
        ]
        return tuple(
            tuple(p.word(gender) for gender in genders or [None] * max(1, len(self.kinds)))
            for p in self.predicates.values()
        )

    @cached_property
    def rivals(self) -> dict[str, list[str]]:
        """For each word all that may hold of two things of the same kinds, itself included."""
        between = {word: self.predicates[name].between for word, (name, _) in self.meanings.items()}
        return {
            word: sorted(other for other in between if between[other] == kinds)
            for word, kinds in between.items()
        }

    def inverse(self, predicate: str) -> str | None:
        """The predicate that holds from y to x where this one holds from x to y."""
        if predicate not in self.predicates:
            raise NotFound(_unknown(predicate, tuple(self.predicates)))
        entry = self.predicates[predicate]
        return predicate if entry.symmetric else entry.inverse

    def scene(self, stream: Stream, size: int, **shape: object) -> Scene:
        """A scene of so many for stories, of a shape as far as the world heeds it."""
        stories = self.told
        heeded = {name: shape[name] for name in stories.heeds if name in shape}
        return stories.scene(stream, size, tuple(self.predicates), **heeded)

    @property
    def told(self) -> Stories:
        """What its stories need, for those who cannot do without."""
        if self.stories is None:
            raise NotFound(f"no stories are told of the world {self.name!r}; choose another world")
        return self.stories


@cache
def find_world(name: str) -> World:
    """The world registered under this name in the entry point group relsmith.worlds."""
    world = WORLDS.get(name)
    if not isinstance(world, World):
        raise BrokenPlugin(f"the world {name!r} is {world!r}, not a World; mend it")
    if world.name != name:
        raise BrokenPlugin(f"the world {name!r} calls itself {world.name!r}; give it one name")
    return world


def load_world(
    file: Traversable,
    *,
    semantics: Semantics | None = None,
    sections: Mapping[str, object] | None = None,
    rules: Mapping[str, Iterable[Triple]] | None = None,
    stories: Stories | None = None,
    sentences: Traversable | Sequence[Traversable] | None = None,
) -> World:
    """Read a world file, and add to it what belongs to the world beside.

    `sections` of the file and `rules` may be too many to be written down: of rules it takes by rule
    set the first, the second and the head of each, and looks at them when they are first needed.
    """
    text = read(file, "name a world file, or a world of gen list")
    for name, section in (sections or {}).items():
        text += f"\n{name}: {json.dumps(section)}\n"  # which is YAML, too
    parsed = _parsed(text, str(file))
    return World(parsed, semantics, stories, sentences, rules)


def parse_world(text: str, file: str) -> World:
    """Make a world of a file's text, or raise one error that lists all its mistakes."""
    return World(_parsed(text, file))


def _parsed(text: str, file: str) -> WorldFile:
    checks = (_disagreeing_inverses, _repeated_rules)
    parsed, _ = parse_document(text, file, WorldFile, InvalidWorld, context=_names, checks=checks)
    return parsed


def _names(data: Any) -> dict[str, list[str]]:
    """What is declared in the file and may be named elsewhere in it."""
    names = {
        section: [name for name, _ in items(data, section) if isinstance(name, str)]
        for section in ("predicates", "rulesets")
    }
    for section in ("genders", "kinds"):
        names[section] = [name for _, name in items(data, section) if isinstance(name, str)]
    return names


def _disagreeing_inverses(data: Any) -> Iterator[Complaint]:
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


def _repeated_rules(data: Any) -> Iterator[Complaint]:
    for ruleset, _ in items(data, "rulesets"):
        seen: dict[str, int] = {}
        for number, rule in items(data, "rulesets", ruleset, "rules"):
            key = str([dict(items(rule)).get(part) for part in ("head", "body")])
            if key in seen:
                where: Where = ("rulesets", ruleset, "rules", number)
                yield where, f"the same rule as number {seen[key]}; delete one"
            seen.setdefault(key, number)
