"""`gen report inference`: figure 2 of the paper for results of relation inference."""

from .parameters import ForcePlot, Json
from .report import Plot, Results, show


def inference(
    folders: Results, plot: Plot = None, force: ForcePlot = False, json: Json = False
) -> None:
    """Print precision and recall of relation inference (figure 2 of Levy and Dagan)."""
    from ..evaluation.papers.inference.figure import draw
    from ..evaluation.papers.inference.task import inference as tables
    from ..evaluation.result import load

    results = load(folders, "inferences")
    show(tables(results), lambda _, path: draw(results, path), plot, force, json)
