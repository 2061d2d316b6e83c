"""Tables and figures over results, with the figures of the thesis beside ours.

References: figure 3.5 and table 3.8 of the CLUTRR thesis.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...errors import NotFound
from ..figure import load_pyplot, save_figure
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
    trained = sorted({(tuple(one.setup.train.k), one.setup.train.dataset) for one in results})
    for ks, dataset in trained:
        here = [
            one
            for one in results
            if one.setup.train.dataset == dataset and one.setup.train.k == list(ks)
        ]
        tested = sorted({k for one in here for k in one.setup.tests[0].k})
        lines = [
            _line(one, [one.accuracy(0, k) if k in one.setup.tests[0].k else None for k in tested])
            for one in _ordered(here)
        ]
        title = f"{dataset}: trained on k = {','.join(map(str, ks))}"
        tables.append(Table(title, [f"k={k}" for k in tested], lines))
    return tables


def by_test(results: Sequence[Result]) -> Table:
    """Accuracy on each of several tests."""
    tests = results[0].setup.tests
    lines = [_line(one, [one.accuracy(test) for test in range(len(tests))]) for one in results]
    return Table("tested on", [data.dataset for data in tests], lines)


def generalization(results: Sequence[Result]) -> list[Table]:
    """Figure 3.5: what is left at every k of models trained on short stories."""
    own = [one for one in results if len(one.setup.tests[0].k) > len(one.setup.train.k)]
    if not own:
        raise NotFound(
            "no result is of a test with more values of k than training; make a dataset with "
            "gen clutrr --preset gen-train23, and results of it with gen eval"
        )
    tables = by_k(own)
    return [Table(one.title, one.columns, one.lines, THESIS_GENERALIZATION) for one in tables]


def robustness(results: Sequence[Result]) -> Table:
    """Table 3.8: trained on stories with one kind of noise, tested on each."""
    cells: dict[str, dict[tuple[str, str], Figure]] = {}
    yardsticks: dict[str, bool] = {}
    for one in results:
        trained = noise_of(one.setup.train.options)
        for test, data in enumerate(one.setup.tests):
            tested = noise_of(data.options)
            if trained and tested and set(data.k) <= set(one.setup.train.k):
                cell = cells.setdefault(one.setup.model, {})
                cell[trained, tested] = one.accuracy(test)
                yardsticks[one.setup.model] = one.setup.yardstick
    pairs = [
        (trained, tested)
        for trained in NOISE
        for tested in NOISE
        if any((trained, tested) in found for found in cells.values())
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
    found = options.get("noise")
    kinds = [found] if isinstance(found, str) else list(found or [])
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
    return sorted(results, key=lambda one: (one.setup.yardstick, _rank(one.setup.model)))


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
        for line in table.lines:
            drawn = [(k, *cell) for k, cell in zip(ks, line.cells, strict=True) if cell]
            style: dict[str, Any] = {"color": "0.6", "linestyle": "--", "linewidth": 0.9}
            if not line.yardstick:
                style = {"color": next(colours), "marker": next(markers), "markersize": 5}
            axes.errorbar(*zip(*drawn, strict=True), label=line.model, **style)
            if line.yardstick:
                axes.annotate(line.model, (drawn[-1][0], drawn[-1][1]), fontsize=6, color="0.4")
        axes.set_title(table.title, fontsize=10)
        axes.set_xlabel("k (facts in the chain)")
        axes.set_xticks(ks)
        axes.set_ylim(-0.02, 1.05)
        axes.grid(alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
    panels[0][0].set_ylabel("accuracy (mean and standard error over seeds)")
    handles, labels = panels[0][-1].get_legend_handles_labels()
    ours = [
        pair
        for pair in zip(handles, labels, strict=True)
        if pair[1] not in {line.model for line in tables[-1].lines if line.yardstick}
    ]
    panels[0][-1].legend(*zip(*ours, strict=True), frameon=False, fontsize=8)
    save_figure(pyplot, figure, path)


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
    save_figure(pyplot, figure, path)
