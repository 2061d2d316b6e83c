"""Tables and figure 2 over results, with what the paper says of its own.

References: section 4.2 and figure 2 of Levy and Dagan, 2016.
"""

from collections.abc import Sequence
from pathlib import Path

from ...errors import InvalidOption
from ..plots import load_pyplot, save_plot
from ..table import Line, Table
from .curve import Point
from .results import Result

COLUMNS = ["precision", "recall", "area above 0.5", "recall at 0.8"]
PAPER = (
    "paper (section 4.2; figure 2 is a drawing, no numbers), on 16,371 pairs of which 3,147 are "
    "implied: most methods add little to the lemma baseline, the entailment graph being the "
    "exception, and no combination has a recall of 0.25 at a precision of 0.8"
)


def inference(results: Sequence[Result]) -> list[Table]:
    """For each set of pairs: a line for each method, in the order of the figure's legend."""
    tables = []
    for name, split in dict.fromkeys(map(_pairs_of, results)):
        same_pairs = [result for result in results if _pairs_of(result) == (name, split)]
        data = same_pairs[0].setup.data
        what = f"{name} ({split})" if split else name
        title = f"{what}: {data.implied} of {data.pairs} pairs are implied"
        tables.append(Table(title, COLUMNS, list(map(_line, ordered(same_pairs))), PAPER, 3))
    return tables


def _pairs_of(result: Result) -> tuple[str, str | None]:
    return result.setup.data.name, result.setup.data.split


def ordered(results: Sequence[Result]) -> list[Result]:
    """What is simple first: by the number of parts, then by name."""
    return sorted(results, key=lambda result: (result.setup.label.count(" + "), result.setup.label))


def _line(result: Result) -> Line:
    figures = result.summary()
    names = ("precision", "recall", "area", "recall_at_0.8")
    return Line(
        result.setup.label,
        False,
        [(float(figures[name]), 0.0) for name in names],
        [None] * len(names),
    )


def draw(results: Sequence[Result], path: Path) -> None:
    """Figure 2: precision against recall, every method on it; a method without ranks is a point."""
    names = {(result.setup.data.name, result.setup.data.sha256) for result in results}
    if len(names) > 1:
        listed = ", ".join(sorted(name for name, _ in names))
        raise InvalidOption(f"--plot: a figure is of one set of pairs, but these are of {listed}")
    pyplot = load_pyplot()
    figure, axes = pyplot.subplots(figsize=(8, 5.5))
    data = results[0].setup.data
    colours = pyplot.get_cmap("tab10").colors
    for number, result in enumerate(ordered(results)):
        curve, colour = result.curve, colours[number % len(colours)]
        recalls = [curve.recall(point) for point in curve.points]
        precisions = [curve.precision(point) for point in curve.points]
        few = len(curve.points) < 10
        axes.plot(
            recalls,
            precisions,
            color=colour,
            marker="osv^DPX*<>"[number % 10] if few else None,
            linestyle="-" if number < len(colours) else "--",
            linewidth=1.4,
            label=result.setup.label,
        )
        if not few:
            chosen = Point(result.predicted, result.tp)
            where = (curve.recall(chosen), curve.precision(chosen))
            axes.plot(*where, color=colour, marker="o", markersize=5)
    share = data.implied / data.pairs
    axes.axhline(share, color="0.6", linewidth=0.9, linestyle=":")
    axes.annotate("every pair", (0.01, share), va="bottom", fontsize=7, color="0.4")
    axes.set_xlabel("recall")
    axes.set_ylabel("precision")
    axes.set_xlim(0, 1.01)
    axes.set_ylim(0, 1.02)
    axes.set_title(f"{data.name}: {data.implied} of {data.pairs} pairs are implied", fontsize=10)
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=8, loc="upper right")
    save_plot(pyplot, figure, path)
