"""What came out of an evaluation: one schema for every task, down to the numbers of each row.

A figure is a sum over rows divided by another, so that any part of the rows has its figure, and an
interval by drawing rows anew. A result says which sums those are: reports need no task.
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
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..dataset import Dataset
from ..errors import InvalidOption, NotADataset, NotFound
from ..labels import Value
from ..options import complaints
from ..storage import files, text
from .training import Training

if TYPE_CHECKING:
    from numpy import ndarray

    from .statistics import Estimate

FORMAT = 2
_MOST_BYTES = 1 << 30
"""No result has so many numbers; what does was made to fill a memory."""

Where = Mapping[str, Value]
"""Columns of rows, and what they must hold."""


class Part(BaseModel):
    """A part of a result; nothing is in it that is not named."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


def pack(numbers: "ndarray") -> str:
    """Numbers as text: column by column, compressed, in base64."""
    return base64.b64encode(zlib.compress(numbers.astype("<f8").tobytes("F"), 9)).decode()


def unpack(packed: str, columns: int = 1) -> "ndarray":
    """What `pack` made text of, with so many columns."""
    import numpy as np

    unpacking = zlib.decompressobj()
    numbers = np.frombuffer(unpacking.decompress(base64.b64decode(packed), _MOST_BYTES), "<f8")
    if unpacking.unconsumed_tail:
        raise ValueError(f"more than {_MOST_BYTES} bytes are packed")
    return numbers.reshape((-1, columns), order="F")


class Column(Part):
    """What each row of a test is like in one respect: its k, its relation, its probe."""

    values: list[Value]
    rows: str = Field(description="the place among the values of each row's, packed")

    @classmethod
    def of(cls, values: Sequence[Value]) -> Self:
        """Number what occurs."""
        import numpy as np

        occurring = sorted(set(values), key=lambda value: (str(type(value)), value))
        number = {value: place for place, value in enumerate(occurring)}
        return cls(values=occurring, rows=pack(np.array([number[value] for value in values])))

    @property
    def places(self) -> "ndarray":
        """The place among the values of each row's."""
        return _places(self.rows)

    def fits(self, rows: int) -> bool:
        """Whether it has one of the values for each of so many rows."""
        places = unpack(self.rows)[:, 0]
        return len(places) == rows and bool(((places >= 0) & (places < len(self.values))).all())

    def where(self, value: Value) -> "ndarray":
        """Which rows hold it."""
        place = self.values.index(value) if value in self.values else -1
        chosen: ndarray = self.places == place
        return chosen


@lru_cache(maxsize=32)
def _places(text: str) -> "ndarray":
    """Reports ask for the same columns many times."""
    return unpack(text)[:, 0].astype("int32")


class Data(Part):
    """A split of a dataset, or a file of rows."""

    name: str = Field(description="of the folder or file")
    split: str | None = Field(description="a file has none")
    digest: str = Field(description="sha256 of manifest.json, or of the files")
    rows: int
    generator: str | None = None
    version: int | None = None
    options: dict[str, Any] = {}
    seed: int | None = None
    columns: dict[str, Column] = Field(default={}, description="what figures can be divided by")

    @classmethod
    def of(cls, path: Path, split: str, columns: Mapping[str, Sequence[Value]], rows: int) -> Self:
        """What is said of the rows of a dataset's split."""
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
            columns={name: Column.of(values) for name, values in columns.items()},
        )

    @property
    def label(self) -> str:
        """Name and split."""
        return f"{self.name} ({self.split})" if self.split else self.name

    def column(self, name: str) -> Column:
        """What rows are told apart by under this name."""
        if name not in self.columns:
            listed = ", ".join(self.columns) or "nothing"
            raise NotFound(f"the rows of {self.label} have no {name}; they have {listed}")
        return self.columns[name]

    def mask(self, where: Where) -> "ndarray":
        """Which rows have what is wanted."""
        import numpy as np

        chosen = np.ones(self.rows, bool)
        for column, value in where.items():
            chosen &= self.columns[column].where(value) if column in self.columns else False
        return chosen

    def kinds(self, *names: str) -> list[dict[str, Value]]:
        """What these columns hold together, in order, each once."""
        import numpy as np

        columns = [self.column(name) for name in names]
        shape = [len(column.values) for column in columns]
        places = np.ravel_multi_index(tuple(column.places for column in columns), shape)
        every = np.unravel_index(np.unique(places), shape)
        return [
            {name: column.values[n] for name, column, n in zip(names, columns, some, strict=True)}
            for some in zip(*(part.tolist() for part in every), strict=True)
        ]


