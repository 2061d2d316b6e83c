"""Split sizes: `train=5000,test=100` in rows or `train=0.8,test=0.2` as shares."""

import re
from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING

from .errors import InvalidOption

if TYPE_CHECKING:
    from .generator import Generator

DEFAULT_SPLITS = "train=1.0"
DEFAULT_ROWS = 1000
TRAIN = "train"
"""The training split; values are held out from this one."""

TEST = "test"

SPLIT_NAME = re.compile(r"[a-z][a-z0-9_]*")
_ROWS = re.compile(r"\d+")
SHARE = re.compile(r"\d*\.\d+|\d+\.")


def test_split(splits: Iterable[str]) -> str:
    """Return the split to test models on: `test`, or the last one."""
    return TEST if TEST in (listed := list(splits)) else listed[-1]


def plan_splits(
    generator: "Generator", text: str | None, rows: int | None, seed: int
) -> dict[str, int]:
    """Return the rows of each split from `--split` and `--rows`.

    Without `rows`, a generator that writes all rows by default gives its whole capacity.
    """
    shares = text or generator.default_split()
    size = generator.group_size
    if size > 1 and SHARE.search(shares):
        # Shares count whole groups, because splits must not cut one.
        if rows is not None and rows % size:
            raise InvalidOption(
                f"--rows: {generator.name} makes rows in groups of {size} with these options; "
                f"ask for {max(1, rows // size) * size} or {(rows // size + 1) * size}"
            )
        groups = parse_splits(shares, (rows or DEFAULT_ROWS) // size)
        return {split: count * size for split, count in groups.items()}
    asked = parse_splits(shares, rows)
    all_rows = rows is None and generator.writes_all_rows
    capacity = generator.capacity(tuple(asked), seed) if all_rows else None
    if capacity is None:
        return asked
    return dict(capacity) if text is None else parse_splits(shares, None, min(capacity.values()))


def parse_splits(
    text: str = DEFAULT_SPLITS, rows: int | None = None, capacity: int | None = None
) -> dict[str, int]:
    """Parse a split option; the counts add up to `rows` exactly.

    Without `rows`, shares are of `DEFAULT_ROWS`; with `capacity`, the largest split gets that.
    """
    if rows is not None and rows < 1:
        raise InvalidOption(f"--rows: expected at least 1, but got {rows}")
    parts = [part.strip().partition("=") for part in text.split(",")]
    names = [name for name, _, _ in parts]
    for name, equals, _ in parts:
        if not equals or not SPLIT_NAME.fullmatch(name):
            raise InvalidOption(
                f"--split: expected name=rows or name=share with a name of lower-case letters, "
                f"digits and _, such as train=0.8,test=0.2, but got {text!r}"
            )
    if len(set(names)) < len(names):
        raise InvalidOption(f"--split: each name may occur once, but got {text!r}")

    values = [value.strip() for _, _, value in parts]
    if all(_ROWS.fullmatch(value) for value in values):
        return _by_rows(text, names, [int(value) for value in values], rows)
    if all(SHARE.fullmatch(value) for value in values):
        shares = [Fraction(value) for value in values]
        if capacity and rows is None and max(shares):
            rows = int(capacity / max(shares))
        return _by_share(text, names, shares, rows or DEFAULT_ROWS)
    raise InvalidOption(
        f"--split: expected all rows (train=5000,test=100) or all shares "
        f"(train=0.8,test=0.2), but got {text!r}"
    )


def _by_rows(text: str, names: list[str], counts: list[int], rows: int | None) -> dict[str, int]:
    if 0 in counts:
        raise InvalidOption(f"--split: every split needs at least one row, but got {text!r}")
    if rows is not None and sum(counts) != rows:
        raise InvalidOption(
            f"--split {text!r} adds up to {sum(counts)} rows, but --rows says {rows}; "
            f"leave --rows out or make them agree"
        )
    return dict(zip(names, counts, strict=True))


def _by_share(text: str, names: list[str], shares: list[Fraction], rows: int) -> dict[str, int]:
    if sum(shares) != 1:
        raise InvalidOption(
            f"--split: shares must add up to 1, but {text!r} adds up to {float(sum(shares)):g}"
        )
    counts = [int(share * rows) for share in shares]
    by_remainder = sorted(range(len(names)), key=lambda split: counts[split] - shares[split] * rows)
    for split in by_remainder[: rows - sum(counts)]:
        counts[split] += 1
    if 0 in counts:
        empty = names[counts.index(0)]
        raise InvalidOption(
            f"--split {text!r} of {rows} rows leaves {empty!r} empty; ask for more --rows"
        )
    return dict(zip(names, counts, strict=True))
