"""`gen report paper`: tables and figures of papers, from results of gen eval."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import InvalidOption, hint
from .describe import new_table
from .output import echo_json, print_rich
from .parameters import ForcePlot, Json
from .report import Markdown, Plot, TitlePattern, Versus, form_of, selected, show

if TYPE_CHECKING:
    from ..evaluation.papers.reports import PaperReport


def paper(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="Which table or figure; without it, all are listed."),
    ] = None,
    results: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[RESULTS]...", help="Files and folders with results of gen eval."),
    ] = None,
    versus: Versus = "",
    plot: Plot = None,
    force: ForcePlot = False,
    json: Json = False,
    markdown: Markdown = False,
    table: TitlePattern = "*",
) -> None:
    """Print a table of a paper for results of gen eval, next to the published numbers.

    With --plot, also draw its figure.
    """
    from ..evaluation.papers.reports import REPORTS
    from ..evaluation.result import load

    if name is None:
        _list(REPORTS, json)
        return
    if name not in REPORTS:
        raise InvalidOption(f"no paper report {name!r}; {hint(name, REPORTS)}")
    if not results:
        raise InvalidOption(f"{name}: give files or folders with results of gen eval")
    report = REPORTS[name]
    if versus and not report.marks:
        raise InvalidOption(f"--versus: {name} marks no figures; leave it out")
    loaded = load(results, report.task)
    tables = report.make(loaded, versus) if versus else report.make(loaded)
    draw = report.draw
    if plot and draw is None:
        raise InvalidOption(f"--plot: {name} has no figure; leave it out")
    drawn = partial(draw, loaded, tables) if draw else None
    show(selected(tables, table), drawn, plot, force, form_of(json, markdown))


def _list(reports: "dict[str, PaperReport]", json: bool) -> None:
    from rich.text import Text

    if json:
        echo_json([{"name": name, "summary": each.summary} for name, each in reports.items()])
        return
    table = new_table("NAME", "what it is")
    for name, report in reports.items():
        table.add_row(Text(name, "bold"), report.summary)
    print_rich(table)
