"""The task of filling the blanks of a concrete text, given its abstract; and the paper's table.

A blank shows its number of words. With `oracle`, earlier blanks are filled with the gold words;
with `greedy`, with the model's own. Answers are among the words that are blanked in training; other
gold words count as misses and have no surprisal.

References: section 4 of Bisk et al., Benchmarking Hierarchical Script Knowledge, NAACL 2019.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from typing_extensions import override

from ....errors import NotADataset
from ....example import Example
from ....flat_metadata import Scalar
from ...report import Table, figure, line, ordered, paper, tests_of, with_notes
from ...result import Ratio, Result
from ...task import Task
from ...training import Training

_TOKEN = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*|\S")
TOP = 5
ABSTRACT_BLIND = ("lstm-lm", "trigram")
"""Models that read the concrete text but not the abstract."""


@dataclass(frozen=True)
class ClozeRow:
    """A row: lower-case tokens, and start and end token of each blank."""

    abstract: list[str]
    concrete: list[str]
    blanks: list[tuple[int, int]]


class Guess(NamedTuple):
    """The prediction for a blanked word."""

    word: str
    rank: int | None
    """Number of words more likely than the gold word; None if that may not be an answer."""
    nats: float


@dataclass(frozen=True)
class FilledBlanks:
    """The predictions for the blanked words of a row, up to where the text is cut."""

    sizes: list[int]
    """Words per blank."""
    oracle: list[Guess]
    """A guess for each word."""
    greedy: list[Guess]
    costs: list[float] | None = None
    """Nats of the alignment of each word; None if the model does not align."""
    spans: list[int] | None = None
    """Lengths of the runs of words aligned to one word of the abstract."""

    def blanks(self, guesses: list[Guess]) -> list[list[str]]:
        """Group the predicted words by blank."""
        ends = [sum(self.sizes[: n + 1]) for n in range(len(self.sizes))]
        words = [guess.word for guess in guesses]
        return [words[end - size : end] for end, size in zip(ends, self.sizes, strict=True)]


class ClozeTask(Task[ClozeRow, FilledBlanks]):
    """Fill in the missing words."""

    name: ClassVar = "cloze"
    made_by: ClassVar = "gen cloze"
    row_name: ClassVar = "a cloze test with an abstract, a concrete text and blanks"
    training: ClassVar = Training(epochs=50, patience=5, batch=32, clip=5.0)
    columns: ClassVar = (
        *("blanks", "tokens", "cost", "aligned", "spans", "restricted_matches", "restricted_top5"),
        *("restricted_greedy_matches", "restricted_greedy_top5"),
        *("restricted_nats", "restricted_known"),
    )
    figures: ClassVar = {
        "restricted_match": Ratio(top="restricted_matches", bottom="blanks", scale=100),
        "restricted_top5": Ratio(top="restricted_top5", bottom="tokens", scale=100),
        "restricted_greedy_match": Ratio(
            top="restricted_greedy_matches", bottom="blanks", scale=100
        ),
        "restricted_greedy_top5": Ratio(top="restricted_greedy_top5", bottom="tokens", scale=100),
        "restricted_surprisal": Ratio(top="restricted_nats", bottom="restricted_known"),
        "transition": Ratio(top="cost", bottom="tokens"),
        "span": Ratio(top="aligned", bottom="spans"),
    }

    @override
    def parse(self, example: Example, number: int) -> ClozeRow:
        metadata = example.metadata
        given = metadata["tokens"] == "given"
        abstract, concrete = (_tokens(metadata[name], given) for name in ("abstract", "concrete"))
        blanks = [(int(start), int(end)) for start, end in metadata["blanks"]]
        texts = [" ".join(_tokens(text, given)) for text in metadata["answers"]]
        if not (abstract and concrete) or texts != [" ".join(concrete[a:b]) for a, b in blanks]:
            raise NotADataset("has blanks that do not match its answers")
        return ClozeRow(abstract, concrete, sorted(blanks))

    @override
    def labels(self, example: Example, row: ClozeRow) -> dict[str, Scalar]:
        return {"blanks": len(row.blanks)}

    @override
    def numbers(self, row: ClozeRow, answer: FilledBlanks) -> Sequence[float]:
        starts = [start for start, _ in row.blanks]
        right = [
            row.concrete[start : start + size]
            for start, size in zip(starts, answer.sizes, strict=False)
        ]
        cost = math.nan if answer.costs is None else sum(answer.costs)
        aligned = math.nan if answer.spans is None else sum(answer.spans)
        spans = len(answer.spans or ())
        shared = (len(answer.sizes), sum(answer.sizes), cost, aligned, spans)
        return [*shared, *_sums(answer, right)]

    @override
    def prediction_record(self, row: ClozeRow, answer: FilledBlanks) -> dict[str, Any]:
        oracle, greedy = (
            [" ".join(words) for words in answer.blanks(by)]
            for by in (answer.oracle, answer.greedy)
        )
        return {"answer": " | ".join(greedy), "oracle": oracle, "greedy": greedy}

    @override
    def tables(self, results: Sequence[Result]) -> list[Table]:
        return table_4(results)


def _sums(answer: FilledBlanks, right: list[list[str]]) -> list[float]:
    """Return the last columns."""
    oracle, greedy = answer.oracle, answer.greedy
    matches, greedy_matches = (
        sum(given == words for given, words in zip(answer.blanks(by), right, strict=True))
        for by in (oracle, greedy)
    )
    top, greedy_top = (
        sum(guess.rank is not None and guess.rank < TOP for guess in by) for by in (oracle, greedy)
    )
    known = [guess.nats for guess in oracle if guess.rank is not None]
    # Models compute in single precision; more digits would double the size of results.
    nats = float(np.float32(sum(known)))
    return [matches, top, greedy_matches, greedy_top, nats, len(known)]


def _tokens(text: str, given: bool) -> list[str]:
    return text.lower().split(" ") if given else _TOKEN.findall(text.lower())


_HEADS = {
    "match": "match",
    "top5": "top-5",
    "greedy_match": "greedy match",
    "greedy_top5": "greedy top-5",
    "surprisal": "surprisal",
    "transition": "transition",
    "span": "span",
}


def table_4(results: Sequence[Result]) -> list[Table]:
    """Table 4: for each test, a line for each model."""
    theirs = paper("cloze")["table_4"]
    tables = []
    for (train_network, tested), pairs in tests_of(ordered(results, list(theirs))).items():
        lines = []
        for result, test in pairs:
            beside = theirs.get(result.setup.model, {})
            names = (f"restricted_{name}" for name in _HEADS)
            cells = [
                figure(result, name if name in result.figures else head, test)
                for name, head in zip(names, _HEADS, strict=True)
            ]
            lines.append(line(result, cells, [beside.get(name) for name in _HEADS]))
        answers = "answers among words blanked in training"
        title = f"trained on {train_network}, tested on {tested}, {answers}"
        tables.append(Table(title, list(_HEADS.values()), lines))
    return with_notes(tables, results, paper("cloze")["note"], _abstract_blind_note(results))


def _abstract_blind_note(results: Sequence[Result]) -> str:
    """Return a note with the matches of models that do not see the abstract."""
    blind = [
        f"{estimate.mean:.2f} on {data.label} ({result.setup.label})"
        for result in ordered(results, ABSTRACT_BLIND)
        if result.setup.model in ABSTRACT_BLIND
        for test, data in enumerate(result.setup.tests)
        if (estimate := figure(result, "restricted_match", test))
    ]
    if not blind:
        return f"matches without the abstract are unknown: evaluate {' or '.join(ABSTRACT_BLIND)}"
    return f"matches without the abstract: {', '.join(blind)}"
