"""`gen report model`: one page about models, from the logs of several programs."""

from pathlib import Path
from typing import Annotated

import typer

from ..storage.files import replacing
from . import output
from .output import echo_json
from .parameters import Json, listed, switch


def model(
    logs: Annotated[
        list[str],
        typer.Argument(
            metavar="LOG...",
            help="Inspect logs (.eval), lm-eval's samples_*.jsonl, files of ids and answers, or "
            "folders of these; NAME=LOG names the model.",
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
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="HTML file to write.")] = None,
    force: Annotated[bool, switch("--force", "Replace the file in --out.")] = False,
    json: Json = False,
) -> None:
    """Make one page about models from logs: accuracy by k compared with baselines, and findings.

    Also accuracy by noise, consistency on siblings, abstention and confusions.
    """
    from ..errors import InvalidOption
    from ..evaluation.picture.figures import figures
    from ..evaluation.picture.findings import findings
    from ..evaluation.picture.logs import read
    from ..evaluation.picture.page import page

    if out and out.suffix.lower() not in (".html", ".htm"):
        raise InvalidOption(f"--out: expected a file such as page.html, but got {str(out)!r}")
    every = read(logs, data, split)
    numbers = figures(every, listed(by))
    found = findings(numbers)
    if out:
        names = " and ".join(each.name for each in numbers.models)
        title = f"{names} on {numbers.generator}"
        inputs = [Path(log) for log in logs if Path(log).is_file()]
        with replacing(out, force=force, inputs=inputs) as successor:
            successor.write_text(page(every, numbers, found, title), "utf-8")
    if json:
        told = [{"model": finding.model, "text": finding.text} for finding in found]
        echo_json({**numbers.as_json(), "findings": told})
        return
    for finding in found:
        whose = f"{finding.model}: " if finding.model else ""
        output.echo(f"{whose}{finding.text}")
    for note in (*numbers.notes, *(f"{s.model}: {note}" for s in every for note in s.notes)):
        output.echo(note, err=True)
    if out:
        output.echo(f"page: {out}")
