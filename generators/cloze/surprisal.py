"""Surprisal of answers, given the words before them and, for a language model, the abstract."""

import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from itertools import chain, pairwise
from math import log2
from operator import itemgetter
from typing import Any, Protocol

from ...errors import MissingExtra, install_command
from ...registry import Registry
from .blanks import Unit
from .corpus import BuiltInCorpus, ClozePair, Units

Bits = tuple[list[float], list[float] | None]
"""Surprisal of each answer in bits: without the abstract, and with it, if the model uses it."""


class SurprisalModel(Protocol):
    """A model of the surprisal of answers, given their full left context."""

    def bits(self, pair: ClozePair, units: list[Unit]) -> Bits:
        """Return the surprisal of each unit."""
        ...


def surprisals(model: SurprisalModel) -> Callable[[ClozePair, list[Unit]], list[float]]:
    """Return a score by surprisal without the abstract."""
    return lambda pair, units: model.bits(pair, units)[0]


Continuations = tuple[int, int]
"""The number of different continuations of a context, and that plus its count."""


@dataclass
class TrigramCounts:
    """Counts for a trigram model."""

    chances: dict[str, float]
    least: float
    after_one: dict[str, Continuations]
    two: dict[tuple[str, str], int]
    after_two: dict[tuple[str, str], Continuations]
    three: dict[tuple[tuple[str, str], str], int]

    def bits(self, pair: ClozePair, units: list[Unit]) -> Bits:
        """Return surprisal by trigrams; too few pairs to estimate the effect of the abstract."""
        tokens = ["", "", *pair.concrete.lower]
        alone = []
        for start, end, _ in units:
            bits = 0.0
            for place in range(start + 2, end + 2):
                bits -= log2(self._chance(tokens[place - 2], tokens[place - 1], tokens[place]))
            alone.append(round(bits, 2))
        return alone, None

    def _chance(self, earlier: str, before: str, word: str) -> float:
        chance = self.chances.get(word, self.least)
        # Witten-Bell smoothing: a context with many continuations may well have another.
        after = self.after_one.get(before)
        if after is not None:
            ways, whole = after
            chance = (self.two.get((before, word), 0) + ways * chance) / whole
        context = (earlier, before)
        after = self.after_two.get(context)
        if after is not None:
            ways, whole = after
            chance = (self.three.get((context, word), 0) + ways * chance) / whole
        return chance


def count_trigrams(pairs: Sequence[ClozePair]) -> TrigramCounts:
    """Count trigrams."""
    texts = [pair.concrete.lower for pair in pairs]
    words = Counter(chain.from_iterable(texts))
    scale = words.total() + 0.5 * (len(words) + 2)
    words[""] = len(texts)
    two = Counter(chain.from_iterable([zip(["", *text], text, strict=False) for text in texts]))
    before = [list(pairwise(["", "", *text][:-1])) for text in texts]
    three = Counter(chain.from_iterable(map(zip, before, texts)))
    # Plain dictionaries: a Counter is slow for missing keys.
    return TrigramCounts(
        chances={word: (times + 0.5) / scale for word, times in words.items()},
        least=0.5 / scale,
        after_one=_continuations(words, two),
        two=dict(two),
        after_two=_continuations(Counter(chain.from_iterable(before)), three),
        three=dict(three),
    )


def _continuations(contexts: Counter[Any], continuations: Counter[Any]) -> dict[Any, Continuations]:
    """Return the continuations of each context; one that only ends texts has one as well."""
    ways = Counter(map(itemgetter(0), continuations))
    return {
        context: (ways.get(context, 1), seen + ways.get(context, 1))
        for context, seen in contexts.items()
    }


def fold(place: int) -> int:
    """Return the half of the corpus a group belongs to; rows are measured by the other half."""
    return zlib.crc32(str(place).encode()) & 1


@cache
def built_in_counts(units: Units = "us") -> tuple[TrigramCounts, TrigramCounts]:
    """Return the counts of both halves of the built-in pairs, for the other half each."""
    halves: tuple[list[ClozePair], list[ClozePair]] = ([], [])
    for group in BuiltInCorpus(units).groups():
        halves[1 - fold(group[0].place)].extend(group)
    return count_trigrams(halves[0]), count_trigrams(halves[1])


class CausalModel:
    """A causal language model of transformers, from a folder or by name.

    It is found in the evaluation package by its entry point, so that only that imports torch.
    """

    def __init__(self, name: str) -> None:
        self.measure = _load(name)

    def bits(self, pair: ClozePair, units: list[Unit]) -> Bits:
        """Return the surprisal of each unit, summed over its sub-word tokens."""
        spans = [pair.concrete.span(start, end) for start, end, _ in units]
        text = pair.concrete.text
        return self.measure("", text, spans), self.measure(f"{pair.abstract.text}\n", text, spans)


@cache
def _load(name: str) -> Any:
    if not (find_spec("transformers") and find_spec("torch")):
        raise MissingExtra(
            f"a causal language model needs transformers and torch; {install_command('lm')}"
        )
    models: Registry[Any] = Registry("relsmith.models", "model", lambda _, model: model)
    return models.get("causal-lm").surprisal(name)
