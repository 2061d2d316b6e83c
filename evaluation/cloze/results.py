"""An evaluation from folder to file: train on one split, fill the blanks of others."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import orjson
import torch
from pydantic import ConfigDict, Field

from ... import files
from ...errors import InvalidOption, NotADataset
from ..device import device_name
from ..record import Data, Part, Setup, load_all, save_json, versions
from ..seeds import SeedTick, earlier_result, run_seeds
from ..table import Figure, mean_and_error
from ..training import Tick
from .encoding import Encoded, Vocabulary
from .harness import Training
from .metrics import FIGURES, figures, intervals, measure, spans
from .model import ClozeModel
from .prediction import Predictor
from .rows import Pair, read_pairs

FORMAT = 1
VOCABULARIES = ("restricted", "full")


class Score(Part):
    """How a test went, by vocabulary: words that are blanked in training, or all."""

    figures: dict[str, dict[str, float]]
    intervals: dict[str, dict[str, tuple[float, float]]] = Field(
        description="bootstrap over rows, 95 %"
    )
    blanks: int
    span: float | None = Field(description="mean words aligned to one, where a model aligns")


class Run(Part):
    """One seed: how training went, and a score for each test."""

    seed: int
    epochs: int
    best_epoch: int
    validation: float
    tests: list[Score]


class ClozeSetup(Setup):
    """Where a model was trained and tested, how, and the files that it read."""

    train: Data
    tests: list[Data]
    yardstick: bool
    files: dict[str, str] = Field(description="sha256 of files that it reads, by option")
    training: Training


class Result(Part):
    """What a model achieved on some tests, seed by seed."""

    # The file says the means as well; they are computed anew from the runs.
    model_config = ConfigDict(frozen=True, extra="ignore")

    format: int = FORMAT
    reads: str = "cloze"
    setup: ClozeSetup
    runs: list[Run]

    def save(self, path: Path) -> None:
        """Write it whole or not at all."""
        save_json(path, self.as_json())

    def as_json(self) -> dict[str, Any]:
        """What the file holds: the setup, the runs, and the means over them."""
        return self.model_dump(mode="json") | {"mean": self.summary()["tests"]}

    def figure(self, name: str, vocabulary: str = "restricted", test: int = 0) -> Figure:
        """Mean and standard error over the seeds."""
        return mean_and_error([run.tests[test].figures[vocabulary][name] for run in self.runs])

    def span(self, test: int = 0) -> Figure | None:
        """The mean length of alignments over the seeds, None where a model does not align."""
        lengths = [run.tests[test].span for run in self.runs]
        return mean_and_error([span for span in lengths if span]) if all(lengths) else None

    def summary(self) -> dict[str, Any]:
        """Mean and standard error of every figure, and the first seed's intervals."""
        tests = [
            {
                "dataset": data.dataset,
                "split": data.split,
                **{
                    vocabulary: {name: self.figure(name, vocabulary, test) for name in FIGURES}
                    for vocabulary in VOCABULARIES
                },
                "intervals": self.runs[0].tests[test].intervals,
                "span": self.span(test),
            }
            for test, data in enumerate(self.setup.tests)
        ]
        return {"model": self.setup.model, "seeds": len(self.runs), "tests": tests}


@dataclass(frozen=True)
class Split:
    """A split with its pairs."""

    data: Data
    pairs: list[Pair]

    @classmethod
    def read(cls, folder: Path, split: str) -> "Split":
        """Read it, and the manifest beside it."""
        pairs = read_pairs(folder, split)
        if not pairs:
            raise NotADataset(f"{folder}: its split {split!r} has no rows; make some")
        return cls(Data.of(folder, split, len(pairs)), pairs)


