"""`gen report model`: one page about models, from the logs of several programs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..storage.files import replacing
from . import output
from .output import echo_json
from .parameters import Json, integer, switch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..evaluation.picture.figures import Figures
    from ..evaluation.picture.record import ModelAnswers

_SHOWN = 4
"""Right and wrong answers of each model on a page."""


def check_page(out: Path | None) -> None:
    """Raise InvalidOption if a page would not be a file of HTML."""
    from ..errors import InvalidOption

    if out and out.suffix.lower() not in (".html", ".htm"):
        raise InvalidOption(f"--out: expected a file such as page.html, but got {str(out)!r}")


def write_page(
    out: Path,
    every: "Sequence[ModelAnswers]",
    numbers: "Figures | None" = None,
    *,
    title: str | None = None,
    answers: int = _SHOWN,
    force: bool,
    inputs: "Sequence[Path]",
) -> None:
    """Write the page about models; their figures are computed if they are not given."""
    from ..evaluation.picture.figures import figures
    from ..evaluation.picture.findings import findings
    from ..evaluation.picture.page import page

    numbers = numbers or figures(every)
    names = " and ".join(each.name for each in numbers.models)
    heading = title or f"{names} on {numbers.generator or 'rows'}"
    with replacing(out, force=force, inputs=inputs) as successor:
        text = page(every, numbers, findings(numbers), heading, answers)
        successor.write_text(text, "utf-8")


def model(
    logs: Annotated[
        list[str],
        typer.Argument(
            metavar="LOG...",
            help="Inspect logs (.eval), lm-eval's samples_*.jsonl, results of gen score or gen "
            "eval, files of ids and answers, or folders of these; NAME=LOG names the model.",
        ),
    ],
    data: Annotated[
        Path,
        typer.Option(
            metavar="DIR", help="The dataset of the answers; they are scored again by its rows."
        ),
    ],
    split: Annotated[
        str | None, typer.Option(metavar="SPLIT", help="Split of --data; default: all splits.")
    ] = None,
    by: Annotated[
        str | None, typer.Option("--by", metavar="A,B", help="Also group rows by these columns.")
    ] = None,
    answers: Annotated[
        int | None,
        integer(
            0, "Right and wrong answers of each model to show, this many each.", show_default="4"
        ),
    ] = None,
    title: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Title of the page; default: the models' names."),
    ] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="HTML file to write.")] = None,
    force: Annotated[bool, switch("--force", "Replace the file in --out.")] = False,
    json: Json = False,
) -> None:
    """Make one page about models from logs: accuracy by k compared with baselines, and findings.

    Also accuracy by noise, consistency on siblings, abstention, confusions, and sample answers.
    """
    from ..errors import InvalidOption
    from ..evaluation.picture.figures import figures
    from ..evaluation.picture.findings import findings
    from ..evaluation.picture.logs import read

    check_page(out)
    for option, given in (("--title", title), ("--answers", answers)):
        if given is not None and not out:
            raise InvalidOption(f"{option}: has no effect without --out; add it")
    every = read(logs, data, split)
    columns = [column.strip() for column in by.split(",") if column.strip()] if by else []
    numbers = figures(every, columns)
    found = findings(numbers)
    if out:
        inputs = [Path(log) for log in logs if Path(log).is_file()]
        shown = _SHOWN if answers is None else answers
        write_page(out, every, numbers, title=title, answers=shown, force=force, inputs=inputs)
    if json:
        listed = [{"model": finding.model, "text": finding.text} for finding in found]
        echo_json({**numbers.as_json(), "findings": listed})
        return
    for finding in found:
        whose = f"{finding.model}: " if finding.model else ""
        output.echo(f"{whose}{finding.text}")
    for note in (*numbers.notes, *(f"{s.model}: {note}" for s in every for note in s.notes)):
        output.echo(note, err=True)
    if out:
        output.echo(f"page: {out}")
