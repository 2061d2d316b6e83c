"""Evaluation runs: train and test models by fold and seed; resume interrupted runs."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy import ndarray
from pydantic import ValidationError

from ..dataset import Dataset
from ..dataset.manifest import is_dataset
from ..errors import InvalidOption
from ..options import validation_messages
from ..storage import files
from .model import Model, RunContext
from .result import (
    Result,
    RowLabels,
    Run,
    Setup,
    check_setup,
    encoded,
    file_name,
    load,
    pack_columns,
    versions,
)
from .task import Fold, TaskRows
from .training import Training

Bar = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]
"""Makes a progress bar from a title and a total; the bar is called with the amount done."""


def _ignore(warning: str) -> None:
    del warning


@dataclass(frozen=True)
class EvalConfig:
    """Settings of an evaluation that do not depend on the model."""

    path: Path
    """A dataset, or files of rows if the task reads them."""
    bar: Bar
    out: Path = Path("results")
    train: str = "train"
    test: str = "test"
    test_on: tuple[Path, ...] = ()
    seeds: int = 10
    device: str = "auto"
    limits: Mapping[str, Any] = field(default_factory=dict)
    """Training options that override the task's defaults."""
    predictions: bool = False
    """Whether to write the answer to every row."""
    warn: Callable[[str], None] = _ignore
    """Called with a sentence about each run that ended at its cap, or learnt nothing."""


def evaluate(models: Sequence[Model], config: EvalConfig) -> list[Result]:
    """Evaluate models of one task; runs found in the output folder are not repeated."""
    from .device import find_device

    device = find_device(config.device)
    task = models[0].task()
    limits = {name: value for name, value in config.limits.items() if value is not None}
    try:
        training = Training.model_validate(task.training.model_dump() | limits).on(device.type)
    except ValidationError as error:
        raise InvalidOption(f"--{'; '.join(validation_messages(error, Training))}") from None
    train = task.read(config.path, config.train) if any(model.learns for model in models) else None
    tests = [task.read(path, config.test) for path in _tested(config)]
    for data in [part.data for part in (train, *tests) if part is not None and not len(part)]:
        raise InvalidOption(f"{data.label} has no rows")
    job = RunContext(device=str(device), training=training)
    return [Evaluation(model, train, tests, job).run(config) for model in models]


def _tested(config: EvalConfig) -> list[Path]:
    """Return the datasets to test on; the training data only if it has the test split."""
    lacks = is_dataset(config.path) and config.test not in Dataset(config.path).manifest.splits
    return [*config.test_on] if lacks and config.test_on else [config.path, *config.test_on]


def run_one(
    model: Model,
    train: TaskRows[Any] | None,
    tests: Sequence[TaskRows[Any]],
    job: RunContext,
) -> tuple[Setup, Run]:
    """Run one seed for callers that store results themselves."""
    evaluation = Evaluation(model, train, list(tests), job)
    return evaluation.setup(), evaluation.seed(job)


