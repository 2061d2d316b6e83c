"""Distractors: like the answer in form and frequency, unrelated in meaning, in neither text."""

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from ...kb.lexicon import english
from ...kb.lexicon.wordnet import nltk_reader
from .blanks import Unit
from .corpus import ClozePair
from .novelty import all_forms
from .whitelist import Whitelist


class DistractorKind(NamedTuple):
    """Properties that distractors share with the answer."""

    words: int
    part_of_speech: str
    inflection: str
    band: int


class Distractors:
    """Words and phrases of the whitelist by kind, and which of them are unrelated.

    Answers of WordNet are kept, and pickled with the generator for other processes.
    """

    def __init__(self, whitelist: Whitelist) -> None:
        self._counts = whitelist.concrete | whitelist.phrases
        self._kinds = {
            phrase: self._kind(phrase) for phrase in sorted(self._counts) if len(phrase) > 1
        }
        self._by_kind: dict[DistractorKind, list[tuple[str, set[str]]]] = {}
        self._by_name: dict[str, set[str]] = {}
        self._by_near_name: dict[str, set[str]] = {}
        for phrase, kind in self._kinds.items():
            words = all_forms(phrase.split(" "), english.bases)
            self._by_kind.setdefault(kind, []).append((phrase, words))
            for part in _parts(phrase):
                for name in _base_forms(part):
                    self._by_name.setdefault(name, set()).add(phrase)
                for name in _related_names(part):
                    self._by_near_name.setdefault(name, set()).add(phrase)
        self._unrelated: dict[str, list[tuple[str, set[str]]]] = {}

    def _kind(self, phrase: str) -> DistractorKind:
        last = phrase.rpartition(" ")[2]
        # Counts from 4 to 7 are one band, those from 8 to 15 the next.
        band = self._counts.get(phrase, 0).bit_length()
        return DistractorKind(
            phrase.count(" "), part_of_speech(last), english.inflection(last), band
        )

    def candidates(self, pair: ClozePair, unit: Unit) -> Iterator[str]:
        """Yield unrelated phrases of the answer's kind, in neither text and no alternatives."""
        start, end, phrase = unit
        right = " ".join(pair.alternatives(start, end)).split()
        shown = all_forms([*pair.abstract.lower, *pair.concrete.lower, *right], english.bases)
        for candidate, words in self._unrelated_of(phrase.lower()):
            if shown.isdisjoint(words):
                yield candidate

    def _unrelated_of(self, phrase: str) -> list[tuple[str, set[str]]]:
        if phrase not in self._unrelated:
            kind = self._kinds.get(phrase) or self._kind(phrase)
            related = self._related(phrase)
            self._unrelated[phrase] = [
                (candidate, words)
                for candidate, words in self._by_kind.get(kind, ())
                if candidate not in related
            ]
        return self._unrelated[phrase]

    def _related(self, phrase: str) -> set[str]:
        """Return phrases with a word that is a synonym or hyponym of a word of the phrase."""
        related = set[str]()
        for part in _parts(phrase):
            for name in _related_names(part):
                related |= self._by_name.get(name, set())
            for name in _base_forms(part):
                related |= self._by_near_name.get(name, set())
        return related


@cache
def part_of_speech(word: str) -> str:
    """Return the part of speech in which the word, or its base form, has the most senses."""
    senses: dict[str, int] = {}
    for synset in nltk_reader().synsets(word):
        part = "a" if synset.pos() == "s" else synset.pos()
        senses[part] = senses.get(part, 0) + 1
    return min(senses, key=lambda part: (-senses[part], part)) if senses else ""


def _parts(phrase: str) -> set[str]:
    return {phrase, *phrase.split(" ")}


@cache
def _base_forms(phrase: str) -> frozenset[str]:
    return frozenset((phrase,)) if " " in phrase else english.bases(phrase)


@cache
def _related_names(phrase: str) -> frozenset[str]:
    """Return the lemmas of the phrase's synsets and of their hypernyms and similar synsets."""
    names = set(_base_forms(phrase))
    for synset in nltk_reader().synsets(phrase.replace(" ", "_")):
        for near in (synset, *synset.hypernyms(), *synset.similar_tos()):
            names.update(name.replace("_", " ").lower() for name in near.lemma_names())
    return frozenset(names)
