"""Alignments by transducers: stored with results, and drawn (figure 2).

References: Bisk et al., Benchmarking Hierarchical Script Knowledge, NAACL 2019.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ....errors import InvalidOption, NotADataset, NotFound
from ....kb.lexicon import english
from ....storage import text
from ...plots import drawing
from ...result import ResultModel


class Alignment(ResultModel):
    """A pair, and the index of the abstract's word that each concrete word is aligned to."""

    split: str
    abstract: list[str]
    concrete: list[str]
    alignment: list[int]
    blanks: list[tuple[int, int]]


def spans(alignment: Sequence[int]) -> list[tuple[int, int, int]]:
    """Return start, end and aligned index of each run of words aligned to the same word."""
    edges = [0, *(j for j in range(1, len(alignment)) if alignment[j] != alignment[j - 1])]
    return [(start, end, alignment[start]) for start, end in pairwise([*edges, len(alignment)])]


def load_alignments(places: Sequence[Path], model: str, split: str | None) -> list[Alignment]:
    """Load the alignments of a model for one split; by default the split it was trained on."""
    paths = [
        path
        for place in places
        for path in (sorted(place.glob("*.alignments.jsonl")) if place.is_dir() else [place])
        if not place.is_dir() or path.name.endswith(f"-{model}.alignments.jsonl")
    ]
    if not paths:
        raise NotFound(
            f"no alignments by {model} in {', '.join(map(str, places))}; "
            f"gen eval DIR --model {model} writes them"
        )
    alignments = [alignment for path in paths for alignment in _read_alignments(path)]
    names = list(dict.fromkeys(alignment.split for alignment in alignments))
    wanted = split or names[0]
    if wanted not in names:
        raise NotFound(f"split: no alignments of {wanted!r}; choose from {', '.join(names)}")
    return [alignment for alignment in alignments if alignment.split == wanted]


def _read_alignments(path: Path) -> list[Alignment]:
    lines = text.numbered_lines(path, "gen eval writes alignments")
    try:
        return [Alignment.model_validate(text.parse_json(line)) for _, line in lines]
    except (ValidationError, ValueError):
        raise NotADataset(f"{path} holds no alignments of gen eval; rerun gen eval") from None


def draw_alignments(alignments: Sequence[Alignment], path: Path) -> None:
    """Draw figure 2: a panel for each text, its words below, the abstract's at the side."""
    width = max(len(alignment.concrete) for alignment in alignments)
    heights = [len(alignment.abstract) + 3 for alignment in alignments]
    size = (max(6, 0.34 * width + 2), 0.3 * sum(heights) + 0.5 * len(heights))
    layout = {"nrows": len(alignments), "figsize": size, "height_ratios": heights}
    with drawing(path, **layout) as (_, panels):
        for axes, alignment in zip(panels.flat, alignments, strict=True):
            _draw(axes, alignment)


def _draw(axes: Any, aligned: Alignment) -> None:
    blanked = {place for start, end in aligned.blanks for place in range(start, end)}
    for number, (start, end, place) in enumerate(spans(aligned.alignment)):
        colour = ("#4c78a8", "#9ecae9")[number % 2]
        axes.barh(place, end - start, left=start, height=0.9, color=colour)
    axes.set_xticks([place + 0.5 for place in range(len(aligned.concrete))], aligned.concrete)
    axes.tick_params(axis="x", rotation=70, labelsize=8, length=0)
    for place, label in enumerate(axes.get_xticklabels()):
        label.set_ha("right")
        label.set_rotation_mode("anchor")
        label.set_color("#b22222" if place in blanked else "black")
    axes.set_yticks(range(len(aligned.abstract)), aligned.abstract, fontsize=8)
    axes.set_xlim(0, len(aligned.concrete))
    axes.set_ylim(len(aligned.abstract) - 0.5, -0.5)
    axes.set_xticks(range(len(aligned.concrete)), minor=True)
    axes.grid(which="minor", axis="x", alpha=0.2)
    axes.tick_params(which="minor", length=0)


def select_alignments(alignments: Sequence[Alignment], rows: Sequence[int]) -> list[Alignment]:
    """Return these rows, counted from 0; raise InvalidOption if there is no such row."""
    for row in rows:
        if not 0 <= row < len(alignments):
            raise InvalidOption(f"rows: no row {row}; choose from 0 to {len(alignments) - 1}")
    return [alignments[row] for row in rows]


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
