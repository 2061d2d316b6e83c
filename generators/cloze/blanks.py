"""Which words of a concrete text may be blanked: candidates, phrases, and what gives them away."""

from typing import Literal, NamedTuple

from .corpus import Pair
from .novelty import Novelty, known, notion
from .whitelist import Whitelist

Phrases = Literal["npmi", "runs", "words"]

MOST_UNITS = 64
"""Of longer texts only so many phrases are looked at; one bit each in the index."""


class Unit(NamedTuple):
    """Tokens `start` up to `end` that are blanked together, and the phrase they are."""

    start: int
    end: int
    phrase: str


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
        if self.surface:
            tokens = pair.concrete.tokens
            new = self.words.intersection(tokens).difference(pair.abstract.tokens)
        else:
            tokens, forms = pair.concrete.lower, self.forms
            there = known(pair.abstract.lower, forms)
            new = {
                word
                for word in self.words.intersection(tokens)
                if there.isdisjoint(forms(word))
            }
        if not new:
            return []
        units: list[Unit] = []
        start = end = -1
        for at, token in enumerate(tokens):
            if token not in new:
                continue
            if at != end or not self._joins(pair, at):
                if end > 0:
                    units.append(Unit(start, end, " ".join(tokens[start:end])))
                start = at
            end = at + 1
        units.append(Unit(start, end, " ".join(tokens[start:end])))
        return units[:MOST_UNITS]

    def _joins(self, pair: Pair, at: int) -> bool:
        """Whether a candidate belongs to the candidate before it."""
        if self.phrases == "words":
            return False
        concrete = pair.concrete
        if self.phrases == "npmi" and (concrete.lower[at - 1], concrete.lower[at]) not in self.links:
            return False
        return concrete.given or concrete.spaced(at)

    def clusters(self, pair: Pair, units: list[Unit]) -> list[list[Unit]]:
        """Units that are blanked together or not at all, since one would show another.

        With `visible`, only equal phrases belong together. Else all that have a word in common,
        and those with a word that stands elsewhere in the text are left out.
        """
        if self.visible:
            by_phrase: dict[str, list[Unit]] = {}
            for unit in units:
                by_phrase.setdefault(unit.phrase, []).append(unit)
            return list(by_phrase.values())
        shown = self._shown(pair, units)
        found: list[tuple[set[str], list[Unit]]] = []
        for unit in units:
            words = known(unit.phrase.split(" "), self.forms)
            members = [unit]
            apart = []
            for other in found:
                if words.isdisjoint(other[0]):
                    apart.append(other)
                else:
                    words |= other[0]
                    members = other[1] + members
            found = [*apart, (words, members)]
        kept = [members for words, members in found if shown.isdisjoint(words)]
        return sorted(kept)

    def _shown(self, pair: Pair, units: list[Unit]) -> set[str]:
        tokens = pair.concrete.tokens if self.surface else pair.concrete.lower
        at, shown = 0, list[str]()
        for unit in units:
            shown += tokens[at : unit.start]
            at = unit.end
        return known([*shown, *tokens[at:]], self.forms)


def phrases_of(units: list[Unit]) -> set[str]:
    """The different phrases among units."""
    return {unit.phrase for unit in units}
