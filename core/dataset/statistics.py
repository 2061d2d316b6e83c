"""Statistics of a dataset: rows, labels, lengths and duplicates, as tables."""

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import accumulate, chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..capabilities import Documentation
from ..errors import MissingExtra, NotADataset, RelsmithError, install_command
from ..example import Example
from ..generator import Generator
from ..options import external_options
from ..splits import TRAIN
from .reader import Dataset

if TYPE_CHECKING:
    import pandas

_MAX_TRAINING_ROWS, _MADE_ROWS = 20_000, 5000
"""Training rows to which baselines are fitted; made ones if the dataset has none."""


@dataclass(frozen=True)
class DatasetStatistics:
    """Tables of a dataset, each with a column or a row per split."""

    title: str
    splits: "pandas.DataFrame"
    labels: "pandas.DataFrame"
    lengths: "pandas.DataFrame"
    measures: dict[str, float]

    def as_json(self) -> dict[str, Any]:
        """Return the tables as plain dictionaries."""
        return {
            "splits": self.splits.to_dict("index"),
            "labels": self.labels.to_dict("index"),
            "lengths": {
                split: table.droplevel("split").to_dict("index")
                for split, table in self.lengths.groupby(level="split", sort=False)
            },
            "measures": self.measures,
        }


def compute_statistics(folder: str | Path) -> DatasetStatistics:
    """Compute the statistics; a duplicate is a row with the input of an earlier row."""
    try:
        import pandas
    except ImportError as error:
        raise MissingExtra(f"statistics need {error.name}: {install_command('stats')}") from None
    dataset = Dataset(folder)
    inputs = array("q")
    counts = {split: _count(dataset, split, inputs) for split in dataset.manifest.splits}
    repeated = _repeated(inputs)
    ends = accumulate(count.rows for count in counts.values())
    overview = {
        split: {
            "rows": count.rows,
            "labels": len(count.targets),
            "duplicates": int(repeated[end - count.rows : end].sum()),
        }
        for end, (split, count) in zip(ends, counts.items(), strict=True)
    }
    targets = {split: count.targets for split, count in counts.items()}
    labels = pandas.DataFrame(targets).sort_index().fillna(0).astype(int)
    labels = labels.loc[labels.sum(axis=1).sort_values(ascending=False, kind="stable").index]
    labels.index.name, labels.columns.name = "target", "split"
    lengths = {
        (split, name): _described(values)
        for split, count in counts.items()
        for name, values in count.lengths.items()
    }
    index = pandas.MultiIndex.from_tuples(lengths, names=["split", "length of"])
    return DatasetStatistics(
        f"{dataset.manifest.generator} v{dataset.manifest.version}, seed {dataset.manifest.seed}",
        pandas.DataFrame.from_dict(overview, orient="index"),
        labels,
        pandas.DataFrame(list(lengths.values()), index=index),
        measures(dataset),
    )


@dataclass
class _Count:
    """Counts of a split's targets and lengths."""

    rows: int = 0
    targets: Counter[str] = field(default_factory=Counter)
    lengths: dict[str, Counter[int]] = field(
        default_factory=lambda: {name: Counter() for name in ("characters", "words", "choices")}
    )


def _count(dataset: Dataset, split: str, inputs: "array[int]") -> _Count:
    """Count the rows of a split; a hash of each input is appended to `inputs`."""
    count = _Count()
    for row in dataset.rows(split):
        count.rows += 1
        count.targets[row.target] += 1
        count.lengths["characters"][len(row.input)] += 1
        count.lengths["words"][len(row.input.split())] += 1
        count.lengths["choices"][len(row.choices)] += 1
        inputs.append(hash(row.input))
    if not count.rows:
        raise NotADataset(
            f"{dataset.folder} has no rows in its split {split!r}; run gen verify {dataset.folder}"
        )
    return count


def _repeated(inputs: "array[int]") -> Any:
    """Return for each number whether it occurred before; sorting needs less memory than a set."""
    import numpy

    numbers = numpy.frombuffer(inputs, dtype="int64")
    order = numpy.argsort(numbers, kind="stable")
    repeated = numpy.zeros(len(numbers), dtype=bool)
    repeated[order[1:]] = numbers[order[1:]] == numbers[order[:-1]]
    return repeated


def _described(values: Counter[int]) -> dict[str, float]:
    """Return mean, std, min, median and max of counted values."""
    import numpy
    import pandas

    every = pandas.Series(numpy.repeat([*values], [*values.values()]))
    figures = every.agg(["mean", "std", "min", "median", "max"]).fillna(0.0)  # std of one value
    return {str(name): float(figure) for name, figure in figures.items()}


def measures(dataset: Dataset, tested: Sequence[str] = ()) -> dict[str, float]:
    """Return the generator's own statistics of some splits, if its version is installed.

    By default of all splits but train, and of train if there is no other.
    """
    generator = dataset.generator
    if generator is None:
        return {}
    splits = tested or [name for name in dataset.manifest.splits if name != TRAIN] or [TRAIN]
    rows = chain.from_iterable(map(dataset.rows, splits))
    with dataset.explain_damage():
        train = _training_rows(dataset, splits, generator)
        return Documentation.of_class(generator).measures(rows, train)


def _training_rows(
    dataset: Dataset, tested: Sequence[str], generator: type[Generator]
) -> Iterable[Example]:
    """Return the split train, or rows that the generator would write to it with the same options.

    If train is tested, rows are made with the next seed. None are made if options name files.
    """
    manifest = dataset.manifest
    if TRAIN in manifest.splits and TRAIN not in tested:
        return islice(dataset.rows(TRAIN), _MAX_TRAINING_ROWS)
    with suppress(RelsmithError):
        if not external_options(generator, manifest.options):
            splits = tuple(dict.fromkeys((*manifest.splits, TRAIN)))
            return generator.configure(manifest.options).examples(
                _MADE_ROWS, seed=manifest.seed + (TRAIN in tested), split=TRAIN, splits=splits
            )
    return ()
