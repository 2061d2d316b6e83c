"""Which words of a concrete text may be blanked: candidates, phrases, and what gives them away."""

from itertools import compress
from typing import Literal

from .corpus import Pair
from .novelty import Novelty, known, notion
from .tokens import Text
from .whitelist import Whitelist

Phrases = Literal["npmi", "runs", "words"]

MOST_UNITS = 64
"""Of longer texts only so many phrases are looked at; one bit each in the index."""


Unit = tuple[int, int, str]
"""Tokens from a start up to an end that are blanked together, and the phrase they are."""


class Blanker:
    """Finds what may be blanked in a pair."""

    def __init__(
        self, whitelist: Whitelist, novelty: Novelty, phrases: Phrases, visible: bool
    ) -> None:
        self.words = whitelist.words if phrases == "npmi" else frozenset(whitelist.novel)
        self.links = whitelist.links
        self.forms = notion(novelty)
        self.surface = novelty == "surface"
        self.phrases = phrases
        self.visible = visible

    def units(self, pair: Pair) -> list[Unit]:
        """The candidates, put together into phrases, in order.

        A candidate is on the whitelist and, by the chosen notion, not in the abstract.
        """
        concrete = pair.concrete
        tokens = concrete.tokens if self.surface else concrete.lower
        listed = compress(range(len(tokens)), map(self.words.__contains__, tokens))
        if self.surface:
            abstract = set(pair.abstract.tokens)
            new = [at for at in listed if tokens[at] not in abstract]
        else:
            forms = self.forms
            there = known(pair.abstract.lower, forms)
            new = [at for at in listed if there.isdisjoint(forms(tokens[at]))]
        units: list[Unit] = []
        start = end = -1
        for at in new:
            if at != end or not self._joins(concrete, at):
                if end > 0:
                    units.append((start, end, " ".join(tokens[start:end])))
                start = at
            end = at + 1
        if new:
            units.append((start, end, " ".join(tokens[start:end])))
        return units[:MOST_UNITS]

    def any(self, pair: Pair) -> bool:
        """Whether there is a candidate at all; cheaper than to put phrases together."""
        if not self.surface:
            return bool(self.units(pair))
        tokens, abstract = pair.concrete.tokens, pair.abstract.tokens
        return any(token not in abstract for token in filter(self.words.__contains__, tokens))

    def _joins(self, concrete: Text, at: int) -> bool:
        """Whether a candidate belongs to the candidate before it."""
        if self.phrases == "words":
            return False
        if self.phrases == "npmi":
            link = (concrete.lower[at - 1], concrete.lower[at])
            return link in self.links and concrete.spaced(at)
        return concrete.spaced(at)

    def clusters(self, pair: Pair, units: list[Unit]) -> list[list[Unit]]:
        """Units that are blanked together or not at all, since one would show another.

        With `visible`, only equal phrases belong together. Else all that have a word in common,
        and those with a word that stands elsewhere in the text are left out.
        """
        if self.visible:
            by_phrase: dict[str, list[Unit]] = {}
            for unit in units:
                by_phrase.setdefault(unit[2], []).append(unit)
            return list(by_phrase.values())
        shown = self._shown(pair, units)
        clusters: list[list[Unit]] = []
        home: dict[str, list[Unit]] = {}
        seen = set[int]()
        for unit in units:
            words = self._words(unit)
            cluster = [unit]
            for other in {id(home[word]): home[word] for word in words if word in home}.values():
                cluster = sorted([*other, *cluster])
                clusters.remove(other)
                home.update((word, cluster) for one in other for word in self._words(one))
            clusters.append(cluster)
            home.update(dict.fromkeys(words, cluster))
            if not shown.isdisjoint(words):
                seen.add(unit[0])
        if seen:
            clusters = [one for one in clusters if seen.isdisjoint(unit[0] for unit in one)]
        return sorted(clusters)

    def _words(self, unit: Unit) -> frozenset[str] | set[str]:
        """The forms of all words of a unit."""
        phrase = unit[2]
        return known(phrase.split(" "), self.forms) if " " in phrase else self.forms(phrase)

    def _shown(self, pair: Pair, units: list[Unit]) -> set[str]:
        tokens = pair.concrete.tokens if self.surface else pair.concrete.lower
        at, shown = 0, list[str]()
        for unit in units:
            shown += tokens[at : unit[0]]
            at = unit[1]
        return known([*shown, *tokens[at:]], self.forms)


def phrases_of(units: list[Unit]) -> set[str]:
    """The different phrases among units."""
    return {unit[2] for unit in units}
