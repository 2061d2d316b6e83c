"""`gen report steps`: how models reason, from their answers."""

from pathlib import Path
from typing import Annotated

import typer

from . import output
from .output import echo_json
from .parameters import Json, switch


def steps(
    predictions: Annotated[
        list[Path],
        typer.Argument(
            metavar="PREDICTIONS...",
            help="Answers with their reasoning, one file for each model: any that gen score reads.",
        ),
    ],
    data: Annotated[Path, typer.Option(metavar="DIR", help="The dataset of the answers.")],
    split: Annotated[str, typer.Option(help="The split of the answers.")] = "test",
    by: Annotated[
        str | None,
        typer.Option("--by", metavar="A,B", help="Group rows by metadata; default: world and k."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="HTML file to write: the page of gen report model too."),
    ] = None,
    force: Annotated[bool, switch("--force", "Replace the file in --out.")] = False,
    json: Json = False,
) -> None:
    """Show how often the steps of answers are sound, and where and why they go wrong."""
    from ..evaluation.picture.logs import read
    from ..evaluation.score import judge_steps, score, step_tables
    from .model_report import check_page, write_page
    from .report import print_tables

    check_page(out)
    columns = [column.strip() for column in by.split(",")] if by else []
    tables, judged = [], []
    for file in predictions:
        result, rows = judge_steps(*score(file, data, split))
        tables += step_tables(result, columns)
        if out:
            (answers,) = read([str(file)], data, split)
            judged.append(answers.with_steps({each.row.id: each.steps for each in rows}))
    if out:
        write_page(out, judged, force=force, inputs=predictions)
    if json:
        echo_json([table.as_json() for table in tables])
    else:
        print_tables(tables)
    if out:
        output.echo(f"page: {out}", err=json)
