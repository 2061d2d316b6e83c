"""What a dataset looks like in numbers: rows, labels, lengths, duplicates, and a plot of them."""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InvalidOption, MissingExtra, RelsmithError, install, reason
from ..registry import GENERATORS
from .reader import Dataset

if TYPE_CHECKING:
    import pandas

_MOST_LABELS = 30


@dataclass(frozen=True)
class Statistics:
    """Tables about a dataset; each has a column or a row for each split."""

    title: str
    splits: "pandas.DataFrame"
    labels: "pandas.DataFrame"
    lengths: "pandas.DataFrame"
    measures: dict[str, float]

    def as_json(self) -> dict[str, Any]:
        """The tables as plain dictionaries."""
        return {
            "splits": self.splits.to_dict("index"),
            "labels": self.labels.to_dict("index"),
            "lengths": {
                split: table.droplevel("split").to_dict("index")
                for split, table in self.lengths.groupby(level="split", sort=False)
            },
            "measures": self.measures,
        }


def statistics(folder: str | Path) -> Statistics:
    """Count what is there; a duplicate is a row whose input stood in an earlier row."""
    pandas = _pandas()
    dataset = Dataset(folder)
    splits = list(dataset.manifest.splits)
    rows = pandas.DataFrame(
        (
            (
                split,
                row.target,
                len(row.input),
                len(row.input.split()),
                len(row.choices),
                hash(row.input),
            )
            for split in splits
            for row in dataset.rows(split)
        ),
        columns=["split", "target", "characters", "words", "choices", "input"],
    )
    rows["split"] = pandas.Categorical(rows["split"], categories=splits)
    rows["target"] = rows["target"].astype("category")
    rows["duplicate"] = rows["input"].duplicated()
    by_split = rows.groupby("split", observed=False)
    overview = by_split.agg(
        rows=("input", "size"), labels=("target", "nunique"), duplicates=("duplicate", "sum")
    )
    labels = rows.groupby(["target", "split"], observed=False).size().unstack("split")
    labels = labels.loc[labels.sum(axis=1).sort_values(ascending=False, kind="stable").index]
    lengths = by_split[["characters", "words", "choices"]].describe().stack(level=0)
    lengths.index.names = ["split", "length of"]
    wanted = ["mean", "std", "min", "50%", "max"]
    return Statistics(
        f"{dataset.manifest.generator} v{dataset.manifest.version}, seed {dataset.manifest.seed}",
        overview,
        labels,
        lengths[wanted].rename(columns={"50%": "median"}).fillna(0.0),
        _measures(dataset),
    )


def _measures(dataset: Dataset) -> dict[str, float]:
    """What the generator itself measures, where it is installed in the dataset's version."""
    manifest = dataset.manifest
    with suppress(RelsmithError):
        generator = GENERATORS.get(manifest.generator)
        if generator.version == manifest.version:
            return generator.configure(manifest.options).measures(dataset.rows())
    return {}


def plot(found: Statistics, path: str | Path) -> None:
    """Draw the label distribution and the split sizes to a picture file."""
    _pandas()
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    shown = found.labels.head(_MOST_LABELS)
    left_out = len(found.labels) - len(shown)
    figure, axes = pyplot.subplots(figsize=(10, max(3.0, 0.28 * len(shown) + 1.5)))
    shares = 100 * shown / found.labels.sum()
    # From the bottom up, so that rows and splits read downwards.
    shares.iloc[::-1, ::-1].plot.barh(ax=axes, width=0.8, legend=False)
    if len(shares.columns) > 1:
        axes.legend(reverse=True, frameon=False)
    axes.set_xlabel("% of the split's rows")
    axes.set_ylabel("")
    axes.set_title(
        f"{found.title}: targets" + (f" ({left_out} rarer ones left out)" if left_out else "")
    )
    axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    try:
        figure.savefig(path, dpi=120)
    except (OSError, ValueError) as error:
        raise InvalidOption(
            f"--plot: cannot draw to {Path(path).name}: {reason(error)}; name a .png, .svg or .pdf"
        ) from None
    finally:
        pyplot.close(figure)


def _pandas() -> Any:
    try:
        import matplotlib
        import pandas
    except ImportError as error:
        raise MissingExtra(f"statistics need {error.name}: {install('stats')}") from None
    del matplotlib
    return pandas
