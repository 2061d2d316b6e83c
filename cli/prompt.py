"""`gen prompt`: what a language model would be shown of a dataset's rows."""

from itertools import islice
from typing import Annotated

import typer

from . import output
from .output import echo_json
from .parameters import Folder, Json, whole_number
from .show import Count


def prompt(
    folder: Folder,
    n: Count = 3,
    split: Annotated[
        str | None, typer.Option(help="Rows of this split.", show_default="test, or the first")
    ] = None,
    style: Annotated[
        str, typer.Option(metavar="NAME", help="zero-shot, few-shot, or cot for step by step.")
    ] = "zero-shot",
    shots: Annotated[
        int | None,
        typer.Option(
            parser=whole_number(0),
            metavar="<int>",
            help="Examples from train, none of the row's own story or group.",
            show_default="3 for few-shot",
        ),
    ] = None,
    letters: Annotated[
        bool, typer.Option("--letters", metavar="", help="List the choices, with letters.")
    ] = False,
    json: Json = False,
) -> None:
    """Show exactly what a language model would see of the first rows, and what would be right."""
    from ..dataset import Dataset
    from ..prompting.prompt import prompter_of
    from ..scoring.scorer import key

    dataset = Dataset(folder)
    splits = list(dataset.manifest.splits)
    split = split or ("test" if "test" in splits else splits[0])
    prompter = prompter_of(dataset, style, shots=shots, letters=letters)  # type: ignore[arg-type]
    with dataset.damage_explained():
        for made in map(prompter, islice(dataset.rows(split), n)):
            right = key(made.row).right
            if json:
                shown = {"id": made.row.id, "prompt": made.text, "right": right}
                echo_json(shown | {"examples": [row.id for row in made.examples]}, indented=False)
                continue
            output.echo(f"--- {made.row.id}, right: {right or 'not known'}")
            output.echo(f"{made.text}\n")
