"""Evaluations of a small task and model: stored results, and repeated runs."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
from typing_extensions import override

from relsmith.errors import InvalidOption
from relsmith.evaluation.model import FittedModel, Model, RunContext
from relsmith.evaluation.report import training_notes
from relsmith.evaluation.result import DataInfo, Result, RowLabels, TrainingSummary, encoded, load
from relsmith.evaluation.runner import EvalConfig, Evaluation, evaluate, run_one
from relsmith.evaluation.task import Fold, Task, TaskRows
from relsmith.evaluation.training import Training


class Numbers(Task[int, int]):
    """Return a number; even and odd ones are separate folds."""

    name: ClassVar = "numbers"
    made_by: ClassVar = "counting"
    training: ClassVar = Training(epochs=7, patience=3, batch=2)

    @override
    def fits(self, path: Path) -> bool:
        return True

    @override
    def read(self, path: Path, split: str) -> TaskRows[int]:
        rows = [int(line) for line in (path / split).read_text().split()]
        parity = RowLabels.of({"odd": [row % 2 for row in rows]})
        data = DataInfo(
            name=path.name, split=split, digest=str(rows), rows=len(rows), labels=parity
        )
        return TaskRows(data, [f"{split}-{row}" for row in rows], rows)

    @override
    def folds(
        self, train: TaskRows[int] | None, tests: Sequence[TaskRows[int]]
    ) -> Iterator[Fold[int]]:
        for odd in (0, 1):
            places = [[n for n, row in enumerate(t.rows) if row % 2 == odd] for t in tests]
            taken = [t.take(p) for t, p in zip(tests, places, strict=True)]
            yield Fold(f"odd {odd}", train, taken, list(places))

    @override
    def numbers(self, row: int, answer: int) -> Sequence[float]:
        return (float(row == answer),)


class Together(Numbers):
    """The same task in one fold."""

    name: ClassVar = "together"

    @override
    def folds(
        self, train: TaskRows[int] | None, tests: Sequence[TaskRows[int]]
    ) -> Iterator[Fold[int]]:
        yield from Task.folds(self, train, tests)


class Parrot(Model):
    """Right for numbers below a limit that grows with the seed; records its training runs."""

    name: ClassVar = "parrot"
    task: ClassVar[type[Task[Any, Any]]] = Numbers
    fits: ClassVar[list[tuple[str, int]]] = []
    """Trained folds and seeds, in order."""
    killed_at: ClassVar[int | None] = None

    below: int = 3

    @override
    def fit(self, fold: Fold[int], job: RunContext) -> FittedModel:
        if len(self.fits) == type(self).killed_at:
            raise KeyboardInterrupt
        self.fits.append((fold.key, job.seed))
        job.advance(0.5)

        def answers(rows: TaskRows[int]) -> list[int]:
            return [row if row < self.below + job.seed else -1 for row in rows.rows]

        return FittedModel(answers, TrainingSummary(epochs=job.training.epochs, best_epoch=1))


class Whole(Parrot):
    """The model of the task with one fold."""

    name: ClassVar = "whole"
    task: ClassVar[type[Task[Any, Any]]] = Together
    checkpoints: ClassVar[list[Path | None]] = []

    @override
    def fit(self, fold: Fold[int], job: RunContext) -> FittedModel:
        self.checkpoints.append(job.checkpoint)
        return super().fit(fold, job)


class Steady(Parrot):
    """A model without randomness or training."""

    name: ClassVar = "steady"
    random: ClassVar = False
    learns: ClassVar = False

    @override
    def answerable_rows(self, rows: TaskRows[Any]) -> Sequence[int]:
        return [place for place, row in enumerate(rows.rows) if row % 2 and row < 8]


Bars = list[tuple[str, int, list[int]]]


@pytest.fixture
def bars() -> Bars:
    return []


@pytest.fixture
def order(tmp_path: Path, bars: Bars, monkeypatch: pytest.MonkeyPatch) -> EvalConfig:
    for kind in (Parrot, Whole, Steady):
        monkeypatch.setattr(kind, "fits", [])
        monkeypatch.setattr(kind, "killed_at", None)
    monkeypatch.setattr(Whole, "checkpoints", [])
    for folder, numbers in (("data", range(6)), ("other", range(2, 10))):
        (tmp_path / folder).mkdir()
        for split in ("train", "test"):
            (tmp_path / folder / split).write_text("\n".join(map(str, numbers)))
        (tmp_path / folder / "empty").touch()

    @contextmanager
    def bar(what: str, total: int) -> Iterator[Callable[[int], None]]:
        told: list[int] = []
        bars.append((what, total, told))
        yield told.append

    return EvalConfig(
        path=tmp_path / "data", bar=bar, out=tmp_path / "results", seeds=2, device="cpu"
    )


def right(result: Result, test: int = 0) -> list[list[float]]:
    """Return the numbers of rows by seed."""
    kept: list[list[float]] = result.numbers[test][:, :, 0].tolist()
    return kept


def test_every_fold_and_seed_is_trained_once_and_stored(order: EvalConfig, bars: Bars) -> None:
    (result,) = evaluate([Parrot()], order)
    assert Parrot.fits == [("odd 0", 0), ("odd 0", 1), ("odd 1", 0), ("odd 1", 1)]
    assert right(result) == [[1, 1, 1, 0, 0, 0], [1, 1, 1, 1, 0, 0]]
    assert [[fold.fold for fold in run.folds] for run in result.runs] == [["odd 0", "odd 1"]] * 2
    assert bars == [("eval parrot", 28, [4, 7, 10, 14, 18, 21, 24, 28])]
    (path,) = order.out.iterdir()
    assert path.name == "data-parrot.json"
    assert path.read_bytes() == encoded([result])
    summary = load([path], "numbers")[0].summary()
    assert summary["tests"][0]["accuracy"][0] == pytest.approx(7 / 12)
    evaluate([Parrot()], order)
    assert len(Parrot.fits) == 4


def test_a_result_records_all_that_it_depends_on(order: EvalConfig) -> None:
    order = replace(
        order, limits={"batch": 5, "epochs": None}, test_on=(order.path.parent / "other",)
    )
    (result,) = evaluate([Parrot(below=4)], order)
    setup = result.setup
    assert (setup.task, setup.model, setup.label) == ("numbers", "parrot", "parrot")
    assert setup.hyperparameters == {"below": 4}
    assert (setup.training.batch, setup.training.epochs, setup.training.patience) == (5, 7, 3)
    assert setup.train and (setup.train.name, setup.train.split) == ("data", "train")
    assert [data.label for data in setup.tests] == ["data (test)", "other (test)"]
    assert set(setup.versions) == {"relsmith", "python", "torch"}
    assert setup.device == "cpu"
    assert right(result, 1)[0] == [1, 1, 0, 0, 0, 0, 0, 0]


@pytest.mark.parametrize("when", range(4))
def test_a_killed_evaluation_resumes_to_the_same_result(
    when: int, order: EvalConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Parrot, "killed_at", when)
    with pytest.raises(KeyboardInterrupt):
        evaluate([Parrot()], order)
    monkeypatch.setattr(Parrot, "killed_at", None)
    (resumed,) = evaluate([Parrot()], order)
    assert len(Parrot.fits) == 4
    (anew,) = evaluate([Parrot()], replace(order, out=order.out.parent / "anew"))
    assert resumed == anew


def test_seeds_can_be_added(order: EvalConfig) -> None:
    (two,) = evaluate([Whole()], order)
    (three,) = evaluate([Whole()], replace(order, seeds=3))
    assert Whole.fits == [("", 0), ("", 1), ("", 2)]
    assert three.runs[:2] == two.runs
    (one,) = evaluate([Whole()], replace(order, seeds=1, predictions=True))
    assert one.runs == three.runs[:1]
    assert load([order.out])[0].runs == three.runs


def test_each_seed_has_a_checkpoint_if_there_is_one_fold(order: EvalConfig) -> None:
    evaluate([Whole()], order)
    first, second = Whole.checkpoints
    assert first and second and first != second
    assert first.parent == order.out / "checkpoints"
    evaluate([Whole(below=2)], replace(order, out=order.out / "other"))
    assert Whole.checkpoints[2] and Whole.checkpoints[2].name != first.name
    assert not first.parent.exists()


def test_predictions_are_stored_by_row(order: EvalConfig) -> None:
    evaluate([Parrot()], order)
    assert not list(order.out.glob("*.jsonl"))
    order = replace(order, predictions=True)
    evaluate([Parrot()], order)
    assert len(Parrot.fits) == 8
    for seed in (0, 1):
        file = order.out / f"data-parrot.seed{seed}.predictions.jsonl"
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        assert {line["id"]: line["answer"] for line in lines} == {
            f"test-{row}": row if row < 3 + seed else -1 for row in range(6)
        }
        assert {line["data"] for line in lines} == {"data (test)"}
    evaluate([Parrot()], order)
    assert len(Parrot.fits) == 8


def test_another_setup_is_refused(order: EvalConfig) -> None:
    evaluate([Parrot()], order)
    with pytest.raises(InvalidOption, match=r"another setup \(hyperparameters differs\)"):
        evaluate([Parrot(below=5)], order)
    with pytest.raises(InvalidOption, match=r"\(training differs\); write elsewhere with --out"):
        evaluate([Parrot()], replace(order, limits={"epochs": 9}))


def test_an_empty_split_is_refused(order: EvalConfig) -> None:
    with pytest.raises(InvalidOption, match=r"^data \(empty\) has no rows$"):
        evaluate([Parrot()], replace(order, test="empty"))
    with pytest.raises(InvalidOption, match=r"^data \(empty\) has no rows$"):
        evaluate([Parrot()], replace(order, train="empty"))


def test_models_without_training_need_no_training_rows(order: EvalConfig) -> None:
    (result,) = evaluate([Steady(below=4)], replace(order, train="empty", seeds=5))
    assert result.setup.train is None
    assert len(result.runs) == 1
    assert Steady.fits == [("odd 1", 0)]


def test_unsuitable_rows_are_not_answered(order: EvalConfig) -> None:
    (result,) = evaluate([Steady(below=4)], order)
    assert [value if value == value else None for value in right(result)[0]] == (
        [None, 1, None, 1, None, 0]
    )
    assert result.summary()["tests"][0]["accuracy"][0] == pytest.approx(2 / 3)


def test_a_model_without_suitable_rows_is_refused(order: EvalConfig) -> None:
    (order.path / "even").write_text("2 4 6")
    with pytest.raises(InvalidOption, match=r"steady can answer no row of data \(even\)"):
        evaluate([Steady()], replace(order, test="even"))


def test_a_single_run_equals_the_stored_ones(order: EvalConfig) -> None:
    task = Numbers()
    train, test = (task.read(order.path, split) for split in ("train", "test"))
    job = RunContext(seed=1, training=task.training)
    setup, run = run_one(Parrot(), train, [test], job)
    (result,) = evaluate([Parrot()], order)
    assert (setup, run) == (result.setup, result.runs[1])
    assert len(Evaluation(Parrot(), train, [test], job).folds) == 2


class Hasty(Parrot):
    """Reaches the epoch limit in the first run; the second is no better than a constant answer."""

    name: ClassVar = "hasty"

    @override
    def fit(self, fold: Fold[int], job: RunContext) -> FittedModel:
        summary = TrainingSummary(
            epochs=7, best_epoch=2 + 5 * (not job.seed), validation=0.4, chance=0.1 + 0.3 * job.seed
        )
        return replace(super().fit(fold, job), learning=summary)


class Plain(Hasty):
    """The same as a baseline, which may be at chance."""

    name: ClassVar = "plain"
    baseline: ClassVar = True


def test_runs_at_the_epoch_limit_or_at_chance_are_named(order: EvalConfig) -> None:
    told: list[str] = []
    results = evaluate([Hasty(), Plain()], replace(order, seeds=2, warn=told.append))
    cap = "ended at its cap of 7 epochs"
    nothing = "at chance, on validation rows no better than a constant answer"
    # Both folds report it.
    assert told == [f"hasty, seed 0: {cap}", f"hasty, seed 1: {nothing}"] * 2
    assert results[0].warnings == {cap: 1, nothing: 1}
    assert results[1].warnings == {}
    note = Numbers().tables(results)[-1].note
    assert f"{cap}: hasty (1 of 2 runs); {nothing}: hasty (1 of 2 runs); " in note
    # A model that was trained on two datasets is named once.
    assert f"{cap}: hasty (2 of 4 runs)" in training_notes([*results, *results])
