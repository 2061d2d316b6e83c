"""Figure 2: precision-recall curves of all methods.

References: figure 2 of Levy and Dagan, 2016.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...plots import drawing, look
from ...report import tests_of
from ...result import Result
from .task import by_component_count, counts, curve


def draw(results: Sequence[Result], path: Path) -> None:
    """Draw a panel per set of pairs and a curve per seed; methods with few scores are points."""
    sets = tests_of(by_component_count(results))
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
    """Draw the curve of a seed, and the point of the method's own threshold."""
    drawn = curve(result, test, run)
    few = len(drawn.predicted) < 10
    style = look(number) | {"linewidth": 1.4}
    marker = style["marker"] if few else None
    label = result.setup.label if not run else None
    axes.plot(drawn.recalls, drawn.precisions, label=label, **style | {"marker": marker})
    _, implied, predicted, right = counts(result, test, run)
    if not few and predicted and implied:
        axes.plot(right / implied, right / predicted, "o", color=style["color"], markersize=5)
