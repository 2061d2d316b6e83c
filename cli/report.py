"""`gen report`: tables and figures of results of gen eval and gen score."""

from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ..errors import InvalidOption
from ..storage.files import replacing
from . import output
from .describe import new_table
from .output import echo_json
from .parameters import Force, Json, listed

if TYPE_CHECKING:
    from ..evaluation.report import PublishedFigure, Table, TableRow
    from ..evaluation.statistics import Estimate

app = typer.Typer(no_args_is_help=True, help="Make pages, tables and figures of results and logs.")

Results = Annotated[
    list[Path], typer.Argument(metavar="DIR...", help="Folders with results of gen eval.")
]
Plot = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Also draw the figure (png, svg, pdf).")
]
By = Annotated[
    str | None,
    typer.Option("--by", metavar="A,B", help="Group rows by these columns, such as k,noise."),
]
Versus = Annotated[
    str, typer.Option(metavar="MODEL", help="Mark figures above or below this model.")
]
FigureName = Annotated[
    str | None,
    typer.Option("--figure", metavar="NAME", help="Which measure; default: the first of the task."),
]


Markdown = Annotated[bool, typer.Option("--markdown", help="Print tables in Markdown.")]
TitlePattern = Annotated[
    str,
    typer.Option("--table", metavar="PATTERN", help="Only tables with such a title, as '*clean*'."),
]


def selected(tables: "Sequence[Table]", pattern: str) -> "list[Table]":
    """Return the tables whose title matches; the notes of all stand under the last one."""
    from dataclasses import replace

    from ..errors import NotFound

    chosen = [table for table in tables if fnmatchcase(table.title, pattern)]
    if not chosen:
        raise NotFound(f"--table: no table has a title such as {pattern!r}")
    chosen[-1] = replace(chosen[-1], note=tables[-1].note)
    return chosen


def show(
    tables: "Sequence[Table]",
    draw: Callable[[Path], None] | None = None,
    plot: Path | None = None,
    force: bool = False,
    form: Literal["text", "json", "markdown"] = "text",
) -> None:
    """Print tables in a form, and draw their figure to `plot` if given."""
    if plot and draw:
        with replacing(plot, force=force, option="--plot") as image:
            draw(image)
    if form == "json":
        echo_json([table.as_json() for table in tables])
        return
    if form == "markdown":
        output.echo("\n\n".join(markdown(table) for table in tables))
        return
    print_tables(tables)
    if plot:
        output.echo(f"plot: {plot}")


def form_of(json: bool, markdown: bool) -> Literal["text", "json", "markdown"]:
    """Return the form in which tables are printed; raise InvalidOption if there are two."""
    if json and markdown:
        raise InvalidOption("--markdown: cannot be combined with --json; leave one out")
    return "json" if json else "markdown" if markdown else "text"


def markdown(table: "Table") -> str:
    """Return a table in Markdown, with its title above and its note below."""
    lines = [[table.head, *table.columns]]
    for line in table.lines:
        name = f"*{line.model}*" if line.baseline else line.model
        lines.append([name, *_cells(line, table.digits)])
        if any(line.paper):
            lines.append(["paper", *(_paper(cell, table.digits) for cell in line.paper)])
    lines.insert(1, ["---"] * len(lines[0]))
    rows = "\n".join("| " + " | ".join(cell.strip() for cell in line) + " |" for line in lines)
    below = f"\n\n{table.note}" if table.note else ""
    return f"**{table.title}**\n\n{rows}{below}"


def print_tables(tables: "Sequence[Table]") -> None:
    """Print tables, with the paper's numbers below each model."""
    for table in tables:
        _print(table)


def _print(table: "Table") -> None:
    from rich.text import Text

    output.echo(table.title)
    shown = new_table(table.head, *table.columns, numbers=len(table.columns))
    dividing = False
    for line in table.lines:
        if line.baseline and not dividing:
            shown.add_section()
            dividing = True
        label = Text(line.model, "" if line.baseline else "bold")
        shown.add_row(label, *_cells(line, table.digits))
        if any(line.paper):
            beside = (Text(_paper(cell, table.digits), "dim") for cell in line.paper)
            shown.add_row(Text("  paper", "dim"), *beside)
    output.print_whole(shown)
    if table.note:
        output.echo(f"{table.note}\n")


