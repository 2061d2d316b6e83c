"""What a page shows of a row beside its text and metadata: what its generator says of it.

All of it is optional, and read off the row alone. A generator without any gets the plain page.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import networkx


class Stretch(NamedTuple):
    """A part of the input, and the numbers of the facts that it states."""

    start: int
    end: int
    facts: Sequence[int]


class Step(NamedTuple):
    """A step of a proof: from the facts of these numbers follows [x, relation, y], in words.

    What steps conclude is numbered on from the facts.
    """

    uses: Sequence[int]
    fact: Sequence[str]
    words: str


class Blank(NamedTuple):
    """A gap in the input, what was there, and what would do as well."""

    start: int
    end: int
    answer: str
    alternatives: Sequence[str] = ()


@dataclass(frozen=True)
class View:
    """A row to look at: its facts drawn, where each is stated, its proof, its blanks.

    The edges of the graph are the facts; the `number` of each is the one by which stretches and
    steps call it. `words` says each of them, in the order of their numbers.
    """

    graph: "networkx.MultiDiGraph[str] | None" = None
    words: Sequence[str] = ()
    stretches: Sequence[Stretch] = ()
    steps: Sequence[Step] = ()
    blanks: Sequence[Blank] = ()
