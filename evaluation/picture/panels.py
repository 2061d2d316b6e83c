"""The figures of the page: tables whose shares are drawn as dots with their intervals."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..statistics import Estimate
from .figures import Baseline, Cell, Figures, ModelFigures

MODELS = 6
"""Colours of models in page.css."""


@dataclass(frozen=True)
class Share:
    """A share in percent as text and as a dot with its interval, in the colour of a model."""

    text: str
    percent: Estimate
    model: int | None = None
    """The number of the colour; baselines have none."""

    @classmethod
    def of(cls, share: Cell | Estimate, model: int | None = None) -> "Share":
        """Format a share; exact values have no interval."""
        estimate = share.share if isinstance(share, Cell) else share
        percent = estimate.scaled(100)
        text = f"{percent.mean:.1f}"
        if percent.low != percent.high:
            text += f" ({percent.low:.1f} to {percent.high:.1f})"
        if isinstance(share, Cell):
            text += f", n = {share.rows}"
        return cls(text, percent, None if model is None else model % MODELS)


@dataclass(frozen=True)
class Panel:
    """A figure: name, title, caption and table; the first line of the table has the heads."""

    name: str
    title: str
    caption: str
    table: list[list[str | Share]]


def panels(figures: Figures) -> list[Panel]:
    """Return the panels that have numbers, in reading order."""
    models = figures.models
    others = [column for column in figures.columns if column != "k"]
    listed = [
        _by_k(figures) if "k" in figures.columns else _overall(figures),
        *(_divided(number, column, models) for number, column in enumerate(others)),
        _siblings(models),
        _unknown(models),
        *(_confused(number, models) for number in range(len(models))),
    ]
    return [panel for panel in listed if panel]


def _table(
    head: str,
    models: Sequence[ModelFigures],
    cells: Sequence[Mapping[Any, Cell]],
    baselines: Sequence[Baseline] = (),
    known: Sequence[Mapping[Any, Estimate]] = (),
) -> list[list[str | Share]]:
    """Make a table with a line for each label, and a column for each model and baseline."""
    labels = dict.fromkeys(label for part in cells for label in part)
    columns: list[tuple[str, Mapping[Any, Cell | Estimate], int | None]] = [
        (model.name, part, number)
        for number, (model, part) in enumerate(zip(models, cells, strict=True))
    ]
    columns += [
        (each.name, part, None) for each, part in zip(baselines, known, strict=True) if part
    ]
    lines: list[list[str | Share]] = [[head, *(name for name, _, _ in columns)]]
    for label in labels:
        shares = (
            Share.of(part[label], number) if label in part else "" for _, part, number in columns
        )
        lines.append([str(label), *shares])
    return lines


_INTERVALS = "Right answers in %; lines are 95 % intervals."


def _by_k(figures: Figures) -> Panel:
    cells = [model.by.get("k", {}) for model in figures.models]
    known = [baseline.by_k for baseline in figures.baselines]
    table = _table("k", figures.models, cells, figures.baselines, known)
    return Panel("k", "Accuracy by k", f"{_INTERVALS} Baselines, in grey, do not reason.", table)


def _overall(figures: Figures) -> Panel:
    cells = [{"all rows": model.overall} for model in figures.models]
    known = [{"all rows": baseline.overall} for baseline in figures.baselines]
    table = _table("", figures.models, cells, figures.baselines, known)
    return Panel("overall", "Accuracy", f"{_INTERVALS} Baselines, in grey, do not reason.", table)


def _divided(number: int, column: str, models: Sequence[ModelFigures]) -> Panel:
    table = _table(column, models, [model.by.get(column, {}) for model in models])
    name = "noise" if column == "noise" else f"by-{number}"
    return Panel(name, f"Accuracy by {column}", f"{_INTERVALS} Rows of all k together.", table)


def _siblings(models: Sequence[ModelFigures]) -> Panel | None:
    """Make the panel of perturbations, with a line for each model and perturbation."""
    lines: list[list[str | Share]] = []
    for number, model in enumerate(models):
        if model.consistency:
            for name, change in model.consistency.changes.items():
                parts = (change.first, change.sibling, change.both, change.kept, change.alike)
                shares = (Share.of(part, number) if part else "" for part in parts)
                lines.append([model.name, name, *shares])
            whole = Share.of(model.consistency.whole, number)
            lines.append([model.name, "whole group right", "", "", whole, "", ""])
    caption = (
        "Rows in groups in which one thing is changed: shares of right first rows, of right "
        "siblings, of pairs with both right, of right siblings among those whose first row is "
        "right, and of siblings answered as their first row; and of groups with only right rows."
    )
    heads = ["model", "changed", "first right", "sibling right", "both", "stays right", "as first"]
    return (
        Panel("consistency", "Consistency over siblings", caption, [[*heads], *lines])
        if lines
        else None
    )


def _unknown(models: Sequence[ModelFigures]) -> Panel | None:
    cells: list[Mapping[Any, Cell]] = [
        {"the answer is unknown": shares.open, "the answer is known": shares.known}
        if (shares := model.abstention)
        else {}
        for model in models
    ]
    caption = "Answers in %; the first should be 100 %, the second 0 %. Lines are 95 % intervals."
    table = _table("", models, cells)
    return Panel("abstention", "Says “unknown” where …", caption, table) if any(cells) else None


def _confused(number: int, models: Sequence[ModelFigures]) -> Panel | None:
    """Make the table of right answers and the answers given, the most frequent pair first."""
    counts, rows = models[number].confusion, Counter[str]()
    for (target, _), count in counts.items():
        rows[target] += count
    if len(rows) < 2:
        return None
    lines: list[list[str | Share]] = [
        [*pair, str(counts[pair]), Share.of(Estimate(part, part, part), number)]
        for pair in sorted(counts, key=lambda pair: (-counts[pair], pair))
        for part in [counts[pair] / rows[pair[0]]]
    ]
    whose = f": {models[number].name}" if len(models) > 1 else ""
    heads = ["right answer", "answer given", "rows", "% of this right answer"]
    caption = "How often each answer was given, the most frequent first."
    return Panel(f"confusion-{number}", f"Confusions{whose}", caption, [[*heads], *lines])
