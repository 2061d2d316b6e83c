"""Split sizes: `train=5000,test=100` in rows or `train=0.8,test=0.2` as shares."""

import re
from collections.abc import Iterable
from fractions import Fraction

from .errors import InvalidOption

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
