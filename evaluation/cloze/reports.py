"""Table 4 with the paper's figures, phrase pairs by PMI (table 3), and alignments drawn (figure 2).

References: Bisk et al., Benchmarking Hierarchical Script Knowledge, NAACL 2019.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
from pydantic import ValidationError

from ...errors import InvalidOption, NotADataset, NotFound
from ...kb import english
from ..plots import load_pyplot, save_plot
from ..table import Figure, Line, Table
from .metrics import spans
from .results import VOCABULARIES, Alignment, Result

_COLUMNS = {
    "match": "match",
    "top5": "top-5",
    "greedy_match": "greedy match",
    "greedy_top5": "greedy top-5",
    "surprisal": "surprisal",
    "transition": "transition",
}
_PAPER: dict[str, list[float | None]] = {
    "lstm-lm": [21.59, 52.32, 21.72, 43.33, 3.970, None, None],
    "seq2seq": [23.57, 53.38, 23.44, 45.76, 3.755, None, None],
    "seq2seq-attention": [24.52, 53.98, 24.57, 47.34, 3.780, None, None],
    "transducer": [24.72, 55.09, 24.91, 47.80, 4.780, None, 6.18],
    "transducer-param": [23.81, 53.98, 24.00, 46.19, 3.547, None, 16.61],
    "causal-lm": [23.19, 42.43, 15.55, 32.86, 4.781, None, None],
    "causal-lm-tuned": [38.01, 63.69, 31.05, 57.05, 3.151, None, None],
}
"""Table 4 and section 4.2."""
NOTE = (
    "match and top-5 in percent, surprisal and transition in nats a word; from, to: 95 % interval "
    "of match by bootstrap over rows (seed 0); paper: table 4, on KidsCook with GloVe vectors, "
    "GPT for causal-lm; its surprisal of transducers has transitions in it"
)


def cloze(results: Sequence[Result]) -> list[Table]:
    """Table 4: for each test and vocabulary, a line for each model."""
    tables = []
    every = [(result, test) for result in results for test in range(len(result.setup.tests))]
    for name in dict.fromkeys(_test(*pair) for pair in every):
        tested = [pair for pair in every if _test(*pair) == name]
        tested.sort(key=lambda pair: (pair[0].setup.yardstick, _rank(pair[0].setup.model)))
        for vocabulary in VOCABULARIES:
            lines = [_line(result, test, vocabulary) for result, test in tested]
            title = f"{name}, {_TITLES[vocabulary]}"
            columns = list(_COLUMNS.values())
            columns = [columns[0], "from", "to", *columns[1:], "span"]
            tables.append(Table(title, columns, lines, NOTE if vocabulary == "restricted" else ""))
    return tables


_TITLES = {
    "restricted": "answers among words blanked in training",
    "full": "answers among all words",
}


def _test(result: Result, test: int) -> str:
    data = result.setup.tests[test]
    return f"trained on {result.setup.train.dataset}, tested on {data.dataset} ({data.split})"


def _rank(model: str) -> tuple[int, str]:
    names = list(_PAPER)
    return (names.index(model) if model in names else len(names), model)


def _line(result: Result, test: int, vocabulary: str) -> Line:
    first, *others = (result.figure(name, vocabulary, test) for name in _COLUMNS)
    low, high = result.runs[0].tests[test].intervals[vocabulary]["match"]
    span = result.span(test)
    cells: list[Figure | None] = [first, (low, 0.0), (high, 0.0), *others, span]
    if span is None:
        cells[-2] = None
    paper = _PAPER.get(result.setup.model, [None] * 7) if vocabulary == "restricted" else [None] * 7
    beside: list[Figure | None] = [None if value is None else (value, 0.0) for value in paper]
    return Line(
        result.setup.model,
        result.setup.yardstick,
        cells,
        [beside[0], None, None, *beside[1:]],
    )


@dataclass(frozen=True)
class Found:
    """A phrase and a word that are aligned: how often, and how much more often than by chance."""

    phrase: str
    count: int
    pmi: float


class Phrases:
    """What is aligned with what, in the texts that a transducer was trained on."""

    def __init__(self, alignments: Sequence[Alignment], *, longest: int = 3) -> None:
        self.longest = longest
        self.listed = {
            word for text in alignments for a, b in text.blanks for word in text.concrete[a:b]
        }
        self.pairs = Counter(pair for text in alignments for pair in self._pairs(text))
        self.abstract = self._margin(0)
        self.concrete = self._margin(1)
        self.total = self.pairs.total()

    def _pairs(self, aligned: Alignment) -> Iterator[tuple[str, str]]:
        """Each phrase that begins and ends with a listed word, with what its span is aligned to."""
        for start, end, place in spans(aligned.alignment):
            words = aligned.concrete[start:end]
            for first in range(len(words)):
                for size in range(1, min(self.longest, len(words) - first) + 1):
                    phrase = words[first : first + size]
                    ends = {phrase[0], phrase[-1]}
                    if ends <= self.listed and all(word.isalpha() for word in phrase):
                        yield aligned.abstract[place], " ".join(phrase)

    def _margin(self, side: int) -> Counter[str]:
        counts: Counter[str] = Counter()
        for pair, count in self.pairs.items():
            counts[pair[side]] += count
        return counts

    def of_abstract(self, word: str, least: int) -> list[Found]:
        """The phrases that this word of abstracts is aligned to, best first."""
        counts = {phrase: n for (left, phrase), n in self.pairs.items() if left == word}
        return self._sorted(counts, self.concrete, self.abstract[word], least)

    def of_concrete(self, term: str, least: int) -> list[Found]:
        """The words of abstracts that phrases with this term in them are aligned to, best first."""
        counts: Counter[str] = Counter()
        for (left, phrase), n in self.pairs.items():
            if f" {term} " in f" {phrase} " and left not in english.words("stop"):
                counts[left] += n * left.isalpha()
        total = sum(n for phrase, n in self.concrete.items() if f" {term} " in f" {phrase} ")
        return self._sorted(counts, self.abstract, total, least)

    def _sorted(
        self, counts: dict[str, int], margin: Counter[str], total: int, least: int
    ) -> list[Found]:
        """`margin` and `total` say how often each phrase, and what it goes with, is aligned."""
        pairs = [
            Found(phrase, n, math.log2(n * self.total / (margin[phrase] * total)))
            for phrase, n in counts.items()
            if n >= least
        ]
        return sorted(pairs, key=lambda pair: (-pair.pmi, -pair.count, pair.phrase))

    def common(self, side: Counter[str], count: int) -> list[str]:
        """The words that most is aligned with; none that carries no meaning."""
        plain = english.words("stop")
        words = [word for word, _ in side.most_common() if word.isalpha() and word not in plain]
        return words[:count]


def load_alignments(places: Sequence[Path], model: str, split: str | None) -> list[Alignment]:
    """The alignments by that model, of one split of one dataset or of the one trained on."""
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
        raise NotFound(f"--split: no alignments of {wanted!r}; there are {', '.join(names)}")
    return [alignment for alignment in alignments if alignment.split == wanted]


def _read_alignments(path: Path) -> list[Alignment]:
    try:
        lines = path.read_bytes().splitlines()
        return [Alignment.model_validate(orjson.loads(line)) for line in lines]
    except OSError as error:
        raise NotFound(f"{path}: {error.strerror}; gen eval writes alignments") from None
    except (ValidationError, ValueError):
        raise NotADataset(f"{path} holds no alignments of gen eval; make it again") from None


def draw_alignments(alignments: Sequence[Alignment], path: Path) -> None:
    """Figure 2: a panel for each text, its words below, the abstract's at the side."""
    pyplot = load_pyplot()
    width = max(len(alignment.concrete) for alignment in alignments)
    heights = [len(alignment.abstract) + 3 for alignment in alignments]
    figure, panels = pyplot.subplots(
        len(alignments),
        1,
        figsize=(max(6, 0.34 * width + 2), 0.3 * sum(heights) + 0.5 * len(heights)),
        squeeze=False,
        gridspec_kw={"height_ratios": heights},
    )
    for axes, alignment in zip(panels[:, 0], alignments, strict=True):
        _draw(axes, alignment)
    save_plot(pyplot, figure, path)


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
    axes.spines[["top", "right"]].set_visible(False)


def chosen(alignments: Sequence[Alignment], rows: Sequence[int]) -> list[Alignment]:
    """These rows, counted from 0."""
    for row in rows:
        if not 0 <= row < len(alignments):
            raise InvalidOption(f"--rows: there is no row {row}, but 0 to {len(alignments) - 1}")
    return [alignments[row] for row in rows]
