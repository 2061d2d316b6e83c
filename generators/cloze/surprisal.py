"""How surprising an answer is after the words before it; to a model, after the abstract as well."""

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

from ...errors import MissingExtra, install
from ...kb.lexicon import english
from ...registry import Registry
from .blanks import Unit
from .corpus import BuiltIn, Pair

Bits = tuple[list[float], list[float] | None]
"""Surprisal of each answer in bits: without the abstract, and with it where that tells."""


class Model(Protocol):
    """Anything that can say how surprising answers are, left context given in full."""

    def bits(self, pair: Pair, units: list[Unit]) -> Bits:
        """The surprisal of each unit."""
        ...


def surprisals(model: Model) -> Callable[[Pair, list[Unit]], list[float]]:
    """The surprisal of each unit without the abstract, as a score."""
    return lambda pair, units: model.bits(pair, units)[0]


Ways = tuple[int, int]
"""In how many ways a context goes on, and that plus how often it was seen."""


@dataclass
class Counts:
    """A trigram model by counting, and how often words go with words of the abstract."""

    texts: int
    chances: dict[str, float]
    least: float
    after_one: dict[str, Ways]
    two: dict[tuple[str, str], int]
    after_two: dict[tuple[str, str], Ways]
    three: dict[tuple[tuple[str, str], str], int]
    alone: dict[str, int]
    in_abstracts: dict[str, int]
    in_both: dict[str, dict[str, int]]

    def bits(self, pair: Pair, units: list[Unit]) -> Bits:
        """By trigrams: counts over few pairs do not show what an abstract gives."""
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
        # Witten and Bell: what followed in many ways may well go on in another.
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

    def pmis(self, pair: Pair, units: list[Unit]) -> list[float]:
        """How much more often than by chance answers go with a word of the abstract."""
        cues = _content(pair.abstract.lower)
        return [self._pmi(cues, phrase.lower().split(" ")) for _, _, phrase in units]

    def _pmi(self, cues: set[str], words: list[str]) -> float:
        best = 0.0
        for cue in cues:
            beside = self.in_both.get(cue, {})
            for word in words:
                if together := beside.get(word, 0):
                    by_chance = self.in_abstracts[cue] * self.alone[word]
                    best = max(best, log2(together * self.texts / by_chance))
        return round(best, 6)


def count(pairs: Sequence[Pair]) -> Counts:
    """Learn what follows what, and what goes with which word of an abstract."""
    texts = [pair.concrete.lower for pair in pairs]
    words = Counter(chain.from_iterable(texts))
    scale = words.total() + 0.5 * (len(words) + 2)
    words[""] = len(texts)
    two = Counter(chain.from_iterable([zip(["", *text], text, strict=False) for text in texts]))
    before = [list(pairwise(["", "", *text][:-1])) for text in texts]
    three = Counter(chain.from_iterable(map(zip, before, texts)))
    contents = [_content(text) for text in texts]
    cues = [_content(pair.abstract.lower) for pair in pairs]
    # Plain dictionaries: a counter is slow to say that it has not seen something.
    return Counts(
        texts=len(texts),
        chances={word: (times + 0.5) / scale for word, times in words.items()},
        least=0.5 / scale,
        after_one=_ways(words, two),
        two=dict(two),
        after_two=_ways(Counter(chain.from_iterable(before)), three),
        three=dict(three),
        alone=dict(Counter(chain.from_iterable(contents))),
        in_abstracts=dict(Counter(chain.from_iterable(cues))),
        in_both=_together(cues, contents),
    )


def _together(cues: list[set[str]], contents: list[set[str]]) -> dict[str, dict[str, int]]:
    """How often each word stands beside each cue."""
    beside: dict[str, list[str]] = {}
    for some, content in zip(cues, contents, strict=True):
        for cue in some:
            beside.setdefault(cue, []).extend(content)
    return {cue: dict(Counter(words)) for cue, words in beside.items()}


def _ways(contexts: Counter[Any], continuations: Counter[Any]) -> dict[Any, Ways]:
    """For each context; one that ends every text may go on in a way as well."""
    ways = Counter(map(itemgetter(0), continuations))
    return {
        context: (ways.get(context, 1), seen + ways.get(context, 1))
        for context, seen in contexts.items()
    }


def _content(tokens: list[str]) -> set[str]:
    return {token for token in tokens if token.isalpha()} - english.words("stop")


def fold(place: int) -> int:
    """Which half of a corpus a group belongs to; a row is measured by what the other half says."""
    return zlib.crc32(str(place).encode()) & 1


@cache
def own_counts() -> tuple[Counts, Counts]:
    """What each half of our own pairs says about the other, whatever is blanked in them."""
    halves: tuple[list[Pair], list[Pair]] = ([], [])
    for group in BuiltIn().groups():
        halves[1 - fold(group[0].place)].extend(group)
    return count(halves[0]), count(halves[1])


class CausalModel:
    """A causal language model of transformers, from a folder or by name.

    The evaluation has it: it is found there by its entry point, so that torch stays there.
    """

    def __init__(self, name: str) -> None:
        self.measure = _load(name)

    def bits(self, pair: Pair, units: list[Unit]) -> Bits:
        """The surprisal of each unit, by the sum over its pieces."""
        spans = [pair.concrete.span(start, end) for start, end, _ in units]
        text = pair.concrete.text
        return self.measure("", text, spans), self.measure(f"{pair.abstract.text}\n", text, spans)


@cache
def _load(name: str) -> Any:
    if not (find_spec("transformers") and find_spec("torch")):
        raise MissingExtra(f"a causal language model needs transformers and torch; {install('lm')}")
    models: Registry[Any] = Registry("relsmith.models", "model", lambda _, model: model)
    return models.get("causal-lm").surprisal(name)
