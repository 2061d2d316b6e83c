"""Tables of results: any figure, by model and by row labels."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
import yaml

from ..errors import InvalidOption, NotFound, hint
from ..flat_metadata import Scalar
from .result import Result, RowFilter
from .statistics import Difference, Estimate, Sample, compare, holm

PublishedFigure = tuple[float, float]
"""A figure of a paper and its error; 0 if the paper gives none."""


@dataclass(frozen=True)
class TableRow:
    """The figures of a model by column, ours and the published ones; None if missing."""

    model: str
    baseline: bool
    cells: list[Estimate | None]
    paper: list[PublishedFigure | None]
    marks: Sequence[str] = ()
    """For each column, whether the figure is above or below that of another model."""


@dataclass(frozen=True)
class Table:
    """A table with one row per model, baselines last."""

    title: str
    columns: list[str]
    lines: list[TableRow]
    note: str = ""
    digits: int = 2
    head: str = "model"

    def as_json(self) -> dict[str, Any]:
        """Return the table as plain dictionaries; a figure is [mean, low, high]."""
        return {
            "title": self.title,
            "note": self.note,
            "rows": [
                {
                    "model": line.model,
                    "baseline": line.baseline,
                    "figures": {
                        column: cell and list(cell)
                        for column, cell in zip(self.columns, line.cells, strict=True)
                    },
                    "paper": {
                        column: cell
                        for column, cell in zip(self.columns, line.paper, strict=True)
                        if cell
                    },
                    **({"marks": list(line.marks)} if line.marks else {}),
                }
                for line in self.lines
            ],
        }


_INTERVALS = "\u00b1: half-width of the 95 % interval over "


def interval_note(results: Sequence[Result]) -> str:
    """Say what the intervals of these results are over: clusters of rows, and seeds."""
    over = sorted({data.sampling.unit for result in results for data in result.setup.tests})
    several = any(len(result.runs) > 1 for result in results)
    single = [
        result.setup.label
        for result in with_distinct_labels(results)
        if len(result.runs) == 1 and result.setup.train and not result.setup.baseline
    ]
    listed = f" ({', '.join(dict.fromkeys(single))}: one seed, so other trainings are not covered)"
    return f"{_INTERVALS}{' or '.join(over)}{' and seeds' * several}{listed if single else ''}"


def with_notes(tables: Sequence[Table], results: Sequence[Result], *notes: str) -> list[Table]:
    """Add notes, and the explanation of the intervals, to the last table."""
    told = [note for note in tables[-1].note.split("; ") if not note.startswith(_INTERVALS)]
    new = [note for note in (*notes, *training_notes(results)) if note not in told]
    under = "; ".join(note for note in (*told, *new, interval_note(results)) if note)
    return [*tables[:-1], replace(tables[-1], note=under)]


def training_notes(results: Sequence[Result]) -> list[str]:
    """Return a note for each warning about training, with the models that it is about."""
    every: Counter[str] = Counter()
    warned: dict[str, Counter[str]] = {}
    for result in ordered(results):
        every[result.setup.label] += len(result.runs)
        for warning, count in result.warnings.items():
            warned.setdefault(warning, Counter())[result.setup.label] += count
    return [
        f"{warning}: " + ", ".join(f"{name} ({runs[name]} of {every[name]} runs)" for name in runs)
        for warning, runs in warned.items()
    ]


@cache
def paper(name: str) -> Any:
    """Return the published figures of a paper."""
    text = (
        resources.files(__package__).joinpath("papers", name, "published.yaml").read_text("utf-8")
    )
    return yaml.safe_load(text)


def figure(
    result: Result,
    name: str,
    test: int = 0,
    where: RowFilter | None = None,
    average_over: str | None = None,
) -> Estimate | None:
    """Estimate a figure on some rows; `average_over`: mean over the values of that column.

    The values of that column are then what was drawn, or rows if there is one value.
    """
    data, sums = result.setup.tests[test], result.sums(name, test, where)
    if average_over not in data.columns:
        sample = result.sample(name, test, where)
    else:
        places = data.columns[average_over].places[data.mask(where or {})]
        parts = [sums[:, places == place] for place in np.unique(places)]
        sample = Sample.averaged(parts, result.figures[name].scale)
    return sample.estimate() if sample else None


def ordered(results: Sequence[Result], names: Sequence[str] = ()) -> list[Result]:
    """Sort results by these model names, baselines last, with distinct labels."""

    def rank(result: Result) -> tuple[bool, int, str]:
        setup = result.setup
        place = names.index(setup.model) if setup.model in names else len(names)
        return setup.baseline, place, setup.label

    return sorted(with_distinct_labels(results), key=rank)


def with_distinct_labels(results: Sequence[Result]) -> list[Result]:
    """Add the options that differ to labels that several results share."""
    shared: dict[str, set[tuple[str, str]]] = {}
    for result in results:
        label, options = result.setup.label, result.setup.hyperparameters.items()
        told = {(option, repr(value)) for option, value in options}
        shared[label] = shared.get(label, told) & told

    def named(result: Result) -> Result:
        setup = result.setup
        differing = ", ".join(
            f"{option}={value}"
            for option, value in setup.hyperparameters.items()
            if (option, repr(value)) not in shared[setup.label] and value is not None
        )
        label = f"{setup.label} ({differing})" if differing else setup.label
        return result.model_copy(update={"setup": setup.model_copy(update={"label": label})})

    return [named(result) for result in results]


Place = tuple[Result, int, RowFilter]
"""Some rows of a test of a result."""


def marked(
    table: Table, places: Sequence[Sequence[Place | None]], versus: str, name: str = "accuracy"
) -> Table:
    """Mark figures that are above or below those of the model `versus`, on the same rows.

    p must be below 0.05, corrected for all comparisons of the table (Holm). A table without that
    model has no marks.
    """
    labels = [line.model for line in table.lines]
    if versus not in labels:
        return table
    others = places[labels.index(versus)]
    found = [
        _compared(own, other, name) if own and other and own is not other else None
        for some in places
        for own, other in zip(some, others, strict=True)
    ]
    corrected = iter(holm([each.p for each in found if each]))
    shown = (each and next(corrected) < 0.05 and _MARKS[each.difference > 0] for each in found)
    lines = [replace(line, marks=[next(shown) or "" for _ in others]) for line in table.lines]
    units = {place[0].setup.tests[place[1]].sampling.unit for place in others if place}
    counts = dict.fromkeys(str(each.clusters) for each in found if each)
    note = (
        f"{' '.join(_MARKS)}: below or above {versus} (p < .05 over {', '.join(counts)} "
        f"{' or '.join(sorted(units))}, corrected for the table by Holm)"
    )
    return replace(table, lines=lines, note=note)


def check_versus(versus: str, results: Sequence[Result]) -> None:
    """Raise InvalidOption if no result is of the model `versus`."""
    labels = [result.setup.label for result in results]
    if versus and versus not in labels:
        raise InvalidOption(f"no model {versus!r} to compare with; {hint(versus, labels)}")


_MARKS = ("\u2193", "\u2191")


def _compared(own: Place, other: Place, name: str) -> Difference | None:
    data = own[0].setup.tests[own[1]]
    theirs, ours = (result.sums(name, test, where) for result, test, where in (other, own))
    return compare(theirs, ours, data.sampling.keys(data.mask(own[2])))


def line(result: Result, cells: Iterable[Estimate | None], beside: Sequence[Any] = ()) -> TableRow:
    """Make the table row of a result; `beside` are the published figures, if any."""
    listed = list(cells)
    papers = [_paper(value) for value in beside] or [None] * len(listed)
    return TableRow(result.setup.label, result.setup.baseline, listed, papers)


def _paper(value: Any) -> PublishedFigure | None:
    if value is None:
        return None
    mean, error = value if isinstance(value, list | tuple) else (value, 0.0)
    return float(mean), float(error)


def tests_of(results: Sequence[Result]) -> dict[tuple[str, str], list[tuple[Result, int]]]:
    """Group results by training and test data; values are (result, test index) pairs."""
    tests: dict[tuple[str, str], list[tuple[Result, int]]] = {}
    for result in results:
        trained = result.setup.train.name if result.setup.train else ""
        for number, data in enumerate(result.setup.tests):
            tests.setdefault((trained, data.label), []).append((result, number))
    return tests


def by(
    results: Sequence[Result], columns: Sequence[str], name: str | None = None, versus: str = ""
) -> list[Table]:
    """Make a table for each test set: one figure per model, by the values of these columns.

    Figures above or below those of the model `versus` are marked.
    """
    listed = ordered(results)
    check_versus(versus, listed)
    tables = []
    for (trained, tested), pairs in tests_of(listed).items():
        chosen = _chosen(name, *(result for result, _ in pairs))
        wheres = _combinations(pairs[0], columns)
        places = [[(*pair, where) for where in wheres] for pair in pairs]
        lines = [
            line(some[0][0], (figure(it, chosen, test, where) for it, test, where in some))
            for some in places
        ]
        heads = [
            " ".join(_head(column, where[column]) for column in columns) or chosen
            for where in wheres
        ]
        title = f"{chosen} on {tested}" + (f", trained on {trained}" if trained else "")
        tables.append(marked(Table(title, heads, lines), places, versus, chosen))
    return with_notes(tables, results)


def _chosen(name: str | None, *results: Result) -> str:
    """Return the name of a figure that all results have; by default the first one."""
    listed = [each for each in results[0].figures if all(each in r.figures for r in results)]
    if not listed or (name or listed[0]) not in listed:
        raise InvalidOption(f"--figure: no figure {name!r}; choose from {', '.join(listed)}")
    return name or listed[0]


def _combinations(pair: tuple[Result, int], columns: Sequence[str]) -> list[dict[str, Scalar]]:
    """Return the filters for all combinations of values of these columns."""
    data = pair[0].setup.tests[pair[1]]
    for column in columns:
        if column not in data.columns:
            listed = ", ".join(data.columns) or "none"
            raise InvalidOption(
                f"--by: {data.label} has no column {column!r}; choose from {listed}"
            )
    return data.kinds(*columns) if columns else [{}]


def _head(column: str, value: Scalar) -> str:
    return value if isinstance(value, str) else f"{column}={value}"


ONE_SEED = (
    "with one seed, these trained models are compared, not their architectures: another training "
    "may differ as much"
)


@dataclass(frozen=True)
class Comparison:
    """A paired comparison of two results on the same rows."""

    what: str
    first: str
    second: str
    rows: int
    difference: Difference
    unit: str = "rows"
    """Name of the clusters."""
    corrected: float = 1.0
    """The p value, corrected for multiple comparisons."""

    @property
    def drawn(self) -> str:
        """The numbers of clusters and of seeds."""
        first, second = self.difference.seeds
        return f"{self.difference.clusters} {self.unit}, {first} + {second} seeds"

    @property
    def covers_training(self) -> bool:
        """Whether it compares models in general; with one seed, only two trained models."""
        return min(self.difference.seeds) > 1

    def as_json(self) -> dict[str, Any]:
        """Return a flat dictionary."""
        first, second, *_ = self.difference
        named = {"what": self.what, "first": self.first, "second": self.second, "rows": self.rows}
        figures = {"first_figure": first, "second_figure": second, "corrected": self.corrected}
        return self.difference._asdict() | named | figures | {"unit": self.unit}


def compared(
    first: Sequence[Result], second: Sequence[Result], columns: Sequence[str], name: str | None
) -> list[Comparison]:
    """Compare results on the same rows: of the same model, or the only two."""
    pairs = [
        (a, number, b, other)
        for a in first
        for b in second
        for number, data in enumerate(a.setup.tests)
        for other, theirs in enumerate(b.setup.tests)
        if (data.digest, data.split, data.rows) == (theirs.digest, theirs.split, theirs.rows)
        and (a.setup.label == b.setup.label or len(first) == len(second) == 1)
    ]
    if not pairs:
        raise NotFound(
            "no two results have the same rows and model; pass results of one model in two "
            "setups, or two files with one result each on the same test"
        )
    found: list[Comparison] = []
    for a, number, b, other in pairs:
        chosen, data = _chosen(name, a, b), a.setup.tests[number]
        # A file without clusters may be compared with one that has them.
        sampling = data.labels.sampling or b.setup.tests[other].sampling
        for where in _combinations((a, number), columns):
            left, right = a.sums(chosen, number, where), b.sums(chosen, other, where)
            difference = compare(left, right, sampling.keys(data.mask(where)))
            if difference is None:
                raise NotFound(f"{a.setup.label} and {b.setup.label} have no {chosen} in common")
            heads = [_head(column, value) for column, value in where.items()]
            what = " ".join([data.label, chosen, *heads])
            unit = sampling.unit if difference.clusters < left.shape[1] else "rows"
            found.append(Comparison(what, *_names(a, b), left.shape[1], difference, unit))
    return with_holm(found)


def with_holm(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Correct the p values of the comparisons of one table (Holm)."""
    corrected = holm([comparison.difference.p for comparison in comparisons])
    return [
        replace(comparison, corrected=chance)
        for comparison, chance in zip(comparisons, corrected, strict=True)
    ]


def _names(first: Result, second: Result) -> tuple[str, str]:
    """Return distinct labels of two results, with their training data if needed."""
    a, b = (result.setup for result in with_distinct_labels([first, second]))
    if a.label != b.label or not (a.train and b.train):
        return a.label, b.label
    return f"{a.label} ({a.train.name})", f"{b.label} ({b.train.name})"