class Alignment(Part):
    """A pair, and which word of its abstract each word of its concrete text is aligned to."""

    split: str
    abstract: list[str]
    concrete: list[str]
    alignment: list[int]
    blanks: list[tuple[int, int]]


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
        self.train = Split.read(*train)
        self.tests = [Split.read(*test) for test in tests]

    def setup(self, model: ClozeModel) -> ClozeSetup:
        """All that the model's result will depend on."""
        for option, path in model.files().items():
            if not path.exists():
                raise InvalidOption(f"{option}: there is no file or folder {str(path)!r}")
        return ClozeSetup(
            train=self.train.data,
            tests=[test.data for test in self.tests],
            model=model.name,
            yardstick=model.yardstick,
            hyperparameters=model.model_dump(mode="json"),
            files={option: files.digest(path) for option, path in model.files().items()},
            training=self.training,
            device=device_name(self.device),
            versions=versions(),
        )

    def run(
        self, model: ClozeModel, seeds: int, out: Path, *, tick: SeedTick | None = None
    ) -> Result:
        """Evaluate with the seeds 0, 1, ...; those that the folder has are not run again."""
        setup = self.setup(model)
        path = out / f"{setup.train.dataset}-{model.name}.json"
        earlier = earlier_result(path, setup, load_results)

        def run(seed: int, checkpoint: Path, tick: Tick | None) -> Run:
            result, alignments = self.run_seed(model, seed, checkpoint=checkpoint, tick=tick)
            if alignments and not seed:
                save_alignments(path.with_suffix(".alignments.jsonl"), alignments)
            return result

        runs = run_seeds(
            path,
            setup,
            list(earlier.runs) if earlier else [],
            1 if model.yardstick else seeds,
            run,
            lambda runs: Result(setup=setup, runs=runs).save(path),
            tick,
        )
        return Result(setup=setup, runs=runs)

    def run_seed(
        self,
        model: ClozeModel,
        seed: int,
        *,
        checkpoint: Path | None = None,
        tick: Tick | None = None,
    ) -> tuple[Run, list[Alignment]]:
        """Train with one seed and take every test; the alignments of all texts where it aligns."""
        vocabulary = Vocabulary.of(self.train.pairs, model.least)
        train, *tests = (
            Encoded.of(split.pairs, vocabulary, model.longest, self.device)
            for split in (self.train, *self.tests)
        )
        fitted = model.learn(
            train, vocabulary, self.training, seed=seed, checkpoint=checkpoint, tick=tick
        )
        aligned: list[Alignment] = []
        if hasattr(fitted.predictor, "align"):
            for split, encoded in zip((self.train, *self.tests), (train, *tests), strict=True):
                aligned += _aligned(fitted.predictor, split, encoded)
        scores = [
            _score(
                fitted.predictor,
                encoded,
                vocabulary,
                [alignment for alignment in aligned if alignment.split == _name(split.data)],
            )
            for split, encoded in zip(self.tests, tests, strict=True)
        ]
        run = Run(
            seed=seed,
            epochs=fitted.epochs,
            best_epoch=fitted.best_epoch,
            validation=fitted.validation,
            tests=scores,
        )
        return run, aligned


def _name(data: Data) -> str:
    return f"{data.dataset}/{data.split}"


def _score(
    predictor: Predictor, data: Encoded, vocabulary: Vocabulary, aligned: list[Alignment]
) -> Score:
    columns = {
        name: measure(predictor, data, vocabulary, restricted=name == "restricted")
        for name in VOCABULARIES
    }
    lengths = [end - start for alignment in aligned for start, end, _ in spans(alignment.alignment)]
    return Score(
        figures={name: figures(rows) for name, rows in columns.items()},
        intervals={name: intervals(rows) for name, rows in columns.items()},
        blanks=sum(map(len, data.blanks)),
        span=sum(lengths) / len(lengths) if lengths else None,
    )


def _aligned(predictor: Predictor, split: Split, data: Encoded) -> list[Alignment]:
    alignments = []
    for rows in torch.split(torch.arange(len(data)), 100):
        batch = data.batch(rows)
        alignment = cast(Any, predictor).align(batch).tolist()
        for row, places, words, cut in zip(
            rows.tolist(),
            alignment,
            batch.target_lengths.tolist(),
            batch.source_lengths.tolist(),
            strict=True,
        ):
            pair = split.pairs[row]
            alignments.append(
                Alignment(
                    split=_name(split.data),
                    abstract=pair.abstract[:cut],
                    concrete=pair.concrete[:words],
                    alignment=places[:words],
                    blanks=[(start - 1, end - 1) for start, end in data.blanks[row]],
                )
            )
    return alignments


def save_alignments(path: Path, alignments: Sequence[Alignment]) -> None:
    """Write one a line."""
    with files.replacing(path, force=True) as successor, successor.open("wb") as file:
        for alignment in alignments:
            file.write(orjson.dumps(alignment.model_dump(), option=orjson.OPT_APPEND_NEWLINE))


def load_results(places: Sequence[Path]) -> list[Result]:
    """The results in these files, and in every file of these folders."""
    return load_all(places, Result, "cloze")
