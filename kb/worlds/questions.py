"""Questions that only some worlds can answer; a world lists its own in its story specification."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar


@dataclass(frozen=True, eq=False)
class WhoQuestion:
    """Asks for everyone with a relation; `none` is an answer."""

    text: str
    """With {x} and {word}."""
    name: ClassVar[str] = "who"


@dataclass(frozen=True, eq=False)
class PossibleQuestion:
    """Asks for all relations that may hold."""

    text: str
    """With {x}, {y} and {words}, all of the world's."""
    name: ClassVar[str] = "possible"


@dataclass(frozen=True, eq=False)
class RankQuestion:
    """Asks for a rank among some people."""

    text: str
    """With {people}, {asked}, {ahead} and {more}."""
    superlatives: Mapping[str, str]
    """Superlatives of predicates that rank people, such as taller: tallest."""
    name: ClassVar[str] = "rank"


@dataclass(frozen=True, eq=False)
class PartQuestion:
    """Asks for a part of a relation, such as the direction without the distance."""

    name: str
    """Its name in --answer."""
    text: str
    """With {x} and {y}."""
    answers: Mapping[str, tuple[str, ...]]
    """By answer, the predicates that have it; each predicate has one."""
    solve: Callable[[str], str]
    """(word) -> its answer, independently of `answers`."""
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Synonyms by answer."""
    others: tuple[str, ...] = ()
    """Words that contain an answer, but are none."""


Question = WhoQuestion | PossibleQuestion | RankQuestion | PartQuestion
