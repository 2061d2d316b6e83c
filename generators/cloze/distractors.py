"""Wrong choices: like the answer in form and frequency, unlike it in meaning, in neither text."""

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from ...kb.lexicon import english
from ...kb.lexicon.wordnet import nltk_reader
from .blanks import Unit
from .corpus import Pair
from .novelty import all_forms
from .whitelist import Whitelist


class Kind(NamedTuple):
    """What a distractor has in common with the answer."""

    words: int
    part_of_speech: str
    inflection: str
    band: int


class Distractors:
    """Words and phrases of the whitelist by their kind, and which of them are unrelated.

    What WordNet said is kept, and goes along to other processes with the generator.
    """

    def __init__(self, whitelist: Whitelist) -> None:
        self._counts = whitelist.concrete | whitelist.phrases
        self._kinds = {phrase: self._kind(phrase) for phrase in sorted(self._counts)}
        self._alike: dict[Kind, list[tuple[str, set[str]]]] = {}
        self._named: dict[str, set[str]] = {}
        self._near: dict[str, set[str]] = {}
        for phrase, kind in self._kinds.items():
            words = all_forms(phrase.split(" "), english.bases)
            self._alike.setdefault(kind, []).append((phrase, words))
            for part in _parts(phrase):
                for name in _own(part):
                    self._named.setdefault(name, set()).add(phrase)
                for name in _near(part):
                    self._near.setdefault(name, set()).add(phrase)
        self._unrelated: dict[str, list[tuple[str, set[str]]]] = {}

    def _kind(self, phrase: str) -> Kind:
        last = phrase.rpartition(" ")[2]
        # Counts from 4 to 7 are one band, those from 8 to 15 the next.
        band = self._counts.get(phrase, 0).bit_length()
        return Kind(phrase.count(" "), part_of_speech(last), english.inflection(last), band)

    def of(self, pair: Pair, unit: Unit) -> Iterator[str]:
        """All of the answer's kind that is in neither text, not related to it, and would not do."""
        start, end, phrase = unit
        right = " ".join(pair.alternatives(start, end)).split()
        shown = all_forms([*pair.abstract.lower, *pair.concrete.lower, *right], english.bases)
        for candidate, words in self._apart(phrase.lower()):
            if shown.isdisjoint(words):
                yield candidate

    def _apart(self, phrase: str) -> list[tuple[str, set[str]]]:
        if phrase not in self._unrelated:
            kind = self._kinds.get(phrase) or self._kind(phrase)
            related = self._related(phrase)
            self._unrelated[phrase] = [
                (candidate, words)
                for candidate, words in self._alike.get(kind, ())
                if candidate not in related
            ]
        return self._unrelated[phrase]

    def _related(self, phrase: str) -> set[str]:
        """Whatever has a word that is a synonym of a word of the phrase, or a kind of it."""
        related = set[str]()
        for part in _parts(phrase):
            for name in _near(part):
                related |= self._named.get(name, set())
            for name in _own(part):
                related |= self._near.get(name, set())
        return related


@cache
def part_of_speech(word: str) -> str:
    """The part of speech in which the word, or its base form, has the most senses."""
    senses: dict[str, int] = {}
    for synset in nltk_reader().synsets(word):
        part = "a" if synset.pos() == "s" else synset.pos()
        senses[part] = senses.get(part, 0) + 1
    return min(senses, key=lambda part: (-senses[part], part)) if senses else ""


def _parts(phrase: str) -> set[str]:
    """A phrase and its words."""
    return {phrase, *phrase.split(" ")}


@cache
def _own(phrase: str) -> frozenset[str]:
    return frozenset((phrase,)) if " " in phrase else english.bases(phrase)


@cache
def _near(phrase: str) -> frozenset[str]:
    """All names of its meanings and of what these are kinds of."""
    names = set(_own(phrase))
    for synset in nltk_reader().synsets(phrase.replace(" ", "_")):
        for near in (synset, *synset.hypernyms(), *synset.similar_tos()):
            names.update(name.replace("_", " ").lower() for name in near.lemma_names())
    return frozenset(names)
