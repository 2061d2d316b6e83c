"""The panels of the page."""

import io
import re
import textwrap
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from ...scoring.steps import (
    CLASSES,
    MISREADINGS,
    MISREASONINGS,
    NO_STEPS,
    SOUND,
    UNREADABLE,
    UNSOUND,
    WRONG_NO_STEPS,
)
from ..plots import MARKERS, apart, load_pyplot
from ..statistics import Estimate
from .figures import ALL_ROWS, Baseline, Cell, Figures, ModelFigures

INK, MUTED, GRID = "#1c1f24", "#696f78", "#d9dce1"
MODELS = ("#0067a8", "#c04f00", "#007f5f", "#9a3f86", "#8a6d00", "#4b56c0")
"""Colours that most eyes can distinguish; markers differ as well."""
HEAT = "#2f6fb0"
_MAX_TARGETS = 18
"""Targets in a confusion matrix."""
_MIN_NUMBERED_WIDTH = 6
"""Percent from which a part of a bar has its number."""
_SALT = "relsmith"
_LABEL_WIDTH = 16
"""Characters per line of a baseline's name next to its curve."""

T = TypeVar("T", str, tuple[str, str])
Draw = Callable[[Any], None]


@dataclass(frozen=True)
class Panel:
    """A figure: name, title, caption, drawing function and size."""

    name: str
    title: str
    caption: str
    draw: Draw
    table: list[list[str]]
    """The numbers that are drawn; the first line has the heads."""
    size: tuple[float, float] = (5.2, 3.6)


@contextmanager
def style() -> Iterator[Any]:
    """Set up matplotlib: no text is a formula, and the same numbers give the same bytes."""
    pyplot = load_pyplot()
    settings = {
        "text.parse_math": False,
        "svg.fonttype": "none",
        "svg.hashsalt": _SALT,
        "font.family": "DejaVu Sans",
        "font.size": 9,
        "text.color": INK,
        "axes.edgecolor": MUTED,
        "axes.labelcolor": INK,
        "xtick.color": INK,
        "ytick.color": INK,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "grid.color": GRID,
        "figure.facecolor": "none",
        "axes.facecolor": "none",
        "legend.frameon": False,
    }
    with pyplot.rc_context(settings), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # characters that the font lacks are drawn as boxes
        yield pyplot


def panels(figures: Figures) -> list[Panel]:
    """Return the panels that have numbers, in reading order."""
    models = figures.models
    others = [column for column in figures.columns if column != "k"]
    listed = [
        _by_k(figures) if "k" in figures.columns else _overall(figures),
        *(_divided(number, column, models) for number, column in enumerate(others)),
        _siblings(models),
        _unknown(models),
        *(_reasoning(number, model, models) for number, model in enumerate(models)),
        *(_confused(number, model, models) for number, model in enumerate(models)),
    ]
    return [panel for panel in listed if panel]


def _table(
    head: str, cells: Sequence[Mapping[Any, Cell]], models: Sequence[ModelFigures]
) -> list[list[str]]:
    """Make a table with a line for each label and a column for each model."""
    names = dict.fromkeys(name for part in cells for name in part)
    lines = [[str(name), *(_cell_text(part.get(name)) for part in cells)] for name in names]
    return [[head, *(model.name for model in models)], *lines]


def _beside(
    table: list[list[str]],
    baselines: Sequence[Baseline],
    known: Callable[[Baseline], Mapping[Any, Estimate]],
) -> list[list[str]]:
    """Add a column for each baseline with known shares."""
    heads, *lines = table
    for baseline in baselines:
        shares = {str(name): share for name, share in known(baseline).items()}
        if shares:
            heads.append(baseline.name)
            for line in lines:
                line.append(_figure(shares.get(line[0])))
    return [heads, *lines]


def _cell_text(cell: Cell | None) -> str:
    return f"{_figure(cell.share)}, n = {cell.rows}" if cell else ""


def _figure(share: Estimate | None) -> str:
    """Format a share and its interval in percent; exact values have no interval."""
    if share is None:
        return ""
    if share.low == share.high:
        return f"{100 * share.mean:.1f}"
    return f"{100 * share.mean:.1f} ({100 * share.low:.1f} to {100 * share.high:.1f})"


_BESIDE_BASELINES = "Bars are 95 % intervals; dashed lines are baselines without reasoning."


def _by_k(figures: Figures) -> Panel:
    cells = [model.by.get("k", {}) for model in figures.models]
    table = _table("k", cells, figures.models)
    return Panel(
        "k",
        "Accuracy by k",
        _BESIDE_BASELINES,
        lambda axes: _draw_by_k(axes, figures, cells),
        _beside(table, figures.baselines, lambda baseline: baseline.by_k),
        (4.5, 3.5),
    )


