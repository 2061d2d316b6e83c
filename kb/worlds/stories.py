"""What stories in a world need beside its rules and its sentences."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from ...seed import Stream
from .scene import Scene
from .semantics import Semantics
from .verdict import Verdict

Judge = Callable[
    [Iterable[tuple[str, str, str]], Mapping[str, str], tuple[str, str], str | None], Verdict
]
"""Says of facts, genders by name, a query and perhaps a claimed word how they stand."""

Everyone = Callable[[list[tuple[str, str, str]], Mapping[str, str], str, str], list[str]]
"""Says of facts, genders by name, somebody and a word who is so related to them for certain."""

Ranked = Callable[[list[tuple[str, str, str]], list[str], str], list[str]]
"""Says of facts, some people and a superlative, as in second tallest, who is that for certain."""

Left = Callable[[list[tuple[str, str, str]], Mapping[str, str], tuple[str, str]], list[str]]
"""Says of facts, genders by name and a query which words may hold of its second."""

Dated = Callable[[str, str, str, Stream], tuple[str, str]]
"""Tells of x, a predicate and y by times: a sentence, and its template."""

DATED: Final = "by:"
"""What the templates of such sentences begin with, and the name of no frame."""

Reckoned = Callable[[str, str, str], tuple[str, str] | None]
"""Says of a sentence, x and y by which template it tells of their times, and in a word what."""


class Pool(NamedTuple):
    """Names by gender; in a world without genders all are of the first kind."""

    female: tuple[str, ...]
    male: tuple[str, ...] = ()
    unstated: tuple[str, ...] = ()
    """Names that tell no gender, where some people's is not stated."""

    def without(self, names: Collection[str]) -> "Pool":
        """The pool less some names."""
        return Pool(*(tuple(name for name in kind if name not in names) for kind in self))

    def only(self, names: Collection[str]) -> "Pool":
        """The pool of these names alone."""
        return Pool(*(tuple(name for name in kind if name in names) for kind in self))


@dataclass(frozen=True, eq=False)
class Stories:
    """Where the stories of a world are set, who occurs in them, and how they ask.

    docs/worlds.md explains each field with an example.
    """

    scene: Callable[..., Scene]
    """Makes a scene from a stream, its size, the world's predicates in order, and what it heeds."""
    longest: Callable[[int], int]
    """How many facts a story may have in a scene of that size."""
    names: Pool
    judge: Judge
    question: str
    """Asks for a relation, with {x} and {y}."""
    yes_no: str
    """Asks whether a relation holds, with {x}, {y} and {word}."""
    plain: tuple[str, ...]
    """Short sentences that state a fact, with {x}, {y}, {word}, and perhaps {a} for its article."""
    legend: str
    """Says before bare facts which way round they are to be read."""
    who: str = ""
    """Asks for all of whom a relation holds, with {x} and {word}; `none` is an answer."""
    possible: str = ""
    """Asks for all relations that may hold, with {x}, {y} and {words}, all of the world's."""
    opening: str = ""
    """Is said before every story."""
    longest_chain: Callable[[int], int] | None = None
    """How many facts may lead from one to another in a scene of that size, where that is fewer."""
    unique: frozenset[str] = frozenset()
    """Words of which nobody has two: a plain sentence with {a} does not say them."""
    family_names: tuple[str, ...] = ()
    """For stories of more people than there are names; without them, none are that long."""
    heeds: tuple[str, ...] = ()
    """The options of stories that shape a scene, beside its size: of `children`, `marriage`."""
    everyone: Everyone | None = None
    """Lists all of whom a word is certain, by other means than `judge`, by which rows are made."""
    rank: str = ""
    """Asks for a rank among some, with {people}, {asked}, {ahead} and {more}."""
    ranked: Ranked | None = None
    """Says who has a rank, by other means than `judge`, by which rows are made."""
    left: Left | None = None
    """Lists all words that may hold of two, by other means than `judge`, by which rows are made."""
    part: Callable[[str, str], str] | None = None
    """Says of a part and a word what the word says of that part, by other means than the file's."""
    dated: Dated | None = None
    """Tells one fact of each chain by times rather than by a word."""
    reckoned: Reckoned | None = None
    """Reads such a sentence, by other means than `dated`."""
    dated_words: frozenset[str] = frozenset()
    """All words of such sentences, which nothing may be called."""
    least: Semantics | None = None
    """What assumes as little as the judge does, where the world's own semantics assumes more."""
