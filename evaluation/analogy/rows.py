"""Rows as a model may see them: a pair of words that is given, and pairs that are offered."""

from collections.abc import Iterable
from pathlib import Path
from sys import intern
from typing import Any, NamedTuple

from ...dataset import Dataset
from ...errors import NotADataset
from ...example import Example

Pair = tuple[str, str]
Quad = tuple[str, str, str, str]
"""The words of the pair that is given and of one that is offered."""

SUPERVISED, UNSUPERVISED = "supervised", "unsupervised"


class Analogy(NamedTuple):
    """A row: one offered pair that is right or not, or several of which one is.

    Pairs stand in the order of their words, so that no place tells a thing. The target is 1 for
    true and 0 for false, or the place of the right pair.
    """

    query: Pair
    offers: tuple[Pair, ...]
    target: int
    flawed: bool
    """Whether what counts as false is true in fact."""

    @property
    def quads(self) -> tuple[Quad, ...]:
        """Each offered pair beside the one that is given."""
        return tuple((*self.query, *offer) for offer in self.offers)

    @property
    def right(self) -> Pair:
        """The pair that the row is about: the one that is offered, or that is right."""
        return self.offers[self.target if len(self.offers) > 1 else 0]


class Key(NamedTuple):
    """What a classifier is trained for: one relation, one probe, one setting."""

    relation: str
    setting: str
    probe: str


class About(NamedTuple):
    """What a relation is like."""

    group: str
    symmetric: bool
    many: bool
    """Whether a head has many tails."""


class Rows:
    """A split: its rows by relation, setting and probe, in the order of the dataset."""

    def __init__(self, folder: Path, split: str) -> None:
        self.by_key: dict[Key, list[Analogy]] = {}
        self.about: dict[str, About] = {}
        for row in Dataset(folder).rows(split):
            self._add(row, folder)

    def __len__(self) -> int:
        return sum(map(len, self.by_key.values()))

    def _add(self, row: Example, folder: Path) -> None:
        metadata = row.metadata
        try:
            key = Key(*(intern(metadata[name]) for name in Key._fields))
            analogy = _analogy(row)
            if key.relation not in self.about:
                flags = metadata["flags"]
                many = flags["cardinality"].endswith("to-many")
                self.about[key.relation] = About(metadata["group"], flags["symmetric"], many)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise NotADataset(
                f"{folder}: row {row.id!r} is no analogy ({type(error).__name__}: {error}); "
                f"evaluate rows such as those of gen analogy"
            ) from None
        self.by_key.setdefault(key, []).append(analogy)


def _analogy(row: Example) -> Analogy:
    metadata = row.metadata
    query, flawed = _pair(metadata["query"]), bool(metadata["false_negative"])
    if metadata["setting"] == SUPERVISED:
        offer = metadata["negative"] if metadata["positive"] is None else metadata["positive"]
        return Analogy(query, (_pair(offer),), int(metadata["positive"] is not None), flawed)
    positive = _pair(metadata["positive"])
    wrong = [_pair(metadata["negative"]), *map(_pair, metadata["others"])]
    offers = tuple(sorted({positive, *wrong}))
    return Analogy(query, offers, offers.index(positive), flawed)


def _pair(words: Any) -> Pair:
    head, tail = words
    return intern(head), intern(tail)


def distinct(rows: Iterable[Analogy]) -> dict[Quad, int]:
    """Every quad of the rows once, with its number."""
    numbers: dict[Quad, int] = {}
    for row in rows:
        for quad in row.quads:
            numbers.setdefault(quad, len(numbers))
    return numbers
