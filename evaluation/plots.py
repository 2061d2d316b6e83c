"""Plots with matplotlib, without a window."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..errors import InvalidOption, MissingExtra, install_command, reason
from .report import Table, TableRow

MARKERS = "osv^DPX*<>"
DASHES = ["--", ":", "-.", (0, (8, 2)), (0, (1, 4)), (0, (4, 1, 1, 1, 1, 1)), (0, (6, 4))]


@contextmanager
def drawing(path: Path, **layout: Any) -> Iterator[tuple[Any, Any]]:
    """Open a figure with panels, and save it unless there is an error."""
    try:
        import matplotlib
    except ImportError as error:
        raise MissingExtra(f"figures need {error.name}: {install_command('eval')}") from None
    matplotlib.use("Agg")
    from matplotlib import pyplot

    with pyplot.rc_context({"axes.spines.top": False, "axes.spines.right": False}):
        figure, panels = pyplot.subplots(squeeze=False, **layout)
        yield figure, panels
        figure.tight_layout()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            figure.savefig(path, dpi=120, bbox_inches="tight")
        except (OSError, ValueError) as error:
            raise InvalidOption(
                f"--plot: cannot draw to {path.name}: {reason(error)}; name a .png, .svg or .pdf"
            ) from None
        finally:
            pyplot.close(figure)


def draw_curves(tables: Sequence[Table], path: Path) -> None:
    """Plot a panel per table, a line with error bars per model; baselines are grey and dashed."""
    names = dict.fromkeys(
        line.model for table in tables for line in table.lines if not line.baseline
    )
    looks = {name: look(number) | {"markersize": 5} for number, name in enumerate(names)}
    every = dict.fromkeys([*names, *(line.model for table in tables for line in table.lines)])
    for number, name in enumerate([name for name in every if name not in names]):
        looks[name] = {"color": "0.35", "linestyle": DASHES[number % len(DASHES)], "linewidth": 1}
    shifts = {name: 0.4 * number / len(every) - 0.2 for number, name in enumerate(every)}
    legend: dict[str, Any] = {}
    layout = {"ncols": len(tables), "figsize": (6.5 * len(tables), 5), "sharey": True}
    with drawing(path, **layout) as (figure, (panels,)):
        for axes, table in zip(panels, tables, strict=True):
            ends: dict[str, float] = {}
            for line in table.lines:
                drawn = {place: cell for place, cell in enumerate(line.cells) if cell}
                if not drawn:
                    continue
                heights = [cell.mean for cell in drawn.values()]
                bars = [
                    [cell.mean - cell.low for cell in drawn.values()],
                    [cell.high - cell.mean for cell in drawn.values()],
                ]
                across = [place + shifts[line.model] for place in drawn]
                style = {"elinewidth": 0.8} | looks[line.model]
                curve = axes.errorbar(across, heights, yerr=bars, **style)
                if line.baseline:
                    ends[line.model] = heights[-1]
                else:
                    legend.setdefault(line.model, curve)
            last = len(table.columns) - 1
            for name, height in apart(ends, 0.03).items():
                axes.annotate(name, (last + 0.3, height), fontsize=7, color="0.35", va="center")
            axes.set_title(table.title, fontsize=10)
            axes.set_xticks(range(len(table.columns)), table.columns)
            axes.set_ylim(-0.02, 1.05)
            axes.grid(alpha=0.3)
        panels[0].set_ylabel("accuracy (mean over seeds, 95 % interval)")
        below = {"loc": "upper center", "bbox_to_anchor": (0.5, 0), "frameon": False}
        figure.legend(legend.values(), legend.keys(), ncols=5, **below)


def look(number: int) -> dict[str, Any]:
    """Return colour, marker and line style of a series."""
    tens, one = divmod(number, 10)
    marker = MARKERS[(one + tens) % len(MARKERS)]
    return {"color": f"C{one}", "marker": marker, "linestyle": ("-", "--", ":")[tens % 3]}


def apart(heights: Mapping[str, float], least: float) -> dict[str, float]:
    """Move label heights up where labels would overlap."""
    moved: dict[str, float] = {}
    top = min(heights.values(), default=0) - least
    for name, height in sorted(heights.items(), key=lambda pair: pair[1]):
        moved[name] = top = max(height, top + least)
    return moved


def draw_matrix(tables: Sequence[Table], path: Path) -> None:
    """Plot a matrix per table with a row per model; published figures in small print."""
    names = list(dict.fromkeys(line.model for table in tables for line in table.lines))
    widths = [len(table.columns) for table in tables]
    size = (1.1 * sum(widths) + 3, 0.5 * len(names) + 2)
    layout = {"ncols": len(tables), "figsize": size, "width_ratios": widths, "sharey": True}
    with drawing(path, **layout) as (_, (panels,)):
        for axes, table in zip(panels, tables, strict=True):
            axes.set_xlim(-0.5, len(table.columns) - 0.5)
            for line in table.lines:
                _draw_line(axes, names.index(line.model), line)
            axes.set_xticks(range(len(table.columns)), table.columns, rotation=40, ha="right")
            axes.set_title(table.title, fontsize=10)
            axes.spines[:].set_visible(False)
            axes.tick_params(length=0)
        panels[0].set_yticks(range(len(names)), names)
        panels[0].set_ylim(len(names) - 0.5, -0.5)


def _draw_line(axes: Any, row: int, line: TableRow) -> None:
    """Draw the figures of a model as a row; higher is darker."""
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
