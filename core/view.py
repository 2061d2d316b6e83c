"""Optional parts of a row for `gen view`, beside its text and metadata."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import networkx


class FactSpan(NamedTuple):
    """A span of the input, and the numbers of the facts that it states."""

    start: int
    end: int
    facts: Sequence[int]


class Step(NamedTuple):
    """A proof step: the facts with the numbers `uses` entail `fact` ([x, relation, y]).

    Conclusions are numbered after the stated facts, in the order of the steps.
    """

    uses: Sequence[int]
    fact: Sequence[str]
    words: str


class Blank(NamedTuple):
    """A gap in the input, the word that was there, and accepted alternatives."""

    start: int
    end: int
    answer: str
    alternatives: Sequence[str] = ()


@dataclass(frozen=True)
class View:
    """The graph of a row's facts, the spans that state them, the proof, and the blanks.

    The edges of the graph are the facts; spans and steps refer to the `number` of an edge.
    `fact_texts` has each fact in words, in the order of the numbers.
    """

    graph: "networkx.MultiDiGraph[str] | None" = None
    fact_texts: Sequence[str] = ()
    fact_spans: Sequence[FactSpan] = ()
    steps: Sequence[Step] = ()
    blanks: Sequence[Blank] = ()
