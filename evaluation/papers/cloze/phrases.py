"""Phrases that are aligned more often than by chance, in both directions (table 3).

References: Bisk et al., Benchmarking Hierarchical Script Knowledge, NAACL 2019.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ....kb.lexicon import english
from .alignments import Alignment, spans


@dataclass(frozen=True)
class AlignedPhrase:
    """A phrase aligned to a given word: its count and pointwise mutual information."""

    phrase: str
    count: int
    pmi: float


class PhraseTable:
    """Counts of aligned words and phrases, in the texts that a transducer was trained on."""

    def __init__(self, alignments: Sequence[Alignment], *, longest: int = 3) -> None:
        self.longest = longest
        self.blanked = {
            word for text in alignments for a, b in text.blanks for word in text.concrete[a:b]
        }
        self.pairs = Counter(pair for text in alignments for pair in self._pairs(text))
        self.abstract = self._margin(0)
        self.concrete = self._margin(1)
        self.total = self.pairs.total()

    def _pairs(self, aligned: Alignment) -> Iterator[tuple[str, str]]:
        """Yield phrases that begin and end with a blanked word, with their aligned word."""
        for start, end, place in spans(aligned.alignment):
            words = aligned.concrete[start:end]
            for first in range(len(words)):
                for size in range(1, min(self.longest, len(words) - first) + 1):
                    phrase = words[first : first + size]
                    ends = {phrase[0], phrase[-1]}
                    if ends <= self.blanked and all(word.isalpha() for word in phrase):
                        yield aligned.abstract[place], " ".join(phrase)

    def _margin(self, side: int) -> Counter[str]:
        counts: Counter[str] = Counter()
        for pair, count in self.pairs.items():
            counts[pair[side]] += count
        return counts

    def of_abstract(self, word: str, least: int) -> list[AlignedPhrase]:
        """Return the phrases aligned to a word of abstracts, best first."""
        counts = {phrase: n for (left, phrase), n in self.pairs.items() if left == word}
        return self._sorted(counts, self.concrete, self.abstract[word], least)

    def of_concrete(self, term: str, least: int) -> list[AlignedPhrase]:
        """Return the words of abstracts aligned to phrases that contain a term, best first."""
        counts: Counter[str] = Counter()
        for (left, phrase), n in self.pairs.items():
            if f" {term} " in f" {phrase} " and left not in english.words("stop"):
                counts[left] += n * left.isalpha()
        total = sum(n for phrase, n in self.concrete.items() if f" {term} " in f" {phrase} ")
        return self._sorted(counts, self.abstract, total, least)

    def _sorted(
        self, counts: dict[str, int], margin: Counter[str], total: int, least: int
    ) -> list[AlignedPhrase]:
        """Sort by PMI; `margin` and `total` count the phrases and their counterpart."""
        pairs = [
            AlignedPhrase(phrase, n, math.log2(n * self.total / (margin[phrase] * total)))
            for phrase, n in counts.items()
            if n >= least
        ]
        return sorted(pairs, key=lambda pair: (-pair.pmi, -pair.count, pair.phrase))

    def common(self, side: Counter[str], count: int) -> list[str]:
        """Return the most frequently aligned words, without stop words."""
        plain = english.words("stop")
        words = [word for word, _ in side.most_common() if word.isalpha() and word not in plain]
        return words[:count]
