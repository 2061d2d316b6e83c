"""Models of analogies: scores of sentences, guessers, and what all of them need."""

from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

import torch
from torch import Tensor
from typing_extensions import override

from ...model import FittedModel, Model, RunContext
from ...task import Fold, TaskRows
from .task import Analogies, Analogy, Quad

T = TypeVar("T")


class AnalogyModel(Model):
    """A model that says whether, or which, two words are related as two others are."""

    task: ClassVar[type[Analogies]] = Analogies

    @property
    @override
    def label(self) -> str:
        details = "; ".join(self.details())
        return f"{self.name} ({details})" if details else self.name

    def details(self) -> list[str]:
        """What tells it from others of its name."""
        return [Path(getattr(self, option)).name for option in self.reads]


class Scorer(Protocol):
    """A language model that is loaded."""

    def score(self, quads: Sequence[Quad]) -> Tensor:
        """How good the sentence of each quad is; more is better."""


class Scoring(AnalogyModel):
    """A language model that chooses the sentence it finds best, without training."""

    learns: ClassVar = False
    random: ClassVar = False
    packages: ClassVar = ("torch", "transformers")

    @abstractmethod
    def load(self, device: torch.device) -> Scorer:
        """Load it; it is asked once for all quads of a relation."""

    @override
    def answerable_rows(self, rows: TaskRows[Any]) -> Sequence[int]:
        """Only the better of several."""
        return [place for place, row in enumerate(rows.rows) if not row.supervised]

    @override
    def fit(self, fold: Fold[Any], job: RunContext) -> FittedModel:
        scorer = latest(job, "scorer", self, lambda: self.load(torch.device(job.device)))

        def answers(rows: TaskRows[Any]) -> list[int]:
            numbers = distinct(rows.rows)
            return best(rows.rows, numbers, scorer.score(list(numbers)))

        return FittedModel(answers)


class Guesser(AnalogyModel):
    """A model that needs no training loop."""

    random: ClassVar = False
    packages: ClassVar = ()

    @abstractmethod
    def guess(self, train: Sequence[Analogy], test: Sequence[Analogy]) -> list[int]:
        """Give the targets of a test of one setting and probe."""

    @override
    def fit(self, fold: Fold[Any], job: RunContext) -> FittedModel:
        lessons = by_probe(fold.train.rows if fold.train else [])

        def judge(probe: tuple[str, str], rows: Sequence[Analogy]) -> list[int]:
            return self.guess(lessons.get(probe, []), rows)

        return FittedModel(lambda rows: answered(rows.rows, judge))


def by_probe(rows: Iterable[Analogy]) -> dict[tuple[str, str], list[Analogy]]:
    """The rows of each setting and probe."""
    probes: dict[tuple[str, str], list[Analogy]] = {}
    for row in rows:
        probes.setdefault((row.kind.setting, row.kind.probe), []).append(row)
    return probes


def answered(
    rows: Sequence[Analogy], judge: Callable[[tuple[str, str], Sequence[Analogy]], list[int]]
) -> list[int]:
    """Answers to all rows, by what answers those of one setting and probe."""
    answers = {probe: iter(judge(probe, some)) for probe, some in by_probe(rows).items()}
    return [next(answers[row.kind.setting, row.kind.probe]) for row in rows]


def distinct(rows: Iterable[Analogy]) -> dict[Quad, int]:
    """Every quad of the rows once, with its number."""
    quads = dict.fromkeys(quad for row in rows for quad in row.quads)
    return {quad: number for number, quad in enumerate(quads)}


def best(rows: Sequence[Analogy], numbers: dict[Quad, int], scores: Tensor) -> list[int]:
    """For each row, the place of the offer with the highest score."""
    values = scores.tolist()
    offered = [[values[numbers[quad]] for quad in row.quads] for row in rows]
    return [some.index(max(some)) for some in offered]


def latest(job: RunContext, what: str, name: Hashable, make: Callable[[], T]) -> T:
    """Made once for a name; only the last is kept, since all together may not fit."""
    held: dict[Hashable, T] = job.once(what, dict)
    if name not in held:
        held.clear()
        held[name] = make()
    return held[name]
