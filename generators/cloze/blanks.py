"""Candidates for blanks in a concrete text: words, phrases, and clusters of these."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from .corpus import ClozePair
from .novelty import Novelty, WordForms, all_forms, word_forms
from .whitelist import Whitelist

Phrases = Literal["npmi", "runs", "words"]

MAX_UNITS = 64
"""Phrases considered per text; one bit each in the index."""


Unit = tuple[int, int, str]
"""Tokens (start, end) that are blanked together, and their phrase."""


@dataclass
class BlankFinder:
    """Finds candidates for blanks in a pair."""

    words: frozenset[str]
    links: frozenset[tuple[str, str]]
    forms: WordForms
    surface: bool
    phrases: Phrases
    visible: bool
    marked: bool
    """True if candidates are marked in the pairs, not listed in a whitelist."""

    def candidates(self, pair: ClozePair) -> list[int]:
        """Return the tokens on the whitelist that are not in the abstract, by the chosen forms."""
        if self.marked:
            return self._new_marked(pair)
        words = self.words
        if self.surface:
            abstract = pair.abstract.tokens
            return [
                place
                for place, token in enumerate(pair.concrete.tokens)
                if token in words and token not in abstract
            ]
        forms = self.forms
        abstract_forms = all_forms(pair.abstract.lower, forms)
        return [
            place
            for place, token in enumerate(pair.concrete.lower)
            if token in words and abstract_forms.isdisjoint(forms(token))
        ]

    def _new_marked(self, pair: ClozePair) -> list[int]:
        """Return the tokens that are marked and not in the abstract."""
        forms = self.forms
        abstract, tokens = pair.abstract, pair.concrete
        in_abstract = all_forms(abstract.tokens if self.surface else abstract.lower, forms)
        words = tokens.tokens if self.surface else tokens.lower
        return [place for place in pair.marks if in_abstract.isdisjoint(forms(words[place]))]

    def units(self, pair: ClozePair) -> list[Unit]:
        """Return the candidates, joined into phrases, in order."""
        if pair.cached_units is None or pair.cached_units[0] is not self:
            pair.cached_units = (self, self._units(pair))
        units: list[Unit] = pair.cached_units[1]
        return units

    def _units(self, pair: ClozePair) -> list[Unit]:
        concrete = pair.concrete
        tokens = concrete.tokens if self.surface else concrete.lower
        units: list[Unit] = []
        end = -1
        for place in self.candidates(pair):
            if place == end and self._joins(pair, place):
                start, _, phrase = units[-1]
                units[-1] = (start, place + 1, f"{phrase} {tokens[place]}")
            else:
                units.append((place, place + 1, tokens[place]))
            end = place + 1
        return units[:MAX_UNITS] if len(units) > MAX_UNITS else units

    def has_candidates(self, pair: ClozePair) -> bool:
        """Return whether there is a candidate; cheaper than finding all of them."""
        if self.marked or not self.surface:
            return bool(self.candidates(pair))
        words, abstract = self.words, pair.abstract.tokens
        return any(token in words and token not in abstract for token in pair.concrete.tokens)

    def _joins(self, pair: ClozePair, place: int) -> bool:
        """Return whether a candidate belongs to the candidate before it."""
        concrete = pair.concrete
        if self.phrases == "words":
            return False
        if self.phrases == "npmi":
            if self.marked:
                return pair.marks[place - 1][0] == pair.marks[place][0]
            link = (concrete.lower[place - 1], concrete.lower[place])
            return link in self.links and concrete.is_spaced(place)
        return concrete.is_spaced(place)

    def clusters(self, pair: ClozePair, units: list[Unit]) -> list[list[Unit]]:
        """Return clusters of units that must be blanked together, since one would reveal another.

        With `visible`, equal phrases are clustered. Otherwise all units that share a word are, and
        those with a word that occurs elsewhere in the text are left out.
        """
        clusters = self.cluster(units)
        if not self.visible:
            shown, words = self._shown(pair, units), self._words
            if not all(shown.isdisjoint(words(unit)) for unit in units):
                clusters = [
                    cluster
                    for cluster in clusters
                    if all(shown.isdisjoint(words(unit)) for unit in cluster)
                ]
        return clusters

    def cluster(self, units: list[Unit]) -> list[list[Unit]]:
        """Cluster the units, whatever else is in the text."""
        if self.visible:
            by_phrase: dict[str, list[Unit]] = {}
            for unit in units:
                by_phrase.setdefault(unit[2], []).append(unit)
            return list(by_phrase.values())
        words = [self._words(unit) for unit in units]
        if len(set[str]().union(*words)) == sum([len(unit_words) for unit_words in words]):
            return [[unit] for unit in units]
        clusters: list[list[Unit]] = []
        home: dict[str, list[Unit]] = {}
        for unit, unit_words in zip(units, words, strict=True):
            cluster = [unit]
            connected = {id(home[word]): home[word] for word in unit_words if word in home}
            for joined in connected.values():
                cluster = sorted([*joined, *cluster])
                clusters.remove(joined)
                home.update((word, cluster) for member in joined for word in self._words(member))
            clusters.append(cluster)
            home.update(dict.fromkeys(unit_words, cluster))
        return sorted(clusters)

    def _words(self, unit: Unit) -> frozenset[str] | set[str]:
        """Return the forms of all words of a unit."""
        phrase = unit[2]
        return all_forms(phrase.split(" "), self.forms) if " " in phrase else self.forms(phrase)

    def _shown(self, pair: ClozePair, units: list[Unit]) -> set[str]:
        rest = (pair.concrete.tokens if self.surface else pair.concrete.lower)[:]
        for start, end, _ in reversed(units):
            del rest[start:end]
        return all_forms(set(rest), self.forms)


@lru_cache(16)  # built-in pairs keep what one finder found, so finders are shared
def blank_finder(
    whitelist: Whitelist, novelty: Novelty, phrases: Phrases, visible: bool, marked: bool
) -> BlankFinder:
    """Return the finder for these options."""
    words = whitelist.words if phrases == "npmi" else frozenset(whitelist.novel)
    surface = novelty == "surface"
    return BlankFinder(
        words, whitelist.links, word_forms(novelty), surface, phrases, visible, marked
    )


def phrases_of(units: list[Unit]) -> set[str]:
    """Return the different phrases of units."""
    return {unit[2] for unit in units}
