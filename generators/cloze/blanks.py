"""Which words of a concrete text may be blanked: candidates, phrases, and what gives them away."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from .corpus import Pair
from .novelty import Notion, Novelty, all_forms, notion
from .whitelist import Whitelist

Phrases = Literal["npmi", "runs", "words"]

MOST_UNITS = 64
"""Of longer texts only so many phrases are looked at; one bit each in the index."""


Unit = tuple[int, int, str]
"""Tokens from a start up to an end that are blanked together, and the phrase they are."""


@dataclass
class Blanker:
    """Finds what may be blanked in a pair."""

    words: frozenset[str]
    links: frozenset[tuple[str, str]]
    forms: Notion
    surface: bool
    phrases: Phrases
    visible: bool
    marked: bool
    """Whether pairs mark what may be blanked, and no list says it."""

    def candidates(self, pair: Pair) -> list[int]:
        """The tokens on the whitelist that are, by the chosen notion, not in the abstract."""
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

    def _new_marked(self, pair: Pair) -> list[int]:
        """The tokens that are marked and not in the abstract."""
        forms = self.forms
        abstract, tokens = pair.abstract, pair.concrete
        there = all_forms(abstract.tokens if self.surface else abstract.lower, forms)
        words = tokens.tokens if self.surface else tokens.lower
        return [place for place in pair.marks if there.isdisjoint(forms(words[place]))]

    def units(self, pair: Pair) -> list[Unit]:
        """The candidates, put together into phrases, in order."""
        if pair.looked_at is None or pair.looked_at[0] is not self:
            pair.looked_at = (self, self._units(pair))
        units: list[Unit] = pair.looked_at[1]
        return units

    def _units(self, pair: Pair) -> list[Unit]:
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
        return units[:MOST_UNITS] if len(units) > MOST_UNITS else units

    def any(self, pair: Pair) -> bool:
        """Whether there is a candidate at all; cheaper than to look for all of them."""
        if self.marked or not self.surface:
            return bool(self.candidates(pair))
        words, abstract = self.words, pair.abstract.tokens
        return any(token in words and token not in abstract for token in pair.concrete.tokens)

    def _joins(self, pair: Pair, place: int) -> bool:
        """Whether a candidate belongs to the candidate before it."""
        concrete = pair.concrete
        if self.phrases == "words":
            return False
        if self.phrases == "npmi":
            if self.marked:
                return pair.marks[place - 1][0] == pair.marks[place][0]
            link = (concrete.lower[place - 1], concrete.lower[place])
            return link in self.links and concrete.spaced(place)
        return concrete.spaced(place)

    def clusters(self, pair: Pair, units: list[Unit]) -> list[list[Unit]]:
        """Units that are blanked together or not at all, since one would show another.

        With `visible`, only equal phrases belong together. Else all that have a word in common,
        and those with a word that stands elsewhere in the text are left out.
        """
        clusters = self.together(units)
        if not self.visible:
            shown, words = self._shown(pair, units), self._words
            if not all(shown.isdisjoint(words(unit)) for unit in units):
                clusters = [
                    cluster
                    for cluster in clusters
                    if all(shown.isdisjoint(words(unit)) for unit in cluster)
                ]
        return clusters

    def together(self, units: list[Unit]) -> list[list[Unit]]:
        """The units in clusters, whatever else is in the text."""
        if self.visible:
            by_phrase: dict[str, list[Unit]] = {}
            for unit in units:
                by_phrase.setdefault(unit[2], []).append(unit)
            return list(by_phrase.values())
        words = [self._words(unit) for unit in units]
        if len(set[str]().union(*words)) == sum([len(its_words) for its_words in words]):
            return [[unit] for unit in units]
        clusters: list[list[Unit]] = []
        home: dict[str, list[Unit]] = {}
        for unit, its_words in zip(units, words, strict=True):
            cluster = [unit]
            near = {id(home[word]): home[word] for word in its_words if word in home}
            for joined in near.values():
                cluster = sorted([*joined, *cluster])
                clusters.remove(joined)
                home.update((word, cluster) for member in joined for word in self._words(member))
            clusters.append(cluster)
            home.update(dict.fromkeys(its_words, cluster))
        return sorted(clusters)

    def _words(self, unit: Unit) -> frozenset[str] | set[str]:
        """The forms of all words of a unit."""
        phrase = unit[2]
        return all_forms(phrase.split(" "), self.forms) if " " in phrase else self.forms(phrase)

    def _shown(self, pair: Pair, units: list[Unit]) -> set[str]:
        rest = (pair.concrete.tokens if self.surface else pair.concrete.lower)[:]
        for start, end, _ in reversed(units):
            del rest[start:end]
        return all_forms(set(rest), self.forms)


@lru_cache(16)  # what is found in a pair of our own is kept with it, for whoever asks alike
def blanker(
    whitelist: Whitelist, novelty: Novelty, phrases: Phrases, visible: bool, marked: bool
) -> Blanker:
    """What finds blanks by these options."""
    words = whitelist.words if phrases == "npmi" else frozenset(whitelist.novel)
    surface = novelty == "surface"
    return Blanker(words, whitelist.links, notion(novelty), surface, phrases, visible, marked)


def phrases_of(units: list[Unit]) -> set[str]:
    """The different phrases among units."""
    return {unit[2] for unit in units}
