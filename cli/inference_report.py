"""`gen report inference`: the paper's figure 2 over results of relation inference."""

import typer

from .describe import echo_json
from .evaluate import Plot, Results, print_table
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
    if json:
        echo_json([table.as_json() for table in tables])
        return
    for table in tables:
        print_table(table)
    if plot:
        typer.echo(f"plot: {plot}")
