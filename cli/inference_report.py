"""`gen report inference`: the paper's figure 2 over results of relation inference."""

from .evaluate import Plot, Results, show_tables
from .parameters import Json


def inference(folders: Results, plot: Plot = None, json: Json = False) -> None:
    """Precision and recall of methods of relation inference (Levy and Dagan's figure 2)."""
    from ..evaluation.model import need_torch

    need_torch()
    from ..evaluation.relinf import reports
    from ..evaluation.relinf.results import load_results

    results = load_results(folders)
    tables = reports.inference(results)
    if plot:
        reports.draw(results, plot)
    show_tables(tables, plot, json)