def _draw_by_k(axes: Any, figures: Figures, cells: Sequence[Mapping[Any, Cell]]) -> None:
    ks = sorted({k for part in cells for k in part})
    place = {k: number for number, k in enumerate(ks)}
    ends: dict[str, float] = {}
    for baseline in figures.baselines:
        known = [k for k in ks if k in baseline.by_k]
        if known:
            heights = [100 * baseline.by_k[k].mean for k in known]
            axes.plot([place[k] for k in known], heights, **_DASHED)
            ends[baseline.name] = heights[-1]
    for number, part in enumerate(cells):
        if part:
            xs = [place[k] + _aside(number, len(cells), 0.09) for k in part]
            _dots(axes, xs, list(part.values()), number, line=True)
    lines = {name: textwrap.wrap(_clear(name), _LABEL_WIDTH) for name in ends}
    for name, height in apart(ends, 5.5, lambda name: len(lines[name])).items():
        beside = (len(ks) - 0.72, height)
        axes.annotate("\n".join(lines[name]), beside, va="center", annotation_clip=False, **_SMALL)
    axes.set_xticks(range(len(ks)), list(map(str, ks)))
    axes.set_xlim(-0.4, len(ks) - 0.75)
    axes.set_xlabel("k, the number of facts that lead to the answer")
    axes.set_ylim(-2, 102)
    axes.set_ylabel("right, %")
    axes.grid(axis="y")
    axes.set_axisbelow(True)
    _legend(axes, figures.models)


def _overall(figures: Figures) -> Panel:
    cells = [{"all rows": model.overall} for model in figures.models]
    panel = _dotted("overall", "Accuracy", _BESIDE_BASELINES, cells, figures.models)

    def draw(axes: Any) -> None:
        panel.draw(axes)
        for baseline in figures.baselines:
            at = 100 * baseline.overall.mean
            axes.axvline(at, **_DASHED)
            above = {"xy": (at, 1.02), "xycoords": ("data", "axes fraction"), "rotation": 20}
            axes.annotate(_clear(baseline.name), **above, **_SMALL)

    table = _beside(panel.table, figures.baselines, lambda baseline: {"all rows": baseline.overall})
    return replace(panel, draw=draw, table=table, size=(5.2, 1.6 + 0.3 * len(cells)))


def _dotted(
    name: str,
    title: str,
    caption: str,
    cells: Sequence[Mapping[Any, Cell]],
    models: Sequence[ModelFigures],
    unit: str = "right, %",
) -> Panel:
    """Make a panel with a line for each label and a dot for each model."""
    kinds = list(dict.fromkeys(kind for part in cells for kind in part))

    def draw(axes: Any) -> None:
        for number, part in enumerate(cells):
            ys = [kinds.index(kind) + _aside(number, len(cells), 0.18) for kind in part]
            _dots(axes, ys, list(part.values()), number, upright=False)
        axes.set_yticks(range(len(kinds)), [_short(str(kind), 24) for kind in kinds])
        axes.set_ylim(len(kinds) - 0.4, -0.6)
        axes.set_xlim(-2, 102)
        axes.set_xlabel(unit)
        axes.grid(axis="x")
        axes.set_axisbelow(True)
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        _legend(axes, models)

    size = (5.2, 1.1 + len(kinds) * (0.18 + 0.11 * len(cells)))
    return Panel(name, title, caption, draw, _table("", cells, models), size)


def _divided(number: int, column: str, models: Sequence[ModelFigures]) -> Panel:
    return _dotted(
        "noise" if column == "noise" else f"by-{number}",
        f"Accuracy by {_clear(column)}",
        "Rows of all k together; bars are 95 % intervals.",
        [model.by.get(column, {}) for model in models],
        models,
    )


def _siblings(models: Sequence[ModelFigures]) -> Panel | None:
    """Make the panel of perturbations; its table has a line for each model and perturbation."""
    cells: list[dict[Any, Cell]] = [{} for _ in models]
    table = [
        ["model", "changed", "first right", "sibling right", "both", "stays right", "as first"]
    ]
    for model, shown in zip(models, cells, strict=True):
        if model.consistency:
            for name, change in model.consistency.changes.items():
                if change.kept:
                    shown[name] = change.kept
                parts = (change.first, change.sibling, change.both, change.kept, change.alike)
                table.append([model.name, name, *map(_cell_text, parts)])
            whole = shown["whole group right"] = model.consistency.whole
            table.append([model.name, "whole group right", "", "", _cell_text(whole), "", ""])
    panel = _dotted(
        "consistency",
        "Consistency over siblings",
        "Share of right siblings among those whose first row is right, by change; and share of "
        "groups with only right rows.",
        cells,
        models,
    )
    return replace(panel, table=table) if any(cells) else None


