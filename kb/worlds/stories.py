"""The specification of a world's stories: scenes, names, questions."""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from ...seed import Stream
from ...tables import load_tables
from .scene import Scene
from .semantics import Semantics
from .verdict import Verdict

Judge = Callable[..., Verdict]
"""(facts, genders by name, query, claimed word or None) -> verdict; without genders in a world
that has none."""

DATED_PREFIX: Final = "by:"
"""Prefix of the templates of dated sentences; no frame has such a name."""


@dataclass(frozen=True, eq=False)
class DatedSentences:
    """Sentences that state a fact by times; one fact of each chain is stated so."""

    render: Callable[[str, str, str, Stream], tuple[str, str]]
    """(x, predicate, y, stream) -> a sentence and its template."""
    parse: Callable[[str, str, str], tuple[str, str] | None]
    """(sentence, x, y) -> its template and the word that the times entail, independently of
    `render`; None if it is no such sentence."""
    words: frozenset[str]
    """All words of these sentences; nothing may be named by one."""


class NamePool(NamedTuple):
    """Names by gender or kind; in a world with neither, all names are in the first tuple."""

    female: tuple[str, ...]
    male: tuple[str, ...] = ()
    unstated: tuple[str, ...] = ()
    """Gender-neutral names, where some people's gender is not stated."""

    def without(self, names: Collection[str]) -> "NamePool":
        """Return the pool less these names."""
        return NamePool(*(tuple(name for name in kind if name not in names) for kind in self))

    def only(self, names: Collection[str]) -> "NamePool":
        """Return the pool restricted to these names."""
        return NamePool(*(tuple(name for name in kind if name in names) for kind in self))


class Bridge(NamedTuple):
    """A fact (x, predicate, y) that joins two scenes without consequences within either.

    That must hold if x is related to others by predicates of `x_has` only, and y by predicates of
    `y_has`. Two people whom a bridge relates are of different genders, where there are genders.
    """

    predicates: tuple[str, ...]
    """The predicates from x to y; one is sampled."""
    x_has: frozenset[str]
    y_has: frozenset[str]


@dataclass(frozen=True, eq=False)
class StorySpec:
    """How the stories of a world are made: scenes, names, questions and judge.

    docs/worlds.md explains each field with an example.
    """

    scene: Callable[..., Scene]
    """Samples a scene: (stream, size, predicates in the world's order, **scene options)."""
    max_facts: Callable[[int], int]
    """Maximum number of facts of a story, by scene size."""
    names: NamePool
    judge: Judge
    """Solves stories for `gen verify`."""
    question: str
    """Question for a relation, with {x} and {y}."""
    yes_no: str
    """Question for the truth of a relation, with {x}, {y} and {word}."""
    plain: tuple[str, ...]
    """Short sentences that state a fact, with {x}, {y}, {word}, and maybe {a} for its article."""
    legend: str
    """Explanation of the argument order, put before bare facts."""
    solver: Judge | None = None
    """Solves stories as they are made, independently of `judge`; by default the judge does."""
    who: str = ""
    """Question for everyone with a relation, with {x} and {word}; empty if there is none."""
    dated: DatedSentences | None = None
    max_chain_facts: Callable[[int], int] | None = None
    """Maximum length of a chain by scene size, where that is less than `max_facts`."""
    unique_words: frozenset[str] = frozenset()
    """Words for relations that nobody has twice: not used in plain sentences with {a}."""
    name_groups: tuple[frozenset[str], ...] = ()
    """Names that fit together; a story has names of one group, if there are enough."""
    family_names: tuple[str, ...] = ()
    """Surnames for stories of more people than there are names."""
    bridge: Bridge | None = None
    """Facts that join the families of a long story; without this or surnames, such are refused."""
    generations: Mapping[str, int] = field(default_factory=dict)
    """By predicate from x to y, how many generations y is above x. Questions whose answer is open
    ask for a word that fits the generations of the facts: readers would deny others."""
    scene_options: tuple[str, ...] = ()
    """Story options that `scene` accepts: of `children`, `marriage`, `same_gender`."""
    gender_of_word: Mapping[str, str] = field(default_factory=dict)
    """By relation word its gender, in languages whose texts agree with it: `{word:der|die}`."""
    weak_semantics: Semantics | None = None
    """Semantics that assumes no more than the judge, where the world's own assumes more."""


def agreeing(text: str, gender: str | None, slot: str = "word") -> str:
    """Return a text with `{word:er|sie}` replaced by `er` if the relation word is male, else `sie`.

    `slot` is what agrees: the relation word, or a person.
    """
    pattern = rf"\{{{slot}:([^{{}}|]*)\|([^{{}}|]*)\}}"
    return re.sub(pattern, lambda match: match[1 if gender == "male" else 2], text)


def story_texts(package: str, *sections: str) -> dict[str, Any]:
    """Return the texts of a StorySpec from `stories.yaml` of a package.

    Later sections replace earlier texts.
    """
    tables = load_tables(package, "stories.yaml")
    texts = {name: text for section in sections for name, text in tables[section].items()}
    return texts | {"plain": tuple(texts["plain"])}


def word_lists(folder: str, file: str) -> dict[str, tuple[str, ...]]:
    """Read the word lists of a YAML file in the folder of one of our worlds."""
    listed = load_tables(f"{__package__}.{folder}", file)
    return {name: tuple(words.split()) for name, words in listed.items()}
