"""An evaluation: models trained fold by fold and seed by seed, taken up where it was left."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
from pydantic import ValidationError

from ..dataset import Dataset
from ..dataset.manifest import is_dataset
from ..errors import InvalidOption
from ..options import complaints
from ..storage import files
from .model import Fitted, Job, Model
from .result import Result, Run, Setup, check_setup, file_name, load, pack, unpack, versions
from .task import Fold, Rows
from .training import Training

if TYPE_CHECKING:
    from numpy import ndarray

Bar = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]
"""Given what is done and how much of it there is: a progress bar that is told what is behind."""


@dataclass(frozen=True)
class Order:
    """What the user asked for, whatever the models."""

    path: Path
    """A dataset, or files of rows where the task reads such."""
    bar: Bar
    out: Path = Path("results")
    train: str = "train"
    test: str = "test"
    test_on: tuple[Path, ...] = ()
    seeds: int = 10
    device: str = "auto"
    limits: Mapping[str, Any] = field(default_factory=dict)
    """What of training is to be other than the task says."""
    predictions: bool = False
    """Whether every answer is kept, row by row."""


def evaluate(models: Sequence[Model], order: Order) -> list[Result]:
    """Evaluate models of one task; what the folder has is not run again."""
    from .device import find_device

    device = find_device(order.device)
    task = models[0].task()
    limits = {name: value for name, value in order.limits.items() if value is not None}
    try:
        training = Training.model_validate(task.training.model_dump() | limits).on(device.type)
    except ValidationError as error:
        raise InvalidOption(f"--{'; '.join(complaints(error, Training))}") from None
    train = task.read(order.path, order.train) if any(model.learns for model in models) else None
    tests = [task.read(path, order.test) for path in _tested(order)]
    for data in [part.data for part in (train, *tests) if part is not None and not len(part)]:
        raise InvalidOption(f"{data.label} has no rows; make some")
    job = Job(device=str(device), training=training)
    return [Evaluation(model, train, tests, job).run(order) for model in models]


def _tested(order: Order) -> list[Path]:
    """A dataset that lacks the split to test on is only trained on, where others are tested."""
    lacks = is_dataset(order.path) and order.test not in Dataset(order.path).manifest.splits
    return [*order.test_on] if lacks and order.test_on else [order.path, *order.test_on]


def run_one(
    model: Model,
    train: Rows[Any] | None,
    tests: Sequence[Rows[Any]],
    job: Job,
    out: Path | None = None,
) -> tuple[Setup, Run]:
    """One seed, for those who keep results themselves; in `out`, what is kept beside a result."""
    evaluation = Evaluation(model, train, list(tests), job)
    setup = evaluation.setup()
    said = _Said(False, out / f"{file_name(setup)}.json", evaluation) if out else None
    return setup, evaluation.seed(job, said)


class Evaluation:
    """A model, and rows to train and to test it on."""

    def __init__(
        self, model: Model, train: Rows[Any] | None, tests: list[Rows[Any]], job: Job
    ) -> None:
        self.model, self.task, self.job = model, model.task(), job
        self.train, self.tests = train if model.learns else None, tests
        self.folds = list(self._folds())
        if not self.folds:
            raise InvalidOption(
                f"{model.label} can answer no row of {', '.join(t.data.label for t in tests)}; "
                f"make others with {self.task.made_by}"
            )

    def _folds(self) -> Iterator[Fold[Any]]:
        """Those folds that the model can answer something of, without what it cannot."""
        suited = [set(self.model.suits(test)) for test in self.tests]
        for fold in self.task.folds(self.train, self.tests):
            places: list[Sequence[int]] = [
                [place for place in places if place in can]
                for places, can in zip(fold.places, suited, strict=True)
            ]
            if any(places):
                tests = [t.take(p) for t, p in zip(self.tests, places, strict=True)]
                yield replace(fold, tests=tests, places=places)

    def setup(self) -> Setup:
        """All that the result will depend on."""
        from .device import device_name

        return Setup(
            task=self.task.name,
            model=self.model.name,
            label=self.model.label,
            yardstick=self.model.yardstick,
            hyperparameters=self.model.model_dump(mode="json"),
            training=self.job.training,
            train=self.train.data.model_copy(update={"columns": {}}) if self.train else None,
            tests=[test.data for test in self.tests],
            files=self.model.digests(),
            device=device_name(self.job.device) if self.model.packages else "cpu",
            versions=versions(*self.model.packages),
        )

    def run(self, order: Order) -> Result:
        """Evaluate with the seeds 0, 1, ..., each fold kept as soon as it is there."""
        setup = self.setup()
        path = order.out / f"{file_name(setup)}.json"
        files.recover(path)
        runs: dict[int, Run] = {}
        if path.exists():
            (earlier,) = load([path])
            check_setup(path, earlier.setup, setup)
            runs = {run.seed: run for run in earlier.runs}
        seeds = range(order.seeds if self.model.random else 1)
        steps = len(seeds) * len(self.folds)
        said = _Said(order.predictions, path, self)
        epochs = self.job.training.epochs
        with order.bar(f"eval {self.model.label}", epochs * steps) as advance:

            def tell(done: int, share: float) -> None:
                advance(round(epochs * (done + share)))

            for done, (fold, seed) in enumerate(product(self.folds, seeds)):
                checkpoint = _checkpoint(path, setup, seed) if len(self.folds) == 1 else None
                if fold.key not in _keys(runs.get(seed)) or said.lacks(seed):
                    told = partial(tell, done)
                    job = replace(self.job, seed=seed, checkpoint=checkpoint, advance=told)
                    runs[seed] = self._fold(fold, job, runs.get(seed), said)
                    files.save(path, self.result(setup, runs, sorted(runs)).encoded())
                _forget(checkpoint)  # that of a run that was killed once it was saved, too
                if fold is self.folds[-1]:
                    said.save(seed)
                tell(done, 1)
        return self.result(setup, runs, seeds)

    def seed(self, job: Job, said: "_Said | None") -> Run:
        """All folds with one seed."""
        run = None
        for fold in self.folds:
            run = self._fold(fold, job, run, said)
        assert run
        return run

    def result(self, setup: Setup, runs: Mapping[int, Run], seeds: Sequence[int]) -> Result:
        """What there is of these seeds."""
        return Result(
            setup=setup,
            columns=list(self.task.columns),
            figures=dict(self.task.figures),
            runs=[runs[seed] for seed in seeds if seed in runs],
        )

    def _fold(self, fold: Fold[Any], job: Job, run: Run | None, said: "_Said | None") -> Run:
        """Learn from a fold, answer its tests, and add their numbers to the run."""
        fitted = self.model.fit(fold, job)
        tables = [self._table(run, test) for test in range(len(self.tests))]
        for test, (table, rows, places) in enumerate(
            zip(tables, fold.tests, fold.places, strict=True)
        ):
            if len(rows):
                answers = fitted.answers(rows)
                pairs = list(zip(rows.rows, answers, strict=True))
                table[list(places)] = [self.task.numbers(row, answer) for row, answer in pairs]
                if said:
                    said.add(job.seed, test, rows, answers)
        if said and not job.seed:
            said.keep_beside(fitted)
        learning = fitted.learning.model_copy(update={"fold": fold.key})
        others = [other for other in (run.folds if run else []) if other.fold != fold.key]
        return Run(seed=job.seed, folds=[*others, learning], tests=[pack(t) for t in tables])

    def _table(self, run: Run | None, test: int) -> "ndarray":
        """The numbers that there are of a test; none yet is not a number."""
        import numpy as np

        if run:
            return unpack(run.tests[test], len(self.task.columns)).copy()
        return np.full((len(self.tests[test]), len(self.task.columns)), np.nan)


class _Said:
    """Answers as they are kept in files, where that is asked for."""

    def __init__(self, wanted: bool, path: Path, evaluation: Evaluation) -> None:
        self.wanted, self.path, self.evaluation = wanted, path, evaluation
        self.lines: dict[int, list[dict[str, Any]]] = {}

    def _place(self, seed: int) -> Path:
        return self.path.with_name(f"{self.path.stem}.seed{seed}.predictions.jsonl")

    def lacks(self, seed: int) -> bool:
        """Whether answers of a seed are still wanted."""
        return self.wanted and not self._place(seed).exists()

    def add(self, seed: int, test: int, rows: Rows[Any], answers: Sequence[Any]) -> None:
        """Note the answers to some rows."""
        if self.wanted:
            task, data = self.evaluation.task, self.evaluation.tests[test].data
            self.lines.setdefault(seed, []).extend(
                {"id": name, "data": data.label, **task.said(row, answer)}
                for name, row, answer in zip(rows.ids, rows.rows, answers, strict=True)
            )

    def keep_beside(self, fitted: Fitted) -> None:
        """Write what a model wants to be kept beside its result."""
        for kind, records in fitted.beside.items():
            lines = (record.model_dump(mode="json") for record in records)
            _write_lines(self.path.with_name(f"{self.path.stem}.{kind}.jsonl"), lines)

    def save(self, seed: int) -> None:
        """Write all answers of a seed."""
        if seed in self.lines:
            _write_lines(self._place(seed), self.lines.pop(seed))


def _write_lines(path: Path, lines: Iterator[dict[str, Any]] | list[dict[str, Any]]) -> None:
    with files.replacing(path, force=True) as successor, successor.open("wb") as file:
        for line in lines:
            file.write(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))


def _keys(run: Run | None) -> set[str]:
    return {learning.fold for learning in run.folds} if run else set()


def _checkpoint(path: Path, setup: Setup, seed: int) -> Path:
    """A checkpoint of another setup must not be taken up, so the setup is in its name."""
    digest = hashlib.sha256(orjson.dumps(setup.model_dump(mode="json"))).hexdigest()
    checkpoint = path.parent / "checkpoints" / f"{setup.model}-{digest[:16]}-{seed}.pt"
    files.recover(checkpoint)
    return checkpoint


def _forget(checkpoint: Path | None) -> None:
    if checkpoint:
        checkpoint.unlink(missing_ok=True)
        if checkpoint.parent.is_dir() and not any(checkpoint.parent.iterdir()):
            checkpoint.parent.rmdir()
