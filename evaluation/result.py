"""Evaluation results: one schema for all tasks, with the numbers of each row.

A figure is a ratio of two sums over rows, so any subset of rows has its figure and a bootstrap
interval. A result names the columns that are summed; reports need no task.
"""

import base64
import platform
import re
import zlib
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import orjson
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from ..dataset import Dataset
from ..errors import InvalidOption, NotADataset, NotFound
from ..flat_metadata import Scalar
from ..options import validation_messages
from ..storage import files, text
from .training import Training

if TYPE_CHECKING:
    from numpy import ndarray

    from .statistics import Estimate

FORMAT = 2
_MOST_BYTES = 1 << 30
"""Upper limit for unpacked numbers, against files that would fill the memory."""

RowFilter = Mapping[str, Scalar]
"""Required values of label columns."""


class ResultModel(BaseModel):
    """Base class of the parts of a result; unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


def pack(numbers: "ndarray") -> str:
    """Encode numbers as text: by column, compressed, in base64."""
    return base64.b64encode(zlib.compress(numbers.astype("<f8").tobytes("F"), 9)).decode()


def unpack(packed: str, columns: int = 1) -> "ndarray":
    """Decode the output of `pack` into rows of `columns` numbers."""
    import numpy as np

    unpacking = zlib.decompressobj()
    numbers = np.frombuffer(unpacking.decompress(base64.b64decode(packed), _MOST_BYTES), "<f8")
    if unpacking.unconsumed_tail:
        raise ValueError(f"more than {_MOST_BYTES} bytes are packed")
    return numbers.reshape((-1, columns), order="F")


class LabelColumn(ResultModel):
    """A label of each row of a test set, such as k, relation or probe."""

    values: list[Scalar]
    rows: str = Field(description="for each row, the index of its value, packed")

    @classmethod
    def of(cls, values: Sequence[Scalar]) -> Self:
        """Encode one value per row."""
        import numpy as np

        occurring = sorted(set(values), key=lambda value: (str(type(value)), value))
        number = {value: place for place, value in enumerate(occurring)}
        return cls(values=occurring, rows=pack(np.array([number[value] for value in values])))

    @property
    def places(self) -> "ndarray":
        """For each row, the index of its value."""
        return _places(self.rows)

    def fits(self, rows: int) -> bool:
        """Return whether every one of `rows` rows has a valid index."""
        places = unpack(self.rows)[:, 0]
        return len(places) == rows and bool(((places >= 0) & (places < len(self.values))).all())

    def where(self, value: Scalar) -> "ndarray":
        """Return the mask of the rows with this value."""
        place = self.values.index(value) if value in self.values else -1
        chosen: ndarray = self.places == place
        return chosen


@lru_cache(maxsize=32)
def _places(text: str) -> "ndarray":
    """Decode a column; cached because reports use the same columns many times."""
    return unpack(text)[:, 0].astype("int32")


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
    columns: dict[str, LabelColumn] = Field(
        default={}, description="labels by which figures can be broken down"
    )

    @classmethod
    def of(cls, path: Path, split: str, columns: Mapping[str, Sequence[Scalar]], rows: int) -> Self:
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
            columns={name: LabelColumn.of(values) for name, values in columns.items()},
        )

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

    def mask(self, where: RowFilter) -> "ndarray":
        """Return the mask of the rows that match a filter."""
        import numpy as np

        chosen = np.ones(self.rows, bool)
        for column, value in where.items():
            chosen &= self.columns[column].where(value) if column in self.columns else False
        return chosen

    def kinds(self, *names: str) -> list[dict[str, Scalar]]:
        """Return the distinct combinations of values of these columns, sorted."""
        import numpy as np

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
    baseline: bool = Field(  # files have the older word
        validation_alias=AliasChoices("yardstick", "baseline"), serialization_alias="yardstick"
    )
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


class Run(ResultModel):
    """One seed: the training of its folds, and the numbers of each test row."""

    seed: int
    folds: list[TrainingSummary]
    tests: list[str] = Field(description="for each test, the numbers of its rows, packed")


class Result(ResultModel):
    """The result of a model: numbers by seed and row."""

    # Files also contain the figures; they are recomputed from the runs.
    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)

    format: int = FORMAT
    setup: Setup
    columns: list[str] = Field(description="names of the numbers of a row")
    figures: dict[str, Ratio]
    runs: list[Run]

    @cached_property
    def numbers(self) -> "list[ndarray]":
        """For each test, an array of seeds x rows x columns."""
        import numpy as np

        return [
            np.stack([unpack(run.tests[test], len(self.columns)) for run in self.runs])
            for test in range(len(self.setup.tests))
        ]

    def __eq__(self, other: object) -> bool:
        # The cached arrays must not be compared.
        return isinstance(other, Result) and self.model_dump() == other.model_dump()

    def __hash__(self) -> int:
        return hash(self.model_dump_json())

    def sums(self, figure: str, test: int = 0, where: RowFilter | None = None) -> "ndarray":
        """Return numerators and denominators as seeds x rows x 2; NaN if unanswered."""
        import numpy as np

        if figure not in self.figures:
            raise NotFound(f"the result of {self.setup.label} has no {figure}")
        ratio, rows = self.figures[figure], self.setup.tests[test].mask(where or {})
        top = self.of_rows(ratio.top, test)[:, rows] * ratio.scale
        bottom = self.of_rows(ratio.bottom, test)[:, rows] if ratio.bottom else 1 + 0 * top
        pair: ndarray = np.stack([top, bottom], -1)
        return pair

    def of_rows(self, column: str, test: int = 0) -> "ndarray":
        """Return one column as seeds x rows."""
        if column not in self.columns:
            raise NotFound(f"the result of {self.setup.label} has no column {column}")
        numbers: ndarray = self.numbers[test][..., self.columns.index(column)]
        return numbers

    def summary(self) -> dict[str, Any]:
        """Return every figure of every test with its interval."""
        from .statistics import estimate

        tests = [
            {
                "data": data.label,
                "rows": data.rows,
                **{name: _listed(estimate([self.sums(name, test)])) for name in self.figures},
            }
            for test, data in enumerate(self.setup.tests)
        ]
        return {"model": self.setup.label, "seeds": len(self.runs), "tests": tests}

    def encoded(self) -> bytes:
        """Return the content of the result file; figures come first."""
        option = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
        content = {"summary": self.summary(), **self.model_dump(mode="json", by_alias=True)}
        return orjson.dumps(content, option=option)


def _listed(estimate: "Estimate | None") -> list[float] | None:
    """Return mean, low and high."""
    return None if estimate is None else list(estimate)


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
        paths = sorted(place.glob("*.json")) if place.is_dir() else [place]
        if not paths:
            raise NotFound(f"{place} holds no results; make some with gen eval DIR --out {place}")
        results += map(_read, paths)
    chosen = [result for result in results if task in (None, result.setup.task)]
    if not chosen:
        others = ", ".join(sorted({result.setup.task for result in results}))
        raise NotFound(f"{places[0]} holds results on {others}, and none on {task}")
    return chosen


def _whole(result: Result) -> bool:
    """Return whether every row, seed and column has a number and every figure a column."""
    tests, width = result.setup.tests, len(result.columns)
    shapes = [
        [(data.rows, width) for data in tests] == [unpack(text, width).shape for text in run.tests]
        for run in result.runs
    ]
    kinds = [column.fits(data.rows) for data in tests for column in data.columns.values()]
    named = [
        {ratio.top, ratio.bottom or ratio.top} <= set(result.columns)
        for ratio in result.figures.values()
    ]
    return bool(tests and shapes and named) and all([*shapes, *kinds, *named])


def _read(path: Path) -> Result:
    written = text.read(path, "gen eval writes results")
    try:
        content = text.parse_json(written)
        if isinstance(content, dict) and content.get("format") == 1 and "setup" in content:
            reason = "written by an earlier version"
        else:
            result = Result.model_validate(content)
            if _whole(result):
                return result
            reason = "incomplete"
    except ValidationError as error:
        reason = validation_messages(error)[0]
    except (ValueError, zlib.error):
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
