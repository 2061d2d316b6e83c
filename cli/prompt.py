"""`gen prompt`: print the prompts for a dataset's rows."""

from itertools import islice
from typing import Annotated

import typer

from ..errors import InvalidOption
from . import output
from .output import echo_json
from .parameters import Folder, Json, integer, switch
from .show import Count


def prompt(
    folder: Folder,
    n: Count = 3,
    split: Annotated[
        str | None, typer.Option(help="Use this split.", show_default="test, or the first")
    ] = None,
    style: Annotated[
        str, typer.Option(metavar="NAME", help="zero-shot, few-shot, or cot (chain of thought).")
    ] = "zero-shot",
    shots: Annotated[
        int | None,
        integer(
            0,
            "Few-shot examples from train, never of the row's own story or group.",
            show_default="3 for few-shot",
        ),
    ] = None,
    letters: Annotated[bool, switch("--letters", "List the choices with letters.")] = False,
    json: Json = False,
) -> None:
    """Print the exact prompts for the first rows, and the right answers."""
    from ..dataset import Dataset
    from ..prompting.prompt import dataset_prompter
    from ..scoring.scorer import answer_key

    if shots and style == "zero-shot":
        raise InvalidOption(
            "--shots: zero-shot prompts have no examples; add --style few-shot or --style cot"
        )
    dataset = Dataset(folder)
    splits = list(dataset.manifest.splits)
    split = split or ("test" if "test" in splits else splits[0])
    prompter = dataset_prompter(dataset, style, shots=shots, letters=letters)  # type: ignore[arg-type]
    with dataset.explain_damage():
        for made in map(prompter, islice(dataset.rows(split), n)):
            right = answer_key(made.row).right
            if json:
                shown = {"id": made.row.id, "prompt": made.text, "right": right}
                echo_json(shown | {"examples": [row.id for row in made.examples]}, indented=False)
                continue
            output.echo(f"--- {made.row.id}, right: {right or 'not known'}")
            output.echo(f"{made.text}\n")
