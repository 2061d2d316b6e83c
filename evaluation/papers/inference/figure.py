"""Figure 2: precision against recall, every method on it.

References: figure 2 of Levy and Dagan, 2016.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...plots import drawing, look
from ...report import tests_of
from ...result import Result
from .task import by_parts, counts, curve


def draw(results: Sequence[Result], path: Path) -> None:
    """A panel for each set of pairs, a curve for each seed; a method without ranks is a point."""
    sets = tests_of(by_parts(results))
    with drawing(path, ncols=len(sets), figsize=(8 * len(sets), 5.5)) as (_, (panels,)):
        for axes, ((_, name), tests) in zip(panels, sets.items(), strict=True):
            pairs, implied, *_ = counts(*tests[0])
            for number, (result, test) in enumerate(tests):
                for run in range(len(result.runs)):
                    _draw_method(axes, result, test, run, number)
            every = implied / pairs
            axes.axhline(every, color="0.6", linewidth=0.9, linestyle=":")
            axes.annotate("every pair", (0.01, every), va="bottom", fontsize=7, color="0.4")
            axes.set(xlabel="recall", ylabel="precision", xlim=(0, 1.01), ylim=(0, 1.02))
            axes.set_title(f"{name}: {implied} of {pairs} pairs are implied", fontsize=10)
            axes.grid(alpha=0.3)
            axes.legend(frameon=False, fontsize=8, loc="upper right")


def _draw_method(axes: Any, result: Result, test: int, run: int, number: int) -> None:
    """The curve of a seed, and on it the point where the method itself draws the line."""
    drawn = curve(result, test, run)
    few = len(drawn.taken) < 10
    style = look(number) | {"linewidth": 1.4}
    marker = style["marker"] if few else None
    label = result.setup.label if not run else None
    axes.plot(drawn.recalls, drawn.precisions, label=label, **style | {"marker": marker})
    _, implied, taken, right = counts(result, test, run)
    if not few and taken and implied:
        axes.plot(right / implied, right / taken, "o", color=style["color"], markersize=5)