def _unknown(models: Sequence[ModelFigures]) -> Panel | None:
    cells: list[dict[Any, Cell]] = [
        {"the answer is unknown": shares.open, "the answer is known": shares.known}
        if (shares := model.abstention)
        else {}
        for model in models
    ]
    panel = _dotted(
        "abstention",
        "Says “unknown” where …",
        "The first should be 100 %, the second 0 %; bars are 95 % intervals.",
        cells,
        models,
        "says unknown, %",
    )
    return panel if any(cells) else None


_STEP_BARS = {
    "right, every step holds": ((SOUND,), "#007f5f", 0.85),
    "right, a step is wrong": ((UNSOUND,), "#007f5f", 0.45),
    "right, steps do not lead there": ((NO_STEPS,), "#007f5f", 0.2),
    "wrong: misread the story": (tuple(MISREADINGS), "#c04f00", 0.85),
    "wrong: reasoned wrongly": (tuple(MISREASONINGS), "#c04f00", 0.45),
    "wrong without steps, unreadable": ((WRONG_NO_STEPS, UNREADABLE), MUTED, 0.35),
}
"""Parts of a bar: the classes of reasoning, the colour and its opacity."""


def _reasoning(number: int, model: ModelFigures, models: Sequence[ModelFigures]) -> Panel | None:
    """Make the panel of the classes of reasoning; its table has all classes."""
    if not model.steps:
        return None
    whose = f": {_short(model.name, 30)}" if len(models) > 1 else ""
    lines = [
        [kind, *(_cell_text(cells.get(kind)) for cells in model.steps.values())] for kind in CLASSES
    ]
    return Panel(
        f"reasoning-{number}",
        f"Reasoning{whose}",
        "Replies by the verdicts of the world's judge on their steps. Misread: the first wrong "
        "step misreads a fact, confuses people or turns a fact round; reasoned wrongly: "
        "it is another step, or the last one.",
        lambda axes: _draw_reasoning(axes, model),
        [["class", *(_k_label(name) for name in model.steps)], *lines],
        (5.2, 2.0 + 0.26 * len(model.steps)),
    )


def _k_label(name: Any) -> str:
    return "all rows" if name == ALL_ROWS else f"k = {name}"


def _draw_reasoning(axes: Any, model: ModelFigures) -> None:
    starts = [0.0] * len(model.steps)
    for label, (kinds, colour, opacity) in _STEP_BARS.items():
        widths = [
            100 * sum(cells[kind].share.mean for kind in kinds) for cells in model.steps.values()
        ]
        axes.barh(
            range(len(widths)), widths, 0.7, starts, color=colour, alpha=opacity, label=label, lw=0
        )
        for place, (start, width) in enumerate(zip(starts, widths, strict=True)):
            if width >= _MIN_NUMBERED_WIDTH:
                axes.text(
                    start + width / 2, place, f"{width:.0f}", ha="center", va="center", fontsize=7
                )
        starts = [start + width for start, width in zip(starts, widths, strict=True)]
    axes.set_yticks(range(len(starts)), [_k_label(name) for name in model.steps])
    axes.set_ylim(len(starts) - 0.5, -0.5)
    axes.set_xlim(0, 100)
    axes.set_xlabel("replies, %")
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.legend(loc="lower left", bbox_to_anchor=(-0.02, 1.0), ncols=2, fontsize=7.5)


_DASHED = {"color": MUTED, "ls": (0, (4, 3)), "lw": 1}
_SMALL = {"fontsize": 7.5, "color": MUTED}


def _look(number: int) -> dict[str, Any]:
    colour, marker = MODELS[number % len(MODELS)], MARKERS[number % len(MARKERS)]
    return {"color": colour, "marker": marker, "ms": 5, "lw": 1.6}


def _dots(
    axes: Any,
    places: Sequence[float],
    cells: Sequence[Cell],
    number: int,
    line: bool = False,
    upright: bool = True,
) -> None:
    means = [100 * cell.share.mean for cell in cells]
    bars = [
        [100 * (cell.share.mean - cell.share.low) for cell in cells],
        [100 * (cell.share.high - cell.share.mean) for cell in cells],
    ]
    look = _look(number) | {"elinewidth": 1.3, "ls": "-" if line else "none"}
    if upright:
        axes.errorbar(places, means, yerr=bars, **look)
    else:
        axes.errorbar(means, places, xerr=bars, **look)


def _aside(number: int, models: int, step: float) -> float:
    """Return the offset of a model, so that models do not overlap."""
    return (number - (models - 1) / 2) * step


