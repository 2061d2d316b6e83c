"""`gen report inference`: the paper's figure 2 over results of relation inference."""

from .describe import echo_json
from .evaluate import Plot, Results, print_table, report
from .parameters import Json


@report.command()
def inference(folders: Results, plot: Plot = None, json: Json = False) -> None:
    """Precision and recall of methods of relation inference (Levy and Dagan's figure 2)."""
    import typer

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
