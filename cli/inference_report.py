"""`gen report inference`: the paper's figure 2 over results of relation inference."""

from .parameters import ForcePlot, Json
from .report import Plot, Results, show


def inference(
    folders: Results, plot: Plot = None, force: ForcePlot = False, json: Json = False
) -> None:
    """Precision and recall of methods of relation inference (Levy and Dagan's figure 2)."""
    from ..evaluation.papers.inference.figure import draw
    from ..evaluation.papers.inference.task import inference as tables
    from ..evaluation.result import load

    results = load(folders, "inferences")
    show(tables(results), lambda _, path: draw(results, path), plot, force, json)
