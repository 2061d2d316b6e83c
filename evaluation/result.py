"""Evaluation results: one schema for all tasks, with the numbers of each row.

A figure is a ratio of two sums over rows, so any subset of rows has its figure and an interval. A
result names the columns that are summed; reports need no task.
"""

import base64
import hashlib
import platform
import re
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import metadata
from pathlib import Path
from typing import Any, Self

import numpy as np
import orjson
from numpy import ndarray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..clusters import RowClusters
from ..dataset import Dataset
from ..errors import InvalidOption, NotADataset, NotFound
from ..flat_metadata import Scalar
from ..options import validation_messages
from ..storage import files, text
from .statistics import Sample, Sampling
from .training import Training

FORMAT = 4
_MOST_BYTES = 1 << 30
"""Upper limit for unpacked numbers, against files that would fill the memory."""

RowFilter = Mapping[str, Scalar]
"""Required values of label columns."""


class ResultModel(BaseModel):
    """Base class of the parts of a result; unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


def pack(numbers: ndarray) -> str:
    """Encode a column as its smallest exact number type and its bytes, compressed, in base64.

    The low bytes of integers come first, then the high ones: this compresses better.
    """
    for kind in ("i1", "i2", "i4", "f4", "f8"):
        with np.errstate(invalid="ignore", over="ignore"):
            missing = np.iinfo(kind).min if kind[0] == "i" else np.nan
            small = np.where(np.isnan(numbers), missing, numbers).astype(f"<{kind}")
        if np.array_equal(_widened(small), numbers, equal_nan=True):
            break
    if kind[0] == "i":
        small = small.view("u1").reshape(-1, small.itemsize).T
    content = small.tobytes()
    return f"{kind} {base64.b64encode(zlib.compress(content, 9)).decode()}"


def unpack(packed: str) -> ndarray:
    """Decode the output of `pack`; the least integer of a type stands for NaN."""
    kind, _, data = packed.partition(" ")
    if kind not in ("i1", "i2", "i4", "f4", "f8"):
        raise ValueError(f"no number type {kind!r}")
    unpacking = zlib.decompressobj()
    content = unpacking.decompress(base64.b64decode(data), _MOST_BYTES)
    if unpacking.unconsumed_tail:
        raise ValueError(f"more than {_MOST_BYTES} bytes are packed")
    if kind[0] == "i":
        content = np.frombuffer(content, "u1").reshape(int(kind[1]), -1).T.tobytes()
    return _widened(np.frombuffer(content, f"<{kind}"))


def _widened(numbers: ndarray) -> ndarray:
    wide: ndarray = numbers.astype("f8")
    if numbers.dtype.kind == "i":
        wide[numbers == np.iinfo(numbers.dtype).min] = np.nan
    return wide


@dataclass(frozen=True, eq=False)
class LabelColumn:
    """A label of each row of a test set, such as k, relation or probe."""

    values: list[Scalar]
    places: ndarray
    """For each row, the index of its value."""

    def where(self, value: Scalar) -> ndarray:
        """Return the mask of the rows with this value."""
        place = self.values.index(value) if value in self.values else -1
        chosen: ndarray = self.places == place
        return chosen


class RowLabels(ResultModel):
    """The labels of all rows: each combination that occurs once, and its rows; and clusters."""

    names: list[str] = []
    kinds: list[list[Scalar]] = Field(default=[], description="combinations of labels")
    rows: str = Field(default="", description="for each row, the index of its kind, packed")
    unit: str = Field(default="rows", description="name of the clusters in which rows were drawn")
    clusters: str = Field(
        default="", description="for each row, the number of its cluster, packed; sorted as runs"
    )

    @classmethod
    def of(
        cls, columns: Mapping[str, Sequence[Scalar]], clusters: RowClusters | None = None
    ) -> Self:
        """Encode columns with one value per row, and the cluster of each row."""
        kinds = list(zip(*columns.values(), strict=True))
        number = {kind: place for place, kind in enumerate(dict.fromkeys(kinds))}
        labels = cls(
            names=list(columns),
            kinds=[list(kind) for kind in number],
            rows=pack(np.array([number[kind] for kind in kinds], float)),
        )
        if clusters is None or len(set(clusters.keys)) == len(clusters.keys):
            return labels
        keys = [clusters.keys[row] for row in labels.order] if columns else clusters.keys
        numbers = {key: place for place, key in enumerate(dict.fromkeys(keys))}
        packed = pack(np.array([numbers[key] for key in keys], float))
        return labels.model_copy(update={"unit": clusters.unit, "clusters": packed})

    @cached_property
    def sampling(self) -> Sampling | None:
        """The clusters of the rows; None if each row is one."""
        if not self.clusters:
            return None
        clusters = unpack(self.clusters).astype(int)
        return Sampling(self.unit, clusters[np.argsort(self.order)] if self.names else clusters)

    @property
    def order(self) -> ndarray:
        """The order of rows in files: sorted by their labels, since such rows are alike."""
        return np.argsort(unpack(self.rows), kind="stable")

    @cached_property
    def columns(self) -> dict[str, LabelColumn]:
        """The columns by name; raise ValueError if a row has no kind."""
        if not self.names:
            return {}
        rows, columns = unpack(self.rows).astype(int), {}
        if {*map(len, self.kinds)} - {len(self.names)} or not (
            ((rows >= 0) & (rows < len(self.kinds))).all()
        ):
            raise ValueError("labels do not fit their names or rows")
        for name, labels in zip(self.names, zip(*self.kinds, strict=True), strict=False):
            values = sorted(set(labels), key=lambda value: (str(type(value)), value))
            number = {value: place for place, value in enumerate(values)}
            places = np.array([number[label] for label in labels], "int32")
            columns[name] = LabelColumn(values, places[rows])
        return columns or {name: LabelColumn([], rows) for name in self.names}


class DataInfo(ResultModel):
    """A split of a dataset, or a file of rows."""

    name: str = Field(description="name of the folder or file")
    split: str | None = Field(description="none for a file")
    digest: str = Field(description="sha256 of manifest.json, or of the files")
    rows: int
    generator: str | None = None
    version: int | None = None
    options: dict[str, Any] = {}
    seed: int | None = None
    labels: RowLabels = Field(
        default=RowLabels(), description="labels by which figures can be broken down"
    )

    @classmethod
    def of(cls, path: Path, split: str, labels: RowLabels, rows: int) -> Self:
        """Describe a split of a dataset."""
        manifest = Dataset(path).manifest
        return cls(
            name=path.resolve().name,
            split=split,
            digest=files.digest(path / "manifest.json"),
            rows=rows,
            generator=manifest.generator,
            version=manifest.version,
            options=manifest.options,
            seed=manifest.seed,
            labels=labels,
        )

    @property
    def sampling(self) -> Sampling:
        """How the rows were drawn."""
        return self.labels.sampling or Sampling("rows", np.arange(self.rows))

    @property
    def columns(self) -> dict[str, LabelColumn]:
        """The labels of the rows by name."""
        return self.labels.columns

    @property
    def label(self) -> str:
        """Name and split."""
        return f"{self.name} ({self.split})" if self.split else self.name

    def column(self, name: str) -> LabelColumn:
        """Return a label column; raise NotFound if there is none of this name."""
        if name not in self.columns:
            listed = ", ".join(self.columns) or "nothing"
            raise NotFound(f"the rows of {self.label} have no column {name}; there is {listed}")
        return self.columns[name]

    def mask(self, where: RowFilter) -> ndarray:
        """Return the mask of the rows that match a filter."""
        chosen = np.ones(self.rows, bool)
        for column, value in where.items():
            chosen &= self.columns[column].where(value) if column in self.columns else False
        return chosen

    def kinds(self, *names: str) -> list[dict[str, Scalar]]:
        """Return the distinct combinations of values of these columns, sorted."""
        columns = [self.column(name) for name in names]
        shape = [len(column.values) for column in columns]
        places = np.ravel_multi_index(tuple(column.places for column in columns), shape)
        every = np.unravel_index(np.unique(places), shape)
        return [
            {name: column.values[n] for name, column, n in zip(names, columns, some, strict=True)}
            for some in zip(*(part.tolist() for part in every), strict=True)
        ]


class Setup(ResultModel):
    """Everything on which a result depends."""

    task: str
    model: str
    label: str = Field(description="name of the model in tables")
    baseline: bool
    hyperparameters: dict[str, Any]
    training: Training
    train: DataInfo | None
    tests: list[DataInfo]
    files: dict[str, str] = Field(description="sha256 of the files that the model reads, by name")
    device: str
    versions: dict[str, str]


class Ratio(ResultModel):
    """A figure: the sum of one column divided by that of another or by the number of rows."""

    top: str
    bottom: str | None = None
    scale: float = 1.0


class TrainingSummary(ResultModel):
    """Summary of the training of one fold."""

    fold: str = ""
    epochs: int = 0
    best_epoch: int = 0
    validation: float | None = None
    chance: float | None = Field(
        default=None, description="validation accuracy that a constant answer may have by chance"
    )

    def warnings(self, patience: int) -> list[str]:
        """Return whether training ended before it converged, and whether it learnt nothing."""
        found = []
        if self.epochs and self.epochs - self.best_epoch < patience:
            found.append(f"ended at its cap of {self.epochs} epoch{'s' * (self.epochs > 1)}")
        if self.chance is not None and (self.validation or 0.0) <= self.chance:
            found.append("at chance, on validation rows no better than a constant answer")
        return found


class Run(ResultModel):
    """One seed: the training of its folds, and the numbers of each test row."""

    seed: int
    folds: list[TrainingSummary]
    tests: list[list[str]] = Field(
        description="for each test, its columns of numbers, packed; rows are sorted by their labels"
    )

    def numbers(self, test: int, labels: RowLabels) -> ndarray:
        """Return the numbers of a test: rows x columns."""
        columns = np.stack([unpack(column) for column in self.tests[test]], -1)
        return columns[np.argsort(labels.order)] if labels.names else columns


def pack_columns(numbers: ndarray, labels: RowLabels) -> list[str]:
    """Encode rows x columns, as `Run.tests` has them."""
    return [pack(column[labels.order] if labels.names else column) for column in numbers.T]


class Result(ResultModel):
    """The result of a model: numbers by seed and row."""

    # Files also contain the figures; they are recomputed from the runs.
    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)

    setup: Setup
    columns: list[str] = Field(description="names of the numbers of a row")
    figures: dict[str, Ratio]
    runs: list[Run]

    @cached_property
    def numbers(self) -> list[ndarray]:
        """For each test, an array of seeds x rows x columns."""
        return [
            np.stack([run.numbers(test, data.labels) for run in self.runs])
            for test, data in enumerate(self.setup.tests)
        ]

    def __eq__(self, other: object) -> bool:
        # The cached arrays must not be compared.
        return isinstance(other, Result) and self.model_dump() == other.model_dump()

    def __hash__(self) -> int:
        return hash(self.model_dump_json())

    @property
    def warnings(self) -> Counter[str]:
        """Warnings about training, and how many runs each is about; none about baselines."""
        if self.setup.baseline:
            return Counter()
        patience = self.setup.training.patience
        return Counter(
            warning
            for run in self.runs
            for warning in dict.fromkeys(w for fold in run.folds for w in fold.warnings(patience))
        )

    def sums(self, figure: str, test: int = 0, where: RowFilter | None = None) -> ndarray:
        """Return numerators and denominators as seeds x rows x 2; NaN if unanswered."""
        if figure not in self.figures:
            raise NotFound(f"the result of {self.setup.label} has no {figure}")
        ratio, rows = self.figures[figure], self.setup.tests[test].mask(where or {})
        top = self.of_rows(ratio.top, test)[:, rows] * ratio.scale
        bottom = self.of_rows(ratio.bottom, test)[:, rows] if ratio.bottom else 1 + 0 * top
        pair: ndarray = np.stack([top, bottom], -1)
        return pair

    def sample(self, figure: str, test: int = 0, where: RowFilter | None = None) -> Sample | None:
        """Return a figure on some rows as it was drawn; None if it is not defined there."""
        data, scale = self.setup.tests[test], self.figures[figure].scale
        keys = data.sampling.keys(data.mask(where or {}))
        return Sample.of(self.sums(figure, test, where), keys, scale)

    def of_rows(self, column: str, test: int = 0) -> ndarray:
        """Return one column, or a label with numbers, as seeds x rows; NaN if unanswered."""
        labels = self.setup.tests[test].columns
        if column in self.columns:
            numbers: ndarray = self.numbers[test][..., self.columns.index(column)]
            return numbers
        if column not in labels:
            raise NotFound(f"the result of {self.setup.label} has no column {column}")
        values = np.array(labels[column].values, float)[labels[column].places]
        return np.where(np.isnan(self.numbers[test][..., 0]), np.nan, values)

    def summary(self) -> dict[str, Any]:
        """Return every figure of every test with its interval."""
        tests = [
            {
                "data": data.label,
                "rows": data.rows,
                **{name: _listed(self.sample(name, test)) for name in self.figures},
            }
            for test, data in enumerate(self.setup.tests)
        ]
        return {"model": self.setup.label, "seeds": len(self.runs), "tests": tests}


def encoded(results: Sequence[Result]) -> bytes:
    """Return the content of a result file: labels that results share once, figures before runs."""
    labels: dict[str, RowLabels] = {}
    listed = []
    for result in results:
        content = {"summary": result.summary(), **result.model_dump(mode="json")}
        for data, test in zip(result.setup.tests, content["setup"]["tests"], strict=True):
            test["labels"] = hashlib.sha256(orjson.dumps(test["labels"])).hexdigest()[:16]
            labels[test["labels"]] = data.labels
        listed.append(content)
    known = {name: each.model_dump(mode="json") for name, each in labels.items()}
    content = {"format": FORMAT, "results": listed, "labels": known}
    return orjson.dumps(content, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def _listed(sample: Sample | None) -> list[float] | None:
    return None if sample is None else list(sample.estimate())


def versions(*packages: str) -> dict[str, str]:
    """Return the versions of relsmith, Python and these packages."""
    ours = {name: metadata.version(name) for name in ("relsmith", *packages)}
    return ours | {"python": platform.python_version()}


def file_name(setup: Setup) -> str:
    """Return the file name of a result, without suffix."""
    data = setup.train or setup.tests[0]
    return re.sub(r"[^\w.,+-]+", "-", f"{data.name}-{setup.label}".replace(" + ", "+")).strip("-")


def load(places: Sequence[Path], task: str | None = None) -> list[Result]:
    """Load results from files and from the JSON files of folders; optionally of one task."""
    results: list[Result] = []
    for place in places:
        paths = [*place.glob("*.json"), *place.glob("*.json.gz")]
        if place.is_dir() and not paths:
            raise NotFound(f"{place} holds no results; make some with gen eval DIR --out {place}")
        results += [
            result for path in sorted(paths, key=_stem) or [place] for result in _read(path)
        ]
    chosen = [result for result in results if task in (None, result.setup.task)]
    if not chosen:
        others = ", ".join(sorted({result.setup.task for result in results}))
        raise NotFound(f"{places[0]} holds results on {others}, and none on {task}")
    return chosen


def _stem(path: Path) -> str:
    return path.name.partition(".json")[0]


def _is_complete(result: Result) -> bool:
    """Return whether every row, seed and column has a number and every figure a column."""
    tests, runs, width = result.setup.tests, result.runs, len(result.columns)
    if not (tests and runs and result.figures) or {len(tests)} != {len(run.tests) for run in runs}:
        return False
    shapes = [
        numbers.shape == (len(runs), data.rows, width)
        for numbers, data in zip(result.numbers, tests, strict=True)
    ]
    counts = [len(column.places) == data.rows for data in tests for column in data.columns.values()]
    counts += [len(data.sampling.clusters) == data.rows for data in tests]
    named = [
        column in result.columns or all(_is_numeric(data.columns.get(column)) for data in tests)
        for ratio in result.figures.values()
        for column in (ratio.top, ratio.bottom or ratio.top)
    ]
    return all([*shapes, *counts, *named])


def _is_numeric(column: LabelColumn | None) -> bool:
    return column is not None and all(isinstance(value, int | float) for value in column.values)


def _read(path: Path) -> list[Result]:
    """Read a result file; results with the same labels share them."""
    with (
        text.explain_read_errors(path, "gen eval writes results"),
        text.open_plain(path, packed=path.suffix == ".gz") as file,
    ):
        written = text.read_limited(file, _MOST_BYTES)
    try:
        content = text.parse_json(written)
        if isinstance(content, dict) and content.get("format") in (1, 2) and "setup" in content:
            reason = "written by an earlier version"
        else:
            labels = {
                name: RowLabels.model_validate(each) for name, each in content["labels"].items()
            }
            for result in content["results"]:
                for test in result["setup"]["tests"]:
                    test["labels"] = labels[test["labels"]]
            results = [Result.model_validate(result) for result in content["results"]]
            if results and all(map(_is_complete, results)):
                return results
            reason = "incomplete"
    except ValidationError as error:
        reason = validation_messages(error)[0]
    except (AttributeError, LookupError, TypeError, ValueError, zlib.error):
        reason = "not JSON, or damaged"
    raise NotADataset(f"{path} is not a result of gen eval ({reason})")


def check_setup(path: Path, kept: Setup, setup: Setup) -> None:
    """Raise InvalidOption if a file contains the result of another setup."""
    names = [name for name in Setup.model_fields if getattr(kept, name) != getattr(setup, name)]
    if names:
        raise InvalidOption(
            f"{path} holds a result of another setup ({' and '.join(names)} "
            f"differ{'s' * (len(names) == 1)}); write elsewhere with --out, or remove it"
        )
