"""Tables and figures over results, with the figures of the thesis beside ours.

References: figure 3.5 and table 3.8 of the CLUTRR thesis.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...errors import NotFound
from ..plots import load_pyplot, save_plot
from ..table import Figure, Line, Table
from .results import Result

NOISE = ("clean", "supporting", "irrelevant", "disconnected")

_THESIS: dict[str, dict[tuple[str, str], Figure]] = {
    "bilstm-attention": {
        ("clean", "clean"): (0.58, 0.05),
        ("clean", "supporting"): (0.76, 0.02),
        ("clean", "irrelevant"): (0.70, 0.15),
        ("clean", "disconnected"): (0.49, 0.05),
        ("supporting", "supporting"): (0.67, 0.06),
        ("irrelevant", "irrelevant"): (0.51, 0.06),
        ("disconnected", "disconnected"): (0.57, 0.07),
    },
    "bilstm-mean": {
        ("clean", "clean"): (0.53, 0.05),
        ("clean", "supporting"): (0.64, 0.22),
        ("clean", "irrelevant"): (0.76, 0.02),
        ("clean", "disconnected"): (0.45, 0.05),
        ("supporting", "supporting"): (0.66, 0.07),
        ("irrelevant", "irrelevant"): (0.52, 0.06),
        ("disconnected", "disconnected"): (0.57, 0.06),
    },
    "rn": {
        ("supporting", "supporting"): (0.68, 0.05),
        ("irrelevant", "irrelevant"): (0.50, 0.04),
        ("disconnected", "disconnected"): (0.45, 0.11),
    },
    "mac": {
        ("clean", "clean"): (0.63, 0.08),
        ("clean", "supporting"): (0.71, 0.07),
        ("clean", "irrelevant"): (0.69, 0.05),
        ("clean", "disconnected"): (0.59, 0.05),
        ("supporting", "supporting"): (0.65, 0.04),
        ("irrelevant", "irrelevant"): (0.56, 0.04),
        ("disconnected", "disconnected"): (0.40, 0.10),
    },
    "bert": {
        ("supporting", "supporting"): (0.32, 0.09),
        ("irrelevant", "irrelevant"): (0.25, 0.06),
        ("disconnected", "disconnected"): (0.17, 0.05),
    },
    "bert-lstm": {
        ("clean", "clean"): (0.67, 0.03),
        ("clean", "supporting"): (0.66, 0.06),
        ("clean", "irrelevant"): (0.55, 0.03),
        ("clean", "disconnected"): (0.50, 0.06),
        ("supporting", "supporting"): (0.57, 0.04),
        ("irrelevant", "irrelevant"): (0.53, 0.06),
        ("disconnected", "disconnected"): (0.47, 0.06),
    },
    "gat": {
        ("clean", "clean"): (1.0, 0.0),
        ("clean", "supporting"): (0.24, 0.20),
        ("clean", "irrelevant"): (0.51, 0.15),
        ("clean", "disconnected"): (0.80, 0.17),
        ("supporting", "supporting"): (0.98, 0.01),
        ("irrelevant", "irrelevant"): (0.93, 0.01),
        ("disconnected", "disconnected"): (0.96, 0.01),
    },
}
"""Table 3.8; cells that cannot be read in our copy of it are left out."""

THESIS_GENERALIZATION = (
    "thesis, figure 3.5 (a drawing, no numbers): GAT is near-perfect on held-out clauses at k = 3, "
    "BERT-LSTM the best text model but well below it; all fall as k grows, and all gain from "
    "training on k = 2,3,4, the GAT most"
)


def by_k(results: Sequence[Result]) -> list[Table]:
    """For each training split: accuracy at every k of its test."""
    tables = []
    for ks, dataset in sorted(set(map(_trained_on, results))):
        alike = [result for result in results if _trained_on(result) == (ks, dataset)]
        tested = sorted({k for result in alike for k in result.setup.tests[0].k})
        lines = [_line(result, _accuracies(result, tested)) for result in _ordered(alike)]
        title = f"{dataset}: trained on k = {','.join(map(str, ks))}"
        tables.append(Table(title, [f"k={k}" for k in tested], lines))
    return tables


def _trained_on(result: Result) -> tuple[tuple[int, ...], str]:
    return tuple(result.setup.train.k), result.setup.train.dataset


def _accuracies(result: Result, ks: Sequence[int]) -> list[Figure | None]:
    return [result.accuracy(0, k) if k in result.setup.tests[0].k else None for k in ks]


def by_test(results: Sequence[Result]) -> Table:
    """Accuracy on each of several tests."""
    tests = results[0].setup.tests
    lines = [
        _line(result, [result.accuracy(test) for test in range(len(tests))]) for result in results
    ]
    return Table("tested on", [data.dataset for data in tests], lines)


def generalization(results: Sequence[Result]) -> list[Table]:
    """Figure 3.5: what is left at every k of models trained on short stories."""
    own = [result for result in results if len(result.setup.tests[0].k) > len(result.setup.train.k)]
    if not own:
        raise NotFound(
            "no result is of a test with more values of k than training; make a dataset with "
            "gen clutrr --preset gen-train23, and results of it with gen eval"
        )
    return [replace(table, note=THESIS_GENERALIZATION) for table in by_k(own)]


def robustness(results: Sequence[Result]) -> Table:
    """Table 3.8: trained on stories with one kind of noise, tested on each."""
    cells: dict[str, dict[tuple[str, str], Figure]] = {}
    yardsticks: dict[str, bool] = {}
    for result in results:
        trained = noise_of(result.setup.train.options)
        for test, data in enumerate(result.setup.tests):
            tested = noise_of(data.options)
            if trained and tested and set(data.k) <= set(result.setup.train.k):
                cell = cells.setdefault(result.setup.model, {})
                cell[trained, tested] = result.accuracy(test)
                yardsticks[result.setup.model] = result.setup.yardstick
    pairs = [
        (trained, tested)
        for trained in NOISE
        for tested in NOISE
        if any((trained, tested) in figures for figures in cells.values())
    ]
    if len({trained for trained, _ in pairs}) < 2:
        raise NotFound(
            "a noise matrix needs results of two or more kinds of training noise; make datasets "
            "with gen clutrr --preset robust-clean, robust-supporting, ..., and results with "
            "gen eval A --test-on B --test-on C"
        )
    lines = [
        Line(
            model,
            yardsticks[model],
            [cells[model].get(pair) for pair in pairs],
            [_THESIS.get(model, {}).get(pair) for pair in pairs],
        )
        for model in sorted(cells, key=lambda model: (yardsticks[model], _rank(model)))
    ]
    return Table(
        "trained on > tested on",
        [f"{trained} > {tested}" for trained, tested in pairs],
        lines,
        "thesis: table 3.8 (where our copy is legible)",
    )


def noise_of(options: dict[str, Any]) -> str | None:
    """The one kind of noise of a dataset, by its manifest; `clean` is none."""
    noise = options.get("noise")
    kinds = [noise] if isinstance(noise, str) else list(noise or [])
    kinds = [kind for kind in kinds if kind != "none"]
    if not kinds:
        return "clean"
    return kinds[0] if len(kinds) == 1 and kinds[0] in NOISE else None


_ORDER = (
    "bilstm-mean bilstm-attention rn mac rmc bert bert-lstm transformer gat edge-transformer "
    "majority query-only name-only position-only story-without-query bag-of-words rules"
).split()


def _rank(model: str) -> tuple[int, str]:
    return (_ORDER.index(model) if model in _ORDER else len(_ORDER), model)


def _ordered(results: Sequence[Result]) -> list[Result]:
    return sorted(results, key=lambda result: (result.setup.yardstick, _rank(result.setup.model)))


def _line(result: Result, cells: list[Figure | None]) -> Line:
    return Line(result.setup.model, result.setup.yardstick, cells, [None] * len(cells))


def draw_curves(tables: Sequence[Table], path: Path) -> None:
    """Accuracy against k, a panel for each training split; yardsticks are dashed and grey."""
    pyplot = load_pyplot()
    figure, panels = pyplot.subplots(
        1, len(tables), figsize=(6.5 * len(tables), 5), sharey=True, squeeze=False
    )
    for axes, table in zip(panels[0], tables, strict=True):
        ks = [int(column.removeprefix("k=")) for column in table.columns]
        colours = iter(pyplot.get_cmap("tab10").colors * 3)
        markers = iter("osv^DPX*<>" * 3)
        ends: dict[str, float] = {}
        for line in table.lines:
            drawn = [(k, *cell) for k, cell in zip(ks, line.cells, strict=True) if cell]
            style: dict[str, Any] = {"color": "0.6", "linestyle": "--", "linewidth": 0.9}
            if line.yardstick:
                ends[line.model] = drawn[-1][1]
            else:
                style = {"color": next(colours), "marker": next(markers), "markersize": 5}
                style["label"] = line.model
            axes.errorbar(*zip(*drawn, strict=True), **style)
        for name, height in _apart(ends).items():
            axes.annotate(name, (ks[-1] + 0.2, height), fontsize=7, color="0.4", va="center")
        axes.set_title(table.title, fontsize=10)
        axes.set_xlabel("k (facts in the chain)")
        axes.set_xticks(ks)
        axes.set_ylim(-0.02, 1.05)
        axes.grid(alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
    panels[0][0].set_ylabel("accuracy (mean and standard error over seeds)")
    handles, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="upper center", bbox_to_anchor=(0.5, 0), ncols=5, frameon=False
    )
    save_plot(pyplot, figure, path)


def _apart(heights: dict[str, float], least: float = 0.03) -> dict[str, float]:
    """The same heights, moved up where they would be too near to each other to be read."""
    moved: dict[str, float] = {}
    last = -1.0
    for name, height in sorted(heights.items(), key=lambda pair: pair[1]):
        last = moved[name] = max(height, last + least)
    return moved


def draw_matrix(table: Table, path: Path) -> None:
    """A row for each model, a column for each pair of noises; the thesis in small print."""
    pyplot = load_pyplot()
    size = (1.1 * len(table.columns) + 3, 0.5 * len(table.lines) + 2)
    figure, axes = pyplot.subplots(figsize=size)
    values = [[cell[0] if cell else float("nan") for cell in line.cells] for line in table.lines]
    axes.imshow(values, vmin=0, vmax=1, cmap="Blues", aspect="auto", alpha=0.8)
    for row, line in enumerate(table.lines):
        for column, (cell, thesis) in enumerate(zip(line.cells, line.paper, strict=True)):
            if cell:
                dark = "white" if cell[0] > 0.6 else "black"
                axes.text(
                    column, row - 0.08, f"{cell[0]:.2f}", ha="center", va="center", color=dark
                )
                if thesis:
                    axes.text(
                        column,
                        row + 0.3,
                        f"thesis {thesis[0]:.2f}",
                        ha="center",
                        va="center",
                        fontsize=6,
                        color=dark,
                    )
    axes.set_xticks(range(len(table.columns)), table.columns, rotation=40, ha="right")
    axes.set_yticks(range(len(table.lines)), [line.model for line in table.lines])
    axes.set_title(table.title)
    save_plot(pyplot, figure, path)
