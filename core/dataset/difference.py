"""Compare two datasets: first their manifests, then their rows."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from ..example import Example
from .reader import Dataset

_ABSENT = "absent"


@dataclass(frozen=True)
class DatasetDifference:
    """A field in which two datasets differ, with both values."""

    where: str
    left: Any
    right: Any


def diff(left: str | Path, right: str | Path, *, rows: int = 3) -> Iterator[DatasetDifference]:
    """Yield differing manifest fields, then fields of the first `rows` differing rows."""
    a, b = Dataset(left), Dataset(right)
    left_manifest, right_manifest = (
        dataset.manifest.model_dump(mode="json", exclude={"files"}) for dataset in (a, b)
    )
    yield from _fields("", left_manifest, right_manifest)
    for split in a.manifest.splits:
        if split in b.manifest.splits:
            found = 0
            pairs = zip_longest(a.rows(split), b.rows(split))
            for n, (mine, theirs) in enumerate(pairs):
                if found < rows and mine != theirs:
                    found += 1
                    yield from _fields(f"{split}[{n}]", _row(mine), _row(theirs))
                if found == rows:
                    break


def _row(example: Example | None) -> Any:
    return _ABSENT if example is None else example.record()


def _fields(where: str, left: Any, right: Any) -> Iterator[DatasetDifference]:
    if isinstance(left, dict) and isinstance(right, dict):
        for name in [*left, *(name for name in right if name not in left)]:
            inner = f"{where}.{name}" if where else name
            yield from _fields(inner, left.get(name, _ABSENT), right.get(name, _ABSENT))
    elif left != right:
        yield DatasetDifference(where, left, right)