class Setup(Part):
    """All that a result depends on."""

    task: str
    model: str
    label: str = Field(description="what tables call the model")
    yardstick: bool
    hyperparameters: dict[str, Any]
    training: Training
    train: Data | None
    tests: list[Data]
    files: dict[str, str] = Field(description="sha256 of what the model reads, by name")
    device: str
    versions: dict[str, str]


class Ratio(Part):
    """A figure: the sum of one column over that of another, or over the number of rows."""

    top: str
    bottom: str | None = None
    scale: float = 1.0


class Learning(Part):
    """How the training of one fold went."""

    fold: str = ""
    epochs: int = 0
    best_epoch: int = 0
    validation: float | None = None


class Run(Part):
    """One seed: how its folds were learnt, and the numbers of each row of each test."""

    seed: int
    folds: list[Learning]
    tests: list[str] = Field(description="a row of numbers for each row, packed")


class Result(Part):
    """What a model achieved, seed by seed and row by row."""

    # The file says the figures as well; they are computed anew from the runs.
    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)

    format: int = FORMAT
    setup: Setup
    columns: list[str] = Field(description="the numbers of a row")
    figures: dict[str, Ratio]
    runs: list[Run]

    @cached_property
    def numbers(self) -> "list[ndarray]":
        """For each test: seeds x rows x columns."""
        import numpy as np

        return [
            np.stack([unpack(run.tests[test], len(self.columns)) for run in self.runs])
            for test in range(len(self.setup.tests))
        ]

    def __eq__(self, other: object) -> bool:
        # Numbers that were unpacked are no part of it, and arrays cannot be compared as parts are.
        return isinstance(other, Result) and self.model_dump() == other.model_dump()

    def __hash__(self) -> int:
        return hash(self.model_dump_json())

    def sums(self, figure: str, test: int = 0, where: Where | None = None) -> "ndarray":
        """Seeds x rows x 2: what the figure divides, and by what; no numbers where unanswered."""
        import numpy as np

        if figure not in self.figures:
            raise NotFound(f"the result of {self.setup.label} has no {figure}")
        ratio, rows = self.figures[figure], self.setup.tests[test].mask(where or {})
        top = self.of_rows(ratio.top, test)[:, rows] * ratio.scale
        bottom = self.of_rows(ratio.bottom, test)[:, rows] if ratio.bottom else 1 + 0 * top
        pair: ndarray = np.stack([top, bottom], -1)
        return pair

    def of_rows(self, column: str, test: int = 0) -> "ndarray":
        """Seeds x rows: one of the numbers of each row."""
        if column not in self.columns:
            raise NotFound(f"the result of {self.setup.label} has no {column} of its rows")
        numbers: ndarray = self.numbers[test][..., self.columns.index(column)]
        return numbers

    def summary(self) -> dict[str, Any]:
        """Every figure of every test with its interval."""
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
        """What its file holds, the figures first."""
        option = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
        content = {"summary": self.summary(), **self.model_dump(mode="json")}
        return orjson.dumps(content, option=option)


def _listed(estimate: "Estimate | None") -> list[float] | None:
    """Mean, low and high."""
    return None if estimate is None else list(estimate)


def versions(*packages: str) -> dict[str, str]:
    """Those of ours, of Python, and of packages that a result depends on."""
    ours = {name: metadata.version(name) for name in ("relsmith", *packages)}
    return ours | {"python": platform.python_version()}


def file_name(setup: Setup) -> str:
    """What the file of a result is called."""
    data = setup.train or setup.tests[0]
    return re.sub(r"[^\w.,+-]+", "-", f"{data.name}-{setup.label}".replace(" + ", "+")).strip("-")


def load(places: Sequence[Path], task: str | None = None) -> list[Result]:
    """The results in these files, and in every JSON file of these folders; of one task if named."""
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
    """Whether there is a number for each row, seed and column, and a column for each figure."""
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
            reason = "it is of an earlier relsmith"
        else:
            result = Result.model_validate(content)
            if _whole(result):
                return result
            reason = "it is not whole"
    except ValidationError as error:
        reason = complaints(error)[0]
    except (ValueError, zlib.error):
        reason = "it is not JSON, or damaged"
    raise NotADataset(f"{path} is no result of gen eval ({reason}); name results that are")


def check_setup(path: Path, kept: Setup, setup: Setup) -> None:
    """Complain where a file holds a result of another setup."""
    names = [name for name in Setup.model_fields if getattr(kept, name) != getattr(setup, name)]
    if names:
        raise InvalidOption(
            f"{path} holds a result of another setup ({' and '.join(names)} "
            f"differ{'s' * (len(names) == 1)}); write elsewhere with --out, or remove it"
        )
