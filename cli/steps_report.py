"""`gen report steps`: how models reason, from their answers."""

from pathlib import Path
from typing import Annotated

import typer

from .output import echo_json
from .parameters import Json


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
    json: Json = False,
) -> None:
    """Show how often the steps of answers are sound, and where and why they go wrong."""
    from ..evaluation.score import judge_steps, score, step_tables
    from .report import print_tables

    columns = [column.strip() for column in by.split(",")] if by else []
    tables = []
    for file in predictions:
        result, _ = judge_steps(*score(file, data, split))
        tables += step_tables(result, columns)
    if json:
        echo_json([table.as_json() for table in tables])
    else:
        print_tables(tables)
