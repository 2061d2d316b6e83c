"""Figures of the paper reports."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...plots import drawing, legend_below, load_pyplot, look, save_plot
from ...report import Table

_OURS, _THEIRS = "tab:blue", "tab:red"
_BASELINES = ("analogy-majority", "analogy-words")


def draw_relations(tables: Sequence[Table], path: Path) -> None:
    """Draw accuracy by relation, a panel for each probe; the paper's as hollow diamonds."""
    pyplot = load_pyplot()
    save_plot(pyplot, relations_figure(pyplot, tables), path)


def relations_figure(pyplot: Any, tables: Sequence[Table]) -> Any:
    """Return the figure of `draw_relations`; a table has the same style in every panel."""
    probes = list(dict.fromkeys(probe for table in tables for probe in table.columns))
    names = _names(tables, baselines=False)
    figure, panels = pyplot.subplots(
        1,
        len(probes),
        figsize=(3 * len(probes) + 2, 0.3 * len(names) + 2),
        sharex=True,
        sharey=True,
        squeeze=False,
    )
    for axes, probe in zip(panels[0], probes, strict=True):
        for number, table in enumerate(tables):
            if probe in table.columns:
                # Not every table has every probe, so a style cycle would not do.
                style = look(number) | {"linestyle": "none", "alpha": 0.8}
                column = table.columns.index(probe)
                cells = {line.model: cell for line in table.lines if (cell := line.cells[column])}
                drawn = {height: cells[name] for height, name in enumerate(names) if name in cells}
                across, down = [cell.mean for cell in drawn.values()], list(drawn)
                axes.plot(across, down, label=table.title, **style)
        papers = [
            (theirs[0], names.index(line.model))
            for line in tables[0].lines
            if line.model in names and probe in tables[0].columns
            if (theirs := line.paper[tables[0].columns.index(probe)])
        ]
        if papers:
            hollow: dict[str, Any] = {"markerfacecolor": "none", "color": "0.3"}
            axes.plot(*zip(*papers, strict=True), "D", label="paper, RoBERTa-large", **hollow)
        _dress(axes, names, probe)
    panels[0][0].set_yticks(range(len(names)), names)
    looks: dict[str, Any] = {}
    for axes in panels[0]:
        handles, labels = axes.get_legend_handles_labels()
        looks |= dict(zip(labels, handles, strict=True))
    lowest = min(
        (x for axes in panels[0] for line in axes.lines for x in line.get_xdata()), default=0
    )
    panels[0][0].set_xlim(min(40, lowest - 3), 103)
    legend_below(figure, looks, ncols=3, fontsize=8)
    return figure


def _names(tables: Sequence[Table], *, baselines: bool) -> list[str]:
    """Return the row names of all tables; incomplete results have fewer rows."""
    lines = [line for table in tables for line in table.lines if line.baseline == baselines]
    return list(dict.fromkeys(line.model for line in lines))


def _dress(axes: Any, names: Sequence[str], title: str) -> None:
    axes.axvline(50, color="0.7", linestyle=":", linewidth=1)
    axes.set_title(title, fontsize=10)
    axes.set_xlim(-3, 103)
    axes.set_xlabel("accuracy, per cent")
    axes.grid(alpha=0.3)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.spines[["top", "right"]].set_visible(False)


def draw_negatives(tables: Sequence[Table], path: Path) -> None:
    """Draw accuracy on the paper's and on sound negatives; bars: share of negatives that are true.

    Baselines are left out unless there is nothing else.
    """
    tables = [table for table in tables if not table.title.startswith(_BASELINES)] or tables
    names = _names(tables, baselines=False) + _names(tables, baselines=True)
    size = (4.5 * len(tables) + 2.5, 0.32 * len(names) + 1.8)
    with drawing(path, ncols=len(tables), figsize=size, sharey=True) as (figure, (panels,)):
        for axes, table in zip(panels, tables, strict=True):
            for line in table.lines:
                height = names.index(line.model)
                true, theirs, ours, _ = (cell.mean if cell else 0.0 for cell in line.cells)
                axes.barh(height, true, height=0.7, color="0.88", zorder=0)
                axes.plot([theirs, ours], [height, height], color="0.5", linewidth=1.2, zorder=1)
                axes.plot(theirs, height, "o", color=_THEIRS, zorder=2)
                axes.plot(ours, height, "o", color=_OURS, zorder=2)
            _dress(axes, names, table.title)
            axes.set_xlabel("per cent")
        panels[0].set_yticks(range(len(names)), names)
        last = panels[-1]
        last.plot([], [], "o", color=_THEIRS, label="accuracy on the paper's negatives")
        last.plot([], [], "o", color=_OURS, label="accuracy on sound negatives")
        last.barh([0], [0], color="0.88", label="the paper's negatives that are true")
        handles, labels = last.get_legend_handles_labels()
        legend_below(figure, dict(zip(labels, handles, strict=True)), ncols=3, fontsize=8)
