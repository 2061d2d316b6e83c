"""An evaluation from folder to file: train on one split, test on others, keep what came out."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from pydantic import ConfigDict, Field

from ..device import device_name
from ..record import Data, Part, Setup, load_all, save_json, versions
from ..seeds import SeedTick, earlier_result, run_seeds
from ..table import mean_and_error
from ..training import Tick, Training
from .encoding import Encoded, Sizes, Vocabulary
from .harness import fit, predict
from .model import Guesser, Network, StoryModel
from .rows import Story, read_stories

FORMAT = 1


class StoryData(Data):
    """A split, and which k it has."""

    k: list[int] = Field(description="the values of k that occur")


class Score(Part):
    """How a test went: of so many rows so many right, for each k."""

    rows: dict[int, int]
    right: dict[int, int]

    @property
    def accuracy(self) -> float:
        """The share of right answers."""
        return sum(self.right.values()) / sum(self.rows.values())

    def accuracy_at(self, k: int) -> float:
        """The share of right answers at k."""
        return self.right[k] / self.rows[k]


class Run(Part):
    """One seed: how training went, and a score for each test."""

    seed: int
    epochs: int
    best_epoch: int
    validation: float
    tests: list[Score]


class StorySetup(Setup):
    """Where a model was trained and tested, and how."""

    train: StoryData
    tests: list[StoryData]
    yardstick: bool
    training: Training


class Result(Part):
    """What a model achieved on some tests, seed by seed."""

    # The file says the means as well; they are computed anew from the runs.
    model_config = ConfigDict(frozen=True, extra="ignore")

    format: int = FORMAT
    setup: StorySetup
    runs: list[Run]

    def save(self, path: Path) -> None:
        """Write it whole or not at all."""
        save_json(path, self.as_json())

    def as_json(self) -> dict[str, Any]:
        """What the file holds: the setup, the runs, and the means over them."""
        return self.model_dump(mode="json") | {"mean": self.summary()["tests"]}

    def accuracy(self, test: int = 0, k: int | None = None) -> tuple[float, float]:
        """Mean and standard error over the seeds, of all rows or those of one k."""
        scores = [run.tests[test] for run in self.runs]
        return mean_and_error(
            [score.accuracy if k is None else score.accuracy_at(k) for score in scores]
        )

    def summary(self) -> dict[str, Any]:
        """Mean and standard error of every test, in all and by k."""
        tests = [
            {
                "dataset": data.dataset,
                "split": data.split,
                "accuracy": self.accuracy(test),
                "by_k": {k: self.accuracy(test, k) for k in data.k},
            }
            for test, data in enumerate(self.setup.tests)
        ]
        return {"model": self.setup.model, "seeds": len(self.runs), "tests": tests}


@dataclass(frozen=True)
class Test:
    """A split to test on."""

    data: StoryData
    stories: list[Story]


class Evaluation:
    """A split to train on and splits to test on, read once for any number of models."""

    def __init__(
        self,
        train: tuple[Path, str],
        tests: Sequence[tuple[Path, str]],
        device: torch.device,
        *,
        training: Training | None = None,
    ) -> None:
        self.training = training or Training()
        self.device = device
        self.train = _read(*train)
        self.tests = [_read(*test) for test in tests]
        every = [story for test in self.tests for story in test.stories]
        self.vocabulary = Vocabulary.of(self.train.stories, every)
        self.sizes = Sizes.of(self.vocabulary)
        self._encoded: list[Encoded] = []

    def setup(self, model: StoryModel) -> StorySetup:
        """All that the model's result will depend on."""
        return StorySetup(
            train=self.train.data,
            tests=[test.data for test in self.tests],
            model=model.name,
            yardstick=model.yardstick,
            hyperparameters=model.model_dump(mode="json"),
            training=self.training,
            device=device_name(self.device),
            versions=versions(),
        )

    def run(
        self, model: StoryModel, seeds: int, out: Path, *, tick: SeedTick | None = None
    ) -> Result:
        """Evaluate with the seeds 0, 1, ...; those that the folder has are not run again."""
        setup = self.setup(model)
        path = out / f"{setup.train.dataset}-{model.name}.json"
        earlier = earlier_result(path, setup, load_results)
        runs = run_seeds(
            path,
            setup,
            list(earlier.runs) if earlier else [],
            1 if isinstance(model, Guesser) else seeds,
            lambda seed, checkpoint, tick: self.run_seed(
                model, seed, checkpoint=checkpoint, tick=tick
            ),
            lambda runs: Result(setup=setup, runs=runs).save(path),
            tick,
        )
        return Result(setup=setup, runs=runs)

    def run_seed(
        self,
        model: StoryModel,
        seed: int,
        *,
        checkpoint: Path | None = None,
        tick: Tick | None = None,
    ) -> Run:
        """Train with one seed and take every test."""
        if isinstance(model, Guesser):
            scores = [
                _score(test.stories, model.guess(self.train.stories, test.stories))
                for test in self.tests
            ]
            return Run(seed=seed, epochs=0, best_epoch=0, validation=0.0, tests=scores)
        assert isinstance(model, Network)
        train, *tests = self._encode()
        fitted = fit(
            model, self.sizes, train, self.training, seed=seed, checkpoint=checkpoint, tick=tick
        )
        targets = list(self.vocabulary.targets)
        scores = [
            _score(
                test.stories,
                [targets[number] for number in predict(fitted.module, encoded).tolist()],
            )
            for test, encoded in zip(self.tests, tests, strict=True)
        ]
        return Run(
            seed=seed,
            epochs=fitted.epochs,
            best_epoch=fitted.best_epoch,
            validation=fitted.validation,
            tests=scores,
        )

    def _encode(self) -> list[Encoded]:
        if not self._encoded:
            self._encoded = [
                Encoded.of(test.stories, self.vocabulary, self.device)
                for test in (self.train, *self.tests)
            ]
        return self._encoded


def _read(folder: Path, split: str) -> Test:
    stories = read_stories(folder, split)
    ks = sorted({story.k for story in stories})
    return Test(StoryData.of(folder, split, len(stories), k=ks), stories)


def _score(stories: Sequence[Story], answers: Sequence[str]) -> Score:
    rows: dict[int, int] = {}
    right: dict[int, int] = {}
    for story, answer in zip(stories, answers, strict=True):
        rows[story.k] = rows.get(story.k, 0) + 1
        right[story.k] = right.get(story.k, 0) + (answer == story.target)
    return Score(rows=dict(sorted(rows.items())), right=dict(sorted(right.items())))


def load_results(places: Sequence[Path]) -> list[Result]:
    """The results in these files, and in every file of these folders."""
    return load_all(places, Result, "stories")