def _cells(line: "TableRow", digits: int) -> list[str]:
    """Format the figures of a line, with their marks."""
    cells = [_cell(cell, digits) for cell in line.cells]
    return [f"{a} {b}".strip() for a, b in zip(cells, line.marks or [""] * len(cells), strict=True)]


def _cell(estimate: "Estimate | None", digits: int) -> str:
    if estimate is None:
        return ""
    if isnan(estimate.half):
        return f"{estimate.mean:.{digits}f}"
    return f"{estimate.mean:.{digits}f} \u00b1{estimate.half:.{digits}f}"


def _paper(figure: "PublishedFigure | None", digits: int) -> str:
    if figure is None:
        return ""
    mean, error = figure
    return f"{mean:.{digits}f} \u00b1{error:.{digits}f}" if error else f"{mean:.{digits}f}"


@app.command()
def by(
    folders: Results,
    columns: By = None,
    figure: FigureName = None,
    versus: Versus = "",
    json: Json = False,
    markdown: Markdown = False,
    table: TitlePattern = "*",
) -> None:
    """Print any measure of results, grouped by columns of the rows."""
    from ..evaluation import report
    from ..evaluation.result import load

    tables = selected(report.by(load(folders), listed(columns), figure, versus), table)
    show(tables, form=form_of(json, markdown))


@app.command()
def compare(
    first: Annotated[Path, typer.Argument(metavar="A", help="A result file, or a folder of them.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="The results to compare it with.")],
    columns: By = None,
    figure: FigureName = None,
    json: Json = False,
) -> None:
    """Compare two results on the same rows.

    Pairs the clusters in which rows were drawn, such as clauses, and takes the seeds of the two as
    independent, with Holm's correction for multiple comparisons. With one seed each, it compares
    two trained models by a permutation test.
    """
    from ..evaluation.report import ONE_SEED, compared
    from ..evaluation.result import load

    comparisons = compared(load([first]), load([second]), listed(columns), figure)
    if json:
        echo_json([comparison.as_json() for comparison in comparisons])
        return
    table = new_table("what", "rows", "A", "B", "B - A", "95 %", "p", "corrected", "drawn")
    for comparison in comparisons:
        found = comparison.difference
        table.add_row(
            comparison.what,
            str(comparison.rows),
            f"{comparison.first} {found.first:.3f}",
            f"{comparison.second} {found.second:.3f}",
            f"{found.difference:+.3f}",
            f"{found.low:+.3f} to {found.high:+.3f}",
            f"{found.p:.4f}",
            f"{comparison.corrected:.4f}",
            comparison.drawn,
        )
    output.print_whole(table)
    if not all(comparison.covers_training for comparison in comparisons):
        output.echo(ONE_SEED)


@app.command()
def collect(
    folders: Results,
    out: Annotated[Path, typer.Option(metavar="FILE", help="File to write: .json or .json.gz.")],
    model: Annotated[
        str, typer.Option(metavar="PATTERN", help="Only models with such a label, such as 'bert*'.")
    ] = "*",
    force: Force = False,
) -> None:
    """Write results of several files to one, or only those of some models."""
    import gzip

    from ..errors import NotFound
    from ..evaluation.result import encoded, load

    results = [each for each in load(folders) if fnmatchcase(each.setup.label, model)]
    if not results:
        raise NotFound(f"--model: no result has a label such as {model!r}")
    content = encoded(results)
    with replacing(out, force=force) as successor:
        packed = out.suffix == ".gz"
        successor.write_bytes(gzip.compress(content, mtime=0) if packed else content)
    output.echo(f"{len(results)} result{'s' * (len(results) != 1)}: {out}")
