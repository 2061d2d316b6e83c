"""Base classes of analogy models and baselines, and shared functions."""

from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from torch import Tensor
from typing_extensions import override

from ...model import FittedModel, Model, RunContext
from ...task import Fold
from .task import AnalogyRow, AnalogyTask, WordQuad

T = TypeVar("T")


class AnalogyModel(Model):
    """A model that judges analogies or chooses the best of several."""

    task: ClassVar[type[AnalogyTask]] = AnalogyTask

    @property
    @override
    def label(self) -> str:
        details = "; ".join(self.details())
        return f"{self.name} ({details})" if details else self.name

    def details(self) -> list[str]:
        """Return what distinguishes it from others of its name."""
        return [Path(getattr(self, option)).name for option in self.reads]


class AnalogyBaseline(AnalogyModel):
    """A baseline without a training loop."""

    baseline: ClassVar = True
    random: ClassVar = False
    packages: ClassVar = ()

    @abstractmethod
    def predict(self, train: Sequence[AnalogyRow], test: Sequence[AnalogyRow]) -> list[int]:
        """Return the targets of test rows of one setting and probe."""

    @override
    def fit(self, fold: Fold[Any], job: RunContext) -> FittedModel:
        train = by_probe(fold.train.rows if fold.train else [])
        return FittedModel(
            lambda rows: answer_by_probe(
                rows.rows, lambda probe, some: self.predict(train.get(probe, []), some)
            )
        )


def by_probe(rows: Iterable[AnalogyRow]) -> dict[tuple[str, str], list[AnalogyRow]]:
    """Group rows by setting and probe."""
    probes: dict[tuple[str, str], list[AnalogyRow]] = {}
    for row in rows:
        probes.setdefault((row.labels.setting, row.labels.probe), []).append(row)
    return probes


def answer_by_probe(
    rows: Sequence[AnalogyRow], judge: Callable[[tuple[str, str], Sequence[AnalogyRow]], list[int]]
) -> list[int]:
    """Answer all rows with a function that answers those of one setting and probe."""
    answers = {probe: iter(judge(probe, some)) for probe, some in by_probe(rows).items()}
    return [next(answers[row.labels.setting, row.labels.probe]) for row in rows]


def number_quads(rows: Iterable[AnalogyRow]) -> dict[WordQuad, int]:
    """Return every distinct quad of the rows, with an index."""
    quads = dict.fromkeys(quad for row in rows for quad in row.quads)
    return {quad: number for number, quad in enumerate(quads)}


def best_candidates(
    rows: Sequence[AnalogyRow], numbers: dict[WordQuad, int], scores: Tensor
) -> list[int]:
    """Return for each row the index of the candidate with the highest score."""
    values = scores.tolist()
    scored = [[values[numbers[quad]] for quad in row.quads] for row in rows]
    return [some.index(max(some)) for some in scored]


def keep_latest(job: RunContext, what: str, name: Hashable, make: Callable[[], T]) -> T:
    """Make a value once per name; only the latest is kept, since all together may not fit."""
    held: dict[Hashable, T] = job.once(what, dict)
    if name not in held:
        held.clear()
        held[name] = make()
    return held[name]
