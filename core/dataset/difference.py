"""Comparing two datasets: first what their manifests say, then their rows."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from ..example import Example
from ..storage.store import Place
from .reader import Dataset

_ABSENT = "absent"


@dataclass(frozen=True)
class Difference:
    """A place where two datasets differ, with both values."""

    where: str
    left: Any
    right: Any


def diff(left: str | Place, right: str | Place, *, rows: int = 3) -> Iterator[Difference]:
    """Yield what differs: manifest fields, then fields of the first `rows` differing rows."""
    a, b = Dataset(left), Dataset(right)
    yield from _fields("", _facts(a), _facts(b))
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


def _facts(dataset: Dataset) -> dict[str, Any]:
    return dataset.manifest.model_dump(mode="json", exclude={"files"})


def _row(example: Example | None) -> Any:
    if example is None:
        return _ABSENT
    return {name: getattr(example, name) for name in Example.__slots__}


def _fields(where: str, left: Any, right: Any) -> Iterator[Difference]:
    if isinstance(left, dict) and isinstance(right, dict):
        for name in [*left, *(name for name in right if name not in left)]:
            inner = f"{where}.{name}" if where else name
            yield from _fields(inner, left.get(name, _ABSENT), right.get(name, _ABSENT))
    elif left != right:
        yield Difference(where, left, right)
