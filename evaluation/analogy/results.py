"""An evaluation from folder to file: every relation and probe by itself, and what came out."""

import base64
import re
from collections.abc import Callable, Sequence
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any

import torch
from pydantic import ConfigDict, Field
from torch import Tensor

from ...errors import InvalidOption, NotFound
from ..device import device_name
from ..record import Data, Part, Setup, load_all, save_json, versions
from ..seeds import earlier_result
from ..table import Figure, mean_and_error
from ..training import Training
from .classifier import fit, predict
from .model import AnalogyModel, Embedding, Guesser, Scoring
from .rows import SUPERVISED, Analogy, Key, Quad, Rows, distinct

FORMAT = 1


class Run(Part):
    """One seed: how many rows were answered rightly, and which."""

    seed: int
    epochs: int
    right: int
    answers: str = Field(description="a bit for each row, 1 where right, in base64")

    def answered(self, rows: int) -> list[bool]:
        """Whether each row was answered rightly, in the order of the dataset."""
        bits = base64.b64decode(self.answers)
        return [bool(bits[row // 8] >> row % 8 & 1) for row in range(rows)]


class Cell(Part):
    """One relation, setting and probe: what its test is like, and the runs."""

    relation: str
    setting: str
    probe: str
    group: str
    symmetric: bool
    many: bool = Field(description="whether a head has many tails")
    rows: int
    negatives: int = Field(description="rows with a pair that counts as false")
    flawed: int = Field(description="rows whose pair counts as false, but is true")
    runs: list[Run]

    @property
    def key(self) -> Key:
        """Which relation, setting and probe."""
        return Key(self.relation, self.setting, self.probe)

    @property
    def accuracy(self) -> Figure:
        """Mean and standard error over the seeds."""
        return mean_and_error([run.right / self.rows for run in self.runs])


class AnalogySetup(Setup):
    """Where a model was trained and tested, how, and what tables call it."""

    train: Data
    test: Data
    label: str
    yardstick: bool
    training: Training

    @property
    def paper_faithful(self) -> bool:
        """Whether negatives were drawn as in the paper, true or not."""
        return bool(self.test.options.get("paper_faithful"))


class Result(Part):
    """What a model achieved, relation by relation."""

    # The file says the means as well; they are computed anew from the runs.
    model_config = ConfigDict(frozen=True, extra="ignore")

    format: int = FORMAT
    setup: AnalogySetup
    cells: list[Cell]

    def save(self, path: Path) -> None:
        """Write it whole or not at all."""
        save_json(path, self.as_json())

    def as_json(self) -> dict[str, Any]:
        """What the file holds: the setup, the cells, and the means over them."""
        return self.model_dump(mode="json") | {"mean": self.summary()["accuracy"]}

    def summary(self) -> dict[str, Any]:
        """Mean and standard error of every setting and probe, each relation counting alike."""
        columns = dict.fromkeys((cell.setting, cell.probe) for cell in self.cells)
        return {
            "model": self.setup.label,
            "accuracy": {
                f"{setting} {probe}": average(
                    [cell for cell in self.cells if (cell.setting, cell.probe) == (setting, probe)]
                )
                for setting, probe in columns
            },
        }


def average(cells: Sequence[Cell]) -> Figure:
    """The mean over relations, and its standard error over the seeds."""
    seeds = min(len(cell.runs) for cell in cells)
    return mean_and_error(
        [
            sum(cell.runs[seed].right / cell.rows for cell in cells) / len(cells)
            for seed in range(seeds)
        ]
    )


Tick = Callable[[int], None]


class Evaluation:
    """Splits to train and to test on, read once for any number of models."""

    def __init__(
        self,
        folder: Path,
        splits: tuple[str, str],
        device: torch.device,
        *,
        training: Training | None = None,
    ) -> None:
        self.training = training or Training()
        self.folder, self.device = folder, device
        self.train, self.test = (Rows(folder, split) for split in splits)
        self.data = [
            Data.of(folder, split, len(rows))
            for split, rows in zip(splits, (self.train, self.test), strict=True)
        ]
        self.relations = list(dict.fromkeys(key.relation for key in sorted(self.test.by_key)))
        every = [*self.train.by_key.values(), *self.test.by_key.values()]
        self.words = sorted(
            {word for rows in every for row in rows for quad in row.quads for word in quad}
        )

    def setup(self, model: AnalogyModel) -> AnalogySetup:
        """All that the model's result will depend on."""
        return AnalogySetup(
            train=self.data[0],
            test=self.data[1],
            model=model.name,
            label=model.label,
            yardstick=model.yardstick,
            hyperparameters=model.model_dump(mode="json"),
            training=self.training,
            device=device_name(self.device),
            versions=versions() | {"transformers": metadata.version("transformers")},
        )

    def keys(self, model: AnalogyModel, relation: str) -> list[Key]:
        """What of a relation the model is tested on."""
        return sorted(
            key
            for key in self.test.by_key
            if key.relation == relation and key.setting in model.settings
        )

    def work(self, model: AnalogyModel, seeds: int) -> int:
        """How many rows are to be answered, over all seeds."""
        return sum(
            len(self.test.by_key[key]) * self._seeds(model, key, seeds)
            for relation in self.relations
            for key in self.keys(model, relation)
        )

    def run(
        self, model: AnalogyModel, seeds: int, out: Path, *, tick: Tick | None = None
    ) -> Result:
        """Evaluate every relation; what the results folder has is not run again."""
        setup = self.setup(model)
        name = re.sub(r"[^\w.]+", "-", f"{setup.train.dataset} {model.label}").strip("-")
        path = out / f"{name}.json"
        earlier = earlier_result(path, setup, load_results)
        cells = {cell.key: cell for cell in earlier.cells} if earlier else {}
        wanted = [key for relation in self.relations for key in self.keys(model, relation)]
        if not wanted:
            raise InvalidOption(
                f"{model.label} is for {' and '.join(model.settings)} rows, and "
                f"{setup.test.dataset} has none; make them with gen analogy --setting all"
            )
        done, judge = 0, None
        for relation in self.relations:
            keys = self.keys(model, relation)
            left = [key for key in keys if self._missing(cells.get(key), model, key, seeds)]
            if left:
                judge = judge or self._load(model)
                cells |= {cell.key: cell for cell in judge(left, seeds, cells)}
                Result(setup=setup, cells=[cells[key] for key in wanted if key in cells]).save(path)
            done += sum(len(self.test.by_key[key]) * self._seeds(model, key, seeds) for key in keys)
            if tick:
                tick(done)
        chosen = [
            cells[key].model_copy(
                update={"runs": cells[key].runs[: self._seeds(model, key, seeds)]}
            )
            for key in wanted
        ]
        return Result(setup=setup, cells=chosen)

    def _seeds(self, model: AnalogyModel, key: Key, seeds: int) -> int:
        """Nothing but a classifier depends on the seed."""
        return seeds if isinstance(model, Embedding) and key.setting == SUPERVISED else 1

    def _missing(self, cell: Cell | None, model: AnalogyModel, key: Key, seeds: int) -> bool:
        return cell is None or len(cell.runs) < self._seeds(model, key, seeds)

    def _load(
        self, model: AnalogyModel
    ) -> Callable[[Sequence[Key], int, dict[Key, Cell]], list[Cell]]:
        """The model made ready, as what evaluates it on the keys of a relation."""
        if isinstance(model, Embedding):
            return partial(self._embedded, model, model.load(self.device, self.words))
        if isinstance(model, Scoring):
            return partial(self._scored, model.load(self.device))
        assert isinstance(model, Guesser)
        return partial(self._guessed, model)

    def _embedded(
        self,
        model: Embedding,
        embedder: Any,
        keys: Sequence[Key],
        seeds: int,
        earlier: dict[Key, Cell],
    ) -> list[Cell]:
        """Embed what the keys have in common once, then train or compare."""
        rows = [row for key in keys for row in self.test.by_key[key]]
        rows += [row for key in keys if key.setting == SUPERVISED for row in self._training(key)]
        numbers = distinct(rows)
        vectors: Tensor = embedder.embed(list(numbers))
        cells = []
        for key in keys:
            test = self.test.by_key[key]
            if key.setting == SUPERVISED:
                runs = list(earlier[key].runs) if key in earlier else []
                runs += [
                    self._trained(model, vectors.flatten(1), numbers, key, seed)
                    for seed in range(len(runs), seeds)
                ]
            else:
                runs = [_run(test, _best(test, embedder.similarity(vectors), numbers))]
            cells.append(self._cell(key, runs))
        return cells

    def _trained(
        self, model: Embedding, vectors: Tensor, numbers: dict[Quad, int], key: Key, seed: int
    ) -> Run:
        train, test = self._training(key), self.test.by_key[key]
        fitted = fit(
            vectors,
            _numbered(train, numbers),
            torch.tensor([row.target for row in train]),
            model.hidden,
            self.training,
            seed=seed,
        )
        answers = predict(fitted.module, vectors, _numbered(test, numbers)).tolist()
        return _run(test, answers, seed=seed, epochs=fitted.epochs)

    def _scored(
        self, scorer: Any, keys: Sequence[Key], seeds: int, earlier: dict[Key, Cell]
    ) -> list[Cell]:
        numbers = distinct(row for key in keys for row in self.test.by_key[key])
        scores: Tensor = scorer.score(list(numbers))
        return [
            self._cell(key, [_run(rows, _best(rows, scores, numbers))])
            for key in keys
            for rows in [self.test.by_key[key]]
        ]

    def _guessed(
        self, model: Guesser, keys: Sequence[Key], seeds: int, earlier: dict[Key, Cell]
    ) -> list[Cell]:
        return [
            self._cell(key, [_run(rows, model.guess(self.train.by_key.get(key, []), rows))])
            for key in keys
            for rows in [self.test.by_key[key]]
        ]

    def _training(self, key: Key) -> list[Analogy]:
        rows = self.train.by_key.get(key)
        if not rows:
            raise NotFound(
                f"{self.data[0].dataset} has no {key.setting} {key.probe} rows of "
                f"{key.relation!r} in the split {self.data[0].split!r} to train on; "
                f"make the dataset with both splits"
            )
        return rows

    def _cell(self, key: Key, runs: list[Run]) -> Cell:
        rows, about = self.test.by_key[key], self.test.about[key.relation]
        supervised = key.setting == SUPERVISED
        return Cell(
            **key._asdict(),
            **about._asdict(),
            rows=len(rows),
            negatives=sum(not (supervised and row.target) for row in rows),
            flawed=sum(row.flawed for row in rows),
            runs=runs,
        )


def _numbered(rows: Sequence[Analogy], numbers: dict[Quad, int]) -> Tensor:
    return torch.tensor([numbers[row.quads[0]] for row in rows])


def _best(rows: Sequence[Analogy], scores: Tensor, numbers: dict[Quad, int]) -> list[int]:
    """The place of the offer with the highest score."""
    values = scores.tolist()
    places = []
    for row in rows:
        offered = [values[numbers[quad]] for quad in row.quads]
        places.append(offered.index(max(offered)))
    return places


def _run(rows: Sequence[Analogy], answers: Sequence[int], *, seed: int = 0, epochs: int = 0) -> Run:
    right = [row.target == answer for row, answer in zip(rows, answers, strict=True)]
    bits = bytearray((len(right) + 7) // 8)
    for row, is_right in enumerate(right):
        bits[row // 8] |= is_right << row % 8
    answered = base64.b64encode(bits).decode()
    return Run(seed=seed, epochs=epochs, right=sum(right), answers=answered)


def load_results(places: Sequence[Path]) -> list[Result]:
    """The results in these files, and in every file of these folders."""
    return load_all(places, Result, "analogies")
