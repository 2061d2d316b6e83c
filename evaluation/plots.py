"""Figures: matplotlib where it is installed, without a window."""

from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

from ..errors import InvalidOption, MissingExtra, install, reason
from .report import Line, Table

MARKERS = "osv^DPX*<>"
_COLOURS = 64
"""Enough for every line and the edges of letters."""


def load_pyplot() -> Any:
    """Matplotlib's pyplot, or what to install."""
    try:
        import matplotlib
    except ImportError as error:
        raise MissingExtra(f"figures need {error.name}: {install('eval')}") from None
    matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot


def save_plot(pyplot: Any, figure: Any, path: Path, tight: bool = True) -> None:
    """Write the figure, laid out anew unless its parts have their places; close it in any case."""
    if tight:
        figure.tight_layout()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(figure, path)
    except (OSError, ValueError) as error:
        raise InvalidOption(
            f"--plot: cannot draw to {path.name}: {reason(error)}; name a .png, .svg or .pdf"
        ) from None
    finally:
        pyplot.close(figure)


def _write(figure: Any, path: Path) -> None:
    """Write the figure in the form that its path names; a PNG with a palette, to be small."""
    style: dict[str, Any] = {"dpi": 120, "bbox_inches": "tight"}
    if path.suffix.lower() != ".png":
        figure.savefig(path, **style)
        return
    from PIL import Image  # matplotlib brings it

    drawn = BytesIO()
    figure.savefig(drawn, format="png", **style)
    Image.open(drawn).convert("RGB").quantize(_COLOURS, dither=Image.Dither.NONE).save(
        path, optimize=True
    )


def draw_curves(tables: Sequence[Table], path: Path) -> None:
    """A panel for each table, a line for each model over its columns; yardsticks grey and dashed.

    Bars are the intervals.
    """
    pyplot = load_pyplot()
    figure, panels = pyplot.subplots(
        1, len(tables), figsize=(6.5 * len(tables), 5), sharey=True, squeeze=False
    )
    names = dict.fromkeys(
        line.model for table in tables for line in table.lines if not line.yardstick
    )
    colours = dict(zip(names, pyplot.get_cmap("tab10").colors * len(names), strict=False))
    markers = dict(zip(names, MARKERS * len(names), strict=False))
    legend: dict[str, Any] = {}
    for axes, table in zip(panels[0], tables, strict=True):
        ends: dict[str, float] = {}
        for line in table.lines:
            drawn = [(place, cell) for place, cell in enumerate(line.cells) if cell]
            if not drawn:
                continue
            style: dict[str, Any] = {"color": "0.6", "linestyle": "--", "linewidth": 0.9}
            if line.yardstick:
                ends[line.model] = drawn[-1][1].mean
            else:
                style = {"color": colours[line.model], "marker": markers[line.model]}
                style["markersize"] = 5
            bars = [
                [cell.mean - cell.low for _, cell in drawn],
                [cell.high - cell.mean for _, cell in drawn],
            ]
            heights = [cell.mean for _, cell in drawn]
            bar = axes.errorbar([place for place, _ in drawn], heights, yerr=bars, **style)
            if not line.yardstick:
                legend.setdefault(line.model, bar)
        last = len(table.columns) - 1
        for name, height in apart(ends, 0.03).items():
            axes.annotate(name, (last + 0.2, height), fontsize=7, color="0.4", va="center")
        axes.set_title(table.title, fontsize=10)
        axes.set_xticks(range(len(table.columns)), table.columns)
        axes.set_ylim(-0.02, 1.05)
        axes.grid(alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
    panels[0][0].set_ylabel("accuracy (mean over seeds, 95 % interval)")
    figure.legend(
        legend.values(),
        legend.keys(),
        loc="upper center",
        bbox_to_anchor=(0.5, 0),
        ncols=5,
        frameon=False,
    )
    save_plot(pyplot, figure, path)


def apart(
    heights: Mapping[str, float], least: float, lines: Callable[[str], int] = lambda name: 1
) -> dict[str, float]:
    """The same heights, moved up where names of so many lines would be too near to be read."""
    moved: dict[str, float] = {}
    last = -least
    for name, height in sorted(heights.items(), key=lambda pair: pair[1]):
        last = moved[name] = max(height, last + least * lines(name))
    return moved


def draw_matrix(tables: Sequence[Table], path: Path) -> None:
    """A panel for each table, a row for each model; the paper's in small print."""
    pyplot = load_pyplot()
    names = list(dict.fromkeys(line.model for table in tables for line in table.lines))
    widths = [len(table.columns) for table in tables]
    size = (1.1 * sum(widths) + 3, 0.5 * len(names) + 2)
    figure, panels = pyplot.subplots(
        1, len(tables), figsize=size, width_ratios=widths, sharey=True, squeeze=False
    )
    for axes, table in zip(panels[0], tables, strict=True):
        lines = {line.model: line for line in table.lines}
        axes.set_xlim(-0.5, len(table.columns) - 0.5)
        for row, name in enumerate(names):
            if name in lines:
                _draw_line(axes, row, lines[name])
        axes.set_xticks(range(len(table.columns)), table.columns, rotation=40, ha="right")
        axes.set_title(table.title, fontsize=10)
        axes.spines[:].set_visible(False)
        axes.tick_params(length=0)
    panels[0][0].set_yticks(range(len(names)), names)
    panels[0][0].set_ylim(len(names) - 0.5, -0.5)
    save_plot(pyplot, figure, path)


def _draw_line(axes: Any, row: int, line: Line) -> None:
    """A model's figures as a row of a matrix, darker where they are higher."""
    values = [[cell.mean if cell else float("nan") for cell in line.cells]]
    place = (-0.5, len(line.cells) - 0.5, row + 0.5, row - 0.5)
    axes.imshow(values, vmin=0, vmax=1, cmap="Blues", aspect="auto", alpha=0.8, extent=place)
    for column, (cell, beside) in enumerate(zip(line.cells, line.paper, strict=True)):
        if not cell:
            continue
        style: dict[str, Any] = {"ha": "center", "va": "center"}
        style["color"] = "white" if cell.mean > 0.6 else "black"
        axes.text(column, row - 0.08, f"{cell.mean:.2f}", **style)
        if beside:
            axes.text(column, row + 0.3, f"paper {beside[0]:.2f}", fontsize=6, **style)
