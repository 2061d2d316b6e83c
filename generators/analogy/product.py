"""The whole product of a split: every relation, probe and setting, with its rows numbered."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate

from ...block import ROWS_PER_BLOCK
from ...kb.relations import Pair, Relation
from .negatives import Drawn, Negative
from .template import Template, fill

Offer = tuple[list[str], str, str, str, bool]
"""A negative made ready: its words, its piece of the sentence, rule, certificate, truth."""


@dataclass(frozen=True)
class Set:
    """One dataset of a split: the tuples of a relation under one probe in one setting.

    Rows are numbered query by query; every query stands in as many rows with a positive as with
    a negative, so that it gives nothing away.
    """

    relation: Relation
    probe: str
    setting: str
    pairs: list[list[str]]
    asked: list[str]
    offered: list[str]
    queries: list[int]
    negatives: list[list[Offer]]
    per_query: int

    @cached_property
    def instances(self) -> int:
        """How many positives there are."""
        return len(self.queries) * self.per_query

    @cached_property
    def rows(self) -> int:
        """How many rows there are: a negative has one of its own in the supervised setting."""
        return self.instances * (2 if self.setting == "supervised" else 1)

    @cached_property
    def flags(self) -> dict[str, object]:
        """What rows say of the relation."""
        return {"symmetric": self.relation.symmetric, "cardinality": self.relation.cardinality}

    def place(self, instance: int) -> tuple[int, int, int]:
        """The query, the positive and the number of the negative of an instance."""
        query, at = divmod(instance, self.per_query)
        i = self.queries[query]
        j = at % (len(self.pairs) - 1)
        return i, j + (j >= i), at


def ready(negative: Negative, template: Template) -> Offer:
    """The negative as rows show it."""
    head, tail = negative.pair
    text = fill(template.option, head, tail)
    return [head, tail], text, negative.rule, negative.certificate, negative.true


def sets(
    relation: Relation,
    probe: str,
    settings: Sequence[str],
    tuples: list[Pair],
    drawn: Drawn,
    template: Template,
    least: int,
) -> Iterator[Set]:
    """The datasets of a probe; queries with fewer than `least` different negatives are left out."""
    known: dict[tuple[Pair, str], Offer] = {}
    negatives: list[list[Offer]] = []
    queries: list[int] = []
    for at, row in enumerate(drawn):
        offers = []
        for one in row:
            key = (one.pair, one.rule)
            if key not in known:
                known[key] = ready(one, template)
            offers.append(known[key])
        negatives.append(offers)
        if len({one.pair for one in row}) >= least:
            queries.append(at)
    pairs = [list(pair) for pair in tuples]
    asked = [fill(template.query, *pair) for pair in tuples]
    offered = [fill(template.option, *pair) for pair in tuples]
    per_query = max(map(len, negatives), default=0)
    for setting in settings:
        yield Set(
            relation, probe, setting, pairs, asked, offered, queries, negatives, per_query
        )


@dataclass(frozen=True)
class Product:
    """The datasets of a split end to end, and the questions that sources ask themselves.

    A block takes rows from all over: the first rows are a fair sample of the whole.
    """

    sets: list[Set]
    questions: list[Relation] = field(default_factory=list)

    @cached_property
    def ends(self) -> list[int]:
        """The number after the last row of every dataset."""
        return list(accumulate(one.rows for one in self.sets))

    @cached_property
    def rows(self) -> int:
        """How many rows there are in all."""
        return (self.ends[-1] if self.ends else 0) + len(self.questions)

    def numbers(self, block: int) -> range | list[int]:
        """Which rows of the product the block of that place has, in order; each is in one block."""
        blocks, rest = divmod(self.rows, ROWS_PER_BLOCK)
        wide = blocks + (rest > 0)
        if block == blocks:
            return range(block, rest * wide, wide) if rest else []
        first = range(block, rest * wide, wide)
        rest_of_them = range(rest * wide + block, self.rows, blocks)
        return [*first, *rest_of_them]

    def find(self, number: int) -> int:
        """Which dataset a row of the product is of."""
        return bisect_right(self.ends, number)
