"""`gen report model`: one picture of what models do, from the logs of whatever ran them."""

from pathlib import Path
from typing import Annotated

import typer

from ..storage.files import replacing
from . import output
from .output import echo_json
from .parameters import Json, whole_number
from .report import Plot


def model(
    logs: Annotated[
        list[str],
        typer.Argument(
            metavar="LOG...",
            help="Logs of Inspect (.eval), lm-eval's samples_*.jsonl, results of gen score or gen "
            "eval, files of ids and answers, or folders of these; NAME=LOG names the model.",
        ),
    ],
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="The dataset that they answer: rows by id, and scored anew."
        ),
    ] = None,
    split: Annotated[
        str | None, typer.Option(metavar="SPLIT", help="Of --data; else all splits.")
    ] = None,
    by: Annotated[
        str | None,
        typer.Option("--by", metavar="A,B", help="Divide rows by these columns too."),
    ] = None,
    answers: Annotated[
        int | None,
        typer.Option(
            parser=whole_number(0),
            metavar="<int>",
            help="So many right and so many wrong answers of each model to read.",
            show_default="4",
        ),
    ] = None,
    title: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Of the page; else the models' names.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the page here (html).")
    ] = None,
    plot: Plot = None,
    force: Annotated[
        bool, typer.Option("--force", metavar="", help="Replace what --out and --plot name.")
    ] = False,
    json: Json = False,
) -> None:
    """One page on what models do, from logs: accuracy by k beside yardsticks, and what that allows.

    By noise, consistency over siblings, abstention, confusions, and answers to read as well.
    """
    from ..errors import InvalidOption
    from ..evaluation.picture.drawing import draw_sheet
    from ..evaluation.picture.figures import figures
    from ..evaluation.picture.findings import findings
    from ..evaluation.picture.logs import read
    from ..evaluation.picture.page import page

    if out and out.suffix.lower() not in (".html", ".htm"):
        raise InvalidOption(f"--out: expected a file such as page.html, but got {str(out)!r}")
    if title is not None and not (out or plot):
        raise InvalidOption("--title: it has no effect without --out or --plot")
    if answers is not None and not out:
        raise InvalidOption("--answers: it has no effect without --out")
    every = read(logs, data, split)
    columns = [column.strip() for column in by.split(",") if column.strip()] if by else []
    numbers = figures(every, columns)
    said = findings(numbers)
    names = " and ".join(each.name for each in numbers.models)
    heading = title or f"{names} on {numbers.generator or 'rows'}"
    shown = 4 if answers is None else answers
    inputs = [Path(log) for log in logs if Path(log).is_file()]
    if out:
        with replacing(out, force=force, inputs=inputs) as successor:
            successor.write_text(page(every, numbers, said, heading, shown), "utf-8")
    if plot:
        with replacing(plot, force=force, inputs=inputs, option="--plot") as picture:
            draw_sheet(numbers, said, heading, picture)
    if json:
        told = [{"model": finding.model, "text": finding.text} for finding in said]
        echo_json({**numbers.as_json(), "findings": told})
        return
    for finding in said:
        whose = f"{finding.model}: " if finding.model else ""
        output.echo(f"{whose}{finding.text}")
    for some in every:
        for note in some.notes:
            output.echo(f"{some.model}: {note}", err=True)
    for what, path in (("page", out), ("plot", plot)):
        if path:
            output.echo(f"{what}: {path}")
