"""Figure 2: precision against recall, every method on it.

References: figure 2 of Levy and Dagan, 2016.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..plots import MARKERS, load_pyplot, save_plot
from ..report import tests_of
from ..result import Result
from ..tasks.inference import by_parts, counts, curve


def draw(results: Sequence[Result], path: Path) -> None:
    """A panel for each set of pairs; a method without ranks is a point."""
    pyplot = load_pyplot()
    sets = tests_of(by_parts(results))
    figure, panels = pyplot.subplots(1, len(sets), figsize=(8 * len(sets), 5.5), squeeze=False)
    for axes, ((_, name), tests) in zip(panels[0], sets.items(), strict=True):
        pairs, implied, *_ = counts(*tests[0])
        colours = pyplot.get_cmap("tab10").colors
        for number, (result, test) in enumerate(tests):
            _draw_method(axes, result, test, number, colours)
        axes.axhline(implied / pairs, color="0.6", linewidth=0.9, linestyle=":")
        axes.annotate("every pair", (0.01, implied / pairs), va="bottom", fontsize=7, color="0.4")
        axes.set(xlabel="recall", ylabel="precision", xlim=(0, 1.01), ylim=(0, 1.02))
        axes.set_title(f"{name}: {implied} of {pairs} pairs are implied", fontsize=10)
        axes.grid(alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False, fontsize=8, loc="upper right")
    save_plot(pyplot, figure, path)


def _draw_method(axes: Any, result: Result, test: int, number: int, colours: Sequence[Any]) -> None:
    """The curve, and on it the point where the method itself draws the line."""
    drawn, colour = curve(result, test), colours[number % len(colours)]
    few = len(drawn.taken) < 10
    axes.plot(
        drawn.recalls,
        drawn.precisions,
        color=colour,
        marker=MARKERS[number % len(MARKERS)] if few else None,
        linestyle="-" if number < len(colours) else "--",
        linewidth=1.4,
        label=result.setup.label,
    )
    _, implied, taken, right = counts(result, test)
    if not few and taken and implied:
        axes.plot(right / implied, right / taken, color=colour, marker="o", markersize=5)
