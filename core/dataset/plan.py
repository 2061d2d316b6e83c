"""Plan a dataset before it is written: rows of each split, and the manifest without files."""

from collections.abc import Mapping

from pydantic import ValidationError

from ..capabilities import Documentation, Groups, HoldOuts, Limited
from ..errors import Infeasible, InvalidOption
from ..generator import Generator
from ..options import validation_messages
from ..registry import distribution_name
from ..splits import DEFAULT_ROWS, SHARE, parse_splits
from .manifest import Manifest


def plan_splits(
    generator: Generator, text: str | None, rows: int | None, seed: int
) -> dict[str, int]:
    """Return the rows of each split from `--split` and `--rows`.

    Without `rows`, a generator that writes all rows by default gives its whole capacity.
    """
    limits, size = Limited.of(generator), Groups.of(generator).group_size
    shares = text or limits.default_split()
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
    all_rows = rows is None and limits.writes_all_rows
    capacity = limits.capacity(tuple(asked), seed) if all_rows else None
    if capacity is None:
        return asked
    return dict(capacity) if text is None else parse_splits(shares, None, min(capacity.values()))


def plan_manifest(generator: Generator, splits: Mapping[str, int], seed: int) -> Manifest:
    """Return the manifest of a dataset without its files; raise if the rows cannot be made."""
    documentation, hold_outs = Documentation.of(generator), HoldOuts.of(generator)
    try:
        plan = Manifest(
            generator=generator.name,
            version=generator.version,
            distribution=distribution_name(type(generator)),
            options=generator.options(),
            seed=seed,
            splits=dict(splits),
            sources=documentation.sources(),
            withheld=hold_outs.held_out_values(seed, tuple(splits)),
            notes=documentation.notes(),
            files=[],
        )
    except ValidationError as error:
        raise InvalidOption("; ".join(validation_messages(error, Manifest))) from None
    hold_outs.check_splits(tuple(splits))
    _check_groups(generator, splits)
    _check_capacity(generator, splits, seed)
    return plan


def _check_groups(generator: Generator, splits: Mapping[str, int]) -> None:
    size = Groups.of(generator).group_size
    for split, rows in splits.items():
        if rows % size:
            fewer = f"{rows - rows % size} or " if rows > size else ""
            raise InvalidOption(
                f"{split}={rows}: {generator.name} makes rows in groups of {size} with these "
                f"options, and splits contain whole groups; ask for "
                f"{fewer}{rows - rows % size + size}"
            )


def _check_capacity(generator: Generator, splits: Mapping[str, int], seed: int) -> None:
    capacity = Limited.of(generator).capacity(tuple(splits), seed) or splits
    for split, rows in splits.items():
        if rows > capacity[split]:
            raise Infeasible(
                f"{generator.name} can make {capacity[split]} distinct rows for each of "
                f"{len(splits)} split(s) with these options, but {rows} are asked for {split!r}; "
                f"ask for fewer or widen the options"
            )
