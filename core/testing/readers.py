"""Read rows with common table readers, for the conformance suite."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr
from functools import partial
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from typing import Any

from ..dataset.columns import arrow_schema
from ..generator import Generator

Read = Callable[[Path, type[Generator]], list[dict[str, Any]]]


def read_back(lines: Path, cls: type[Generator]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield the name of each installed reader and the rows it reads from a JSON lines file.

    A warning names the readers that are not installed.
    """
    missing = [name for name, needed, _ in _READERS if not all(map(find_spec, needed))]
    if missing:
        warnings.warn(
            f"not checked, as it is not installed: whether {', '.join(missing)} gets rows of "
            f"{cls.name} back; pip install pyarrow polars pandas datasets",
            stacklevel=2,
        )
    for name, _, read in _READERS:
        if name not in missing:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the readers' own
                yield name, read(lines, cls)


def _arrow(lines: Path, cls: type[Generator], *, guessed: bool = False) -> Any:
    from pyarrow import json

    longest = max(map(len, lines.read_bytes().splitlines()))
    return json.read_json(
        lines,
        json.ReadOptions(block_size=max(1 << 20, 2 * longest)),
        None if guessed else json.ParseOptions(explicit_schema=arrow_schema(cls)),
    )


def _by_arrow(lines: Path, cls: type[Generator], *, guessed: bool = False) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = _arrow(lines, cls, guessed=guessed).to_pylist()
    return rows


def _parquet(lines: Path, cls: type[Generator]) -> Path:
    from pyarrow import parquet

    path = lines.with_suffix(".parquet")
    if not path.exists():
        parquet.write_table(_arrow(lines, cls), path)
    return path


def _by_parquet(lines: Path, cls: type[Generator]) -> list[dict[str, Any]]:
    from pyarrow import parquet

    rows: list[dict[str, Any]] = parquet.read_table(_parquet(lines, cls)).to_pylist()
    return rows


def _by_polars(lines: Path, cls: type[Generator]) -> list[dict[str, Any]]:
    import polars

    # By default polars infers types from the first hundred rows.
    rows: list[dict[str, Any]] = polars.read_ndjson(lines, infer_schema_length=None).to_dicts()
    return rows


def _by_polars_parquet(lines: Path, cls: type[Generator]) -> list[dict[str, Any]]:
    import polars

    path = lines.with_suffix(".polars")
    polars.read_parquet(_parquet(lines, cls)).write_parquet(path)
    rows: list[dict[str, Any]] = polars.read_parquet(path).to_dicts()
    return rows


def _by_pandas(lines: Path, cls: type[Generator]) -> list[dict[str, Any]]:
    import pandas

    # Without dtype=False, targets of digits become numbers; precise_float keeps numbers exact.
    frame = pandas.read_json(lines, lines=True, dtype=False, precise_float=True)
    return [{str(name): value for name, value in row.items()} for row in frame.to_dict("records")]


def _by_pandas_parquet(lines: Path, cls: type[Generator]) -> list[dict[str, Any]]:
    import pandas

    records = pandas.read_parquet(_parquet(lines, cls)).to_dict("records")
    return [{str(name): _to_lists(value) for name, value in row.items()} for row in records]


def _to_lists(value: Any) -> Any:
    """Convert arrays of pandas to lists."""
    if isinstance(value, dict):
        return {name: _to_lists(inner) for name, inner in value.items()}
    if hasattr(value, "tolist"):
        value = value.tolist()
    return [_to_lists(inner) for inner in value] if isinstance(value, list) else value


def _by_datasets(lines: Path, cls: type[Generator]) -> list[dict[str, Any]]:
    with redirect_stderr(StringIO()):  # progress bars
        from datasets import Dataset

        loaded = Dataset.from_json(str(lines), cache_dir=str(lines.with_suffix(".cache")))
        return [dict(row) for row in loaded]


_READERS: tuple[tuple[str, tuple[str, ...], Read], ...] = (
    ("pyarrow's JSON reader with the schema", ("pyarrow",), _by_arrow),
    ("pyarrow's JSON reader", ("pyarrow",), partial(_by_arrow, guessed=True)),
    ("pyarrow from Parquet", ("pyarrow",), _by_parquet),
    ("polars", ("polars",), _by_polars),
    ("polars from Parquet", ("polars", "pyarrow"), _by_polars_parquet),
    ("pandas", ("pandas",), _by_pandas),
    ("pandas from Parquet", ("pandas", "pyarrow"), _by_pandas_parquet),
    ("datasets", ("datasets",), _by_datasets),
)