class Evaluation:
    """A model with its training and test rows."""

    def __init__(
        self, model: Model, train: TaskRows[Any] | None, tests: list[TaskRows[Any]], job: RunContext
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
        """Yield the folds, restricted to rows that the model can answer; skip empty ones."""
        suited = [set(self.model.answerable_rows(test)) for test in self.tests]
        for fold in self.task.folds(self.train, self.tests):
            places: list[Sequence[int]] = [
                [place for place in places if place in can]
                for places, can in zip(fold.places, suited, strict=True)
            ]
            if any(places):
                tests = [t.take(p) for t, p in zip(self.tests, places, strict=True)]
                yield replace(fold, tests=tests, places=places)

    def setup(self) -> Setup:
        """Return everything on which the result depends."""
        from .device import device_name

        return Setup(
            task=self.task.name,
            model=self.model.name,
            label=self.model.label,
            baseline=self.model.baseline,
            hyperparameters=self.model.model_dump(mode="json"),
            training=self.job.training,
            train=self.train.data.model_copy(update={"labels": RowLabels()})
            if self.train
            else None,
            tests=[test.data for test in self.tests],
            files=self.model.digests(),
            device=device_name(self.job.device) if self.model.packages else "cpu",
            versions=versions(*self.model.packages),
        )

    def run(self, config: EvalConfig) -> Result:
        """Evaluate with seeds 0, 1, ... and save the result after each fold."""
        setup = self.setup()
        path = config.out / f"{file_name(setup)}.json"
        files.recover(path)
        runs: dict[int, Run] = {}
        for earlier in load([path]) if path.exists() else []:
            check_setup(path, earlier.setup, setup)
            runs = {run.seed: run for run in earlier.runs}
        seeds = range(config.seeds if self.model.random else 1)
        steps = len(seeds) * len(self.folds)
        predictions: dict[int, list[dict[str, Any]]] = {}
        epochs = self.job.training.epochs
        with config.bar(f"eval {self.model.label}", epochs * steps) as advance:

            def tell(done: int, share: float) -> None:
                advance(round(epochs * (done + share)))

            for done, (fold, seed) in enumerate(product(self.folds, seeds)):
                checkpoint = _checkpoint(path, setup, seed) if len(self.folds) == 1 else None
                place = path.with_name(f"{path.stem}.seed{seed}.predictions.jsonl")
                lacks = config.predictions and not place.exists()
                if fold.key not in _keys(runs.get(seed)) or lacks:
                    told = partial(tell, done)
                    job = replace(self.job, seed=seed, checkpoint=checkpoint, advance=told)
                    kept = predictions.setdefault(seed, []) if config.predictions else None
                    runs[seed] = self._fold(fold, job, runs.get(seed), kept)
                    for warning in runs[seed].folds[-1].warnings(self.job.training.patience):
                        if not self.model.baseline:
                            config.warn(f"{self.model.label}, seed {seed}: {warning}")
                    files.save(path, encoded([self.result(setup, runs, sorted(runs))]))
                _forget(checkpoint)  # that of a run that was killed once it was saved, too
                if fold is self.folds[-1] and seed in predictions:
                    _write_lines(place, predictions.pop(seed))
                tell(done, 1)
        return self.result(setup, runs, seeds)

    def seed(self, job: RunContext) -> Run:
        """Run all folds with one seed."""
        run = None
        for fold in self.folds:
            run = self._fold(fold, job, run)
        assert run
        return run

    def result(self, setup: Setup, runs: Mapping[int, Run], seeds: Sequence[int]) -> Result:
        """Return the result of these seeds, as far as they have been run."""
        return Result(
            setup=setup,
            columns=list(self.task.columns),
            figures=dict(self.task.figures),
            runs=[runs[seed] for seed in seeds if seed in runs],
        )

    def _fold(
        self,
        fold: Fold[Any],
        job: RunContext,
        run: Run | None,
        predictions: list[dict[str, Any]] | None = None,
    ) -> Run:
        """Train on a fold, answer its test rows, and add their numbers to the run."""
        fitted = self.model.fit(fold, job)
        tables = [self._table(run, test) for test in range(len(self.tests))]
        for test, (table, rows, places) in enumerate(
            zip(tables, fold.tests, fold.places, strict=True)
        ):
            if len(rows):
                answers = fitted.answers(rows)
                pairs = list(zip(rows.rows, answers, strict=True))
                table[list(places)] = [self.task.numbers(row, answer) for row, answer in pairs]
                if predictions is not None:
                    label = self.tests[test].data.label
                    predictions += [
                        {"id": name, "data": label, **self.task.prediction_record(row, answer)}
                        for name, (row, answer) in zip(rows.ids, pairs, strict=True)
                    ]
        learning = fitted.learning.model_copy(update={"fold": fold.key})
        others = [other for other in (run.folds if run else []) if other.fold != fold.key]
        packed = [
            pack_columns(table, test.data.labels)
            for table, test in zip(tables, self.tests, strict=True)
        ]
        return Run(seed=job.seed, folds=[*others, learning], tests=packed)

    def _table(self, run: Run | None, test: int) -> ndarray:
        """Return the numbers of a test so far, with NaN for unanswered rows."""
        if run:
            return run.numbers(test, self.tests[test].data.labels)
        return np.full((len(self.tests[test]), len(self.task.columns)), np.nan)


def _write_lines(path: Path, lines: Sequence[dict[str, Any]]) -> None:
    with files.replacing(path, force=True) as successor, successor.open("wb") as file:
        for line in lines:
            file.write(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))


def _keys(run: Run | None) -> set[str]:
    return {learning.fold for learning in run.folds} if run else set()


def _checkpoint(path: Path, setup: Setup, seed: int) -> Path:
    """Return the checkpoint path; it contains a digest of the setup."""
    digest = hashlib.sha256(orjson.dumps(setup.model_dump(mode="json"))).hexdigest()
    checkpoint = path.parent / "checkpoints" / f"{setup.model}-{digest[:16]}-{seed}.pt"
    files.recover(checkpoint)
    return checkpoint


def _forget(checkpoint: Path | None) -> None:
    if checkpoint:
        checkpoint.unlink(missing_ok=True)
        if checkpoint.parent.is_dir() and not any(checkpoint.parent.iterdir()):
            checkpoint.parent.rmdir()
