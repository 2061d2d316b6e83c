"""The number of files per split: given directly, or by file size."""

import re
from collections.abc import Iterable, Mapping
from itertools import islice
from math import ceil

from ..block import ROWS_PER_BLOCK
from ..errors import InvalidOption, hint
from ..example import Example
from .manifest import default_shards

Shards = int | str | Mapping[str, int] | None
"""Files per split (`4` or `train=10,test=2`) or a size such as `64MB`; None for the default."""

_EXPECTED = "--shards: expected a number (4, or train=10,test=2) or a size (64MB)"
_UNITS = {"B": 1, "kB": 10**3, "KB": 10**3, "MB": 10**6, "GB": 10**9}
_SIZE = re.compile(rf"(\d+(?:\.\d+)?) ?({'|'.join(_UNITS)})")


def shard_counts(
    shards: Shards, splits: Mapping[str, int], group_size: int, rows: Iterable[Example]
) -> dict[str, int]:
    """Return the number of files of each split; at most one per group of rows.

    A size counts bytes before compression, so that a file has the same rows in every format. It
    is met on average: the mean length is that of the first `rows`.
    """
    wanted = _parse(shards, splits)
    if isinstance(wanted, float):
        files_per_row = _mean_length(rows, wanted) / wanted
        wanted = {split: ceil(count * files_per_row) for split, count in splits.items()}
    return {
        split: min(count // group_size, wanted.get(split) or default_shards(count))
        for split, count in splits.items()
    }


def _parse(shards: Shards, splits: Mapping[str, int]) -> dict[str, int] | float:
    """Return the number of files by split, or the size in bytes."""
    if isinstance(shards, str) and (size := _SIZE.fullmatch(shards.strip())):
        return float(size[1]) * _UNITS[size[2]]
    if isinstance(shards, str) and "=" in shards:
        pairs = [part.strip().partition("=") for part in shards.split(",")]
        shards = {name: _number(number, shards) for name, _, number in pairs}
    if isinstance(shards, Mapping):
        for split in shards:
            if split not in splits:
                raise InvalidOption(f"--shards: there is no split {split!r}; {hint(split, splits)}")
        given = dict(shards)
    else:
        given = {} if shards is None else dict.fromkeys(splits, _number(shards, shards))
    for number in given.values():
        if number < 1:
            raise InvalidOption(f"--shards: expected at least 1, but got {number}")
    return given


def _number(word: int | str, option: object) -> int:
    try:
        return int(word)
    except ValueError:
        raise InvalidOption(f"{_EXPECTED}, but got {option!r}") from None


def _mean_length(rows: Iterable[Example], size: float) -> float:
    """Return the mean length of a line in bytes; raise if a row exceeds `size`."""
    sizes = [len(row.encoded().encode()) + 1 for row in islice(rows, ROWS_PER_BLOCK)]
    if size < max(sizes):
        raise InvalidOption(
            f"--shards: a file of {size:.0f} bytes is too small for a row of {max(sizes)}; "
            f"ask for larger files"
        )
    return sum(sizes) / len(sizes)
