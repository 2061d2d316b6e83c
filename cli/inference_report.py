"""`gen report inference`: the paper's figure 2 over results of relation inference."""

from ..files import replacing
from .report import Plot, Results, show
from .parameters import ForcePlot, Json


def inference(
    folders: Results, plot: Plot = None, force: ForcePlot = False, json: Json = False
) -> None:
    """Precision and recall of methods of relation inference (Levy and Dagan's figure 2)."""
    from ..evaluation.model import need_torch

    need_torch()
    from ..evaluation.relinf import reports
    from ..evaluation.relinf.results import load_results

    results = load_results(folders)
    tables = reports.inference(results)
    if plot:
        with replacing(plot, force=force, option="--plot") as picture:
            reports.draw(results, picture)
    show_tables(tables, plot, json)