def _legend(axes: Any, models: Sequence[ModelFigures]) -> None:
    if len(models) < 2:
        return
    from matplotlib.lines import Line2D

    axes.legend(
        handles=[
            Line2D([], [], label=_short(model.name, 40), **_look(number))
            for number, model in enumerate(models)
        ],
        loc="lower left",
        bbox_to_anchor=(-0.02, 1.0),
        ncols=1 if any(len(model.name) > 24 for model in models) else 2,
        fontsize=8,
        handlelength=1.6,
        borderpad=0.2,
    )


def _by_frequency(counts: Mapping[T, int]) -> list[T]:
    return sorted(counts, key=lambda name: (-counts[name], name))


def _confused(number: int, model: ModelFigures, models: Sequence[ModelFigures]) -> Panel | None:
    """Make the confusion matrix of the most frequent targets."""
    rows, others = Counter[str](), Counter[str]()
    for (target, _), count in model.confusion.items():
        rows[target] += count
    if len(rows) < 2 or len(rows) > 4 * _MAX_TARGETS:
        return None
    targets = sorted(_by_frequency(rows)[:_MAX_TARGETS])
    for (target, answer), count in model.confusion.items():
        if target in targets and answer not in targets:
            others[answer] += count
    left_out = len(rows) - len(targets)
    whose = f": {_short(model.name, 30)}" if len(models) > 1 else ""
    lines = [[*pair, str(model.confusion[pair])] for pair in _by_frequency(model.confusion)]
    return Panel(
        f"confusion-{number}",
        f"Confusions{whose}",
        "A row for each right answer, a column for each answer given; numbers are % of the row."
        + (f" {left_out} rarer right answers are left out." if left_out else "")
        + (" Rarer wrong answers are left out." if len(others) > 3 else ""),
        lambda axes: _heat(axes, model, rows, targets, [*targets, *_by_frequency(others)[:3]]),
        [["right answer", "answer given", "rows"], *lines],
        (5.2, 1.7 + 0.22 * len(targets)),
    )


def _heat(
    axes: Any,
    model: ModelFigures,
    rows: Mapping[str, int],
    targets: Sequence[str],
    columns: Sequence[str],
) -> None:
    from matplotlib.patches import Rectangle

    for down, target in enumerate(targets):
        for along, answer in enumerate(columns):
            part = model.confusion.get((target, answer), 0) / rows[target]
            if part:
                place = (along - 0.5, down - 0.5)
                # Transparent, so that it fits the background of any theme.
                axes.add_patch(
                    Rectangle(place, 1, 1, facecolor=HEAT, alpha=0.12 + 0.6 * part, lw=0)
                )
                axes.text(along, down, f"{100 * part:.0f}", ha="center", va="center", fontsize=6.5)
    slanted = {"rotation": 60, "ha": "right", "rotation_mode": "anchor"}
    axes.set_xticks(range(len(columns)), [_short(name, 18) for name in columns], **slanted)
    axes.set_yticks(range(len(targets)), [_short(name, 18) for name in targets])
    axes.set_xlim(-0.5, len(columns) - 0.5)
    axes.set_ylim(len(targets) - 0.5, -0.5)
    axes.tick_params(length=0, labelsize=7.5)
    if len(columns) > len(targets):
        axes.axvline(len(targets) - 0.5, color=MUTED, lw=0.8)
    axes.spines[:].set_visible(False)


def _clear(text: str) -> str:
    """Replace characters that cannot be drawn."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def _short(text: str, most: int) -> str:
    clear = _clear(text)
    return clear if len(clear) <= most else f"{clear[: most - 1]}\u2026"


def as_svg(panel: Panel) -> str:
    """Return a panel as SVG for a page, with the colours of the page's theme."""
    with style() as pyplot:
        figure, axes = pyplot.subplots(figsize=panel.size)
        panel.draw(axes)
        buffer = io.StringIO()
        nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        try:
            figure.savefig(buffer, format="svg", bbox_inches="tight", metadata=nothing)
        finally:
            pyplot.close(figure)
    return _themed(buffer.getvalue(), panel)


_THEME = {INK: "--ink", MUTED: "--muted", GRID: "--grid", HEAT: "--heat"} | {
    colour: f"--model-{number}" for number, colour in enumerate(MODELS)
}


def _themed(svg: str, panel: Panel) -> str:
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    # Ids must be unique within a page.
    svg = re.sub(r'\bid="', f'id="{panel.name}-', svg)
    svg = re.sub(r'(url\(#|href="#)', rf"\1{panel.name}-", svg)
    for colour, name in _THEME.items():
        svg = svg.replace(colour, f"var({name})")
    svg = svg.replace("'DejaVu Sans'", "inherit")
    svg = re.sub(r'<svg [^>]*?viewBox="([^"]+)"[^>]*>', r'<svg viewBox="\1" role="img">', svg)
    return svg.strip()
