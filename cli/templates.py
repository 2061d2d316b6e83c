"""`gen templates`: check sentence banks."""

from dataclasses import asdict
from typing import Annotated

import typer

from ..errors import CheckFailed
from . import output
from .output import echo_json
from .parameters import Json, Quiet

app = typer.Typer(no_args_is_help=True, rich_markup_mode="markdown", help="Check sentence banks.")

World = Annotated[str, typer.Option(help="The world of the bank (gen list).")]
Language = Annotated[str, typer.Option(help="The language of the bank (gen list).")]


@app.callback()
def templates() -> None:
    """Check sentence banks."""


@app.command("lint")
def lint(
    world: World = "kinship",
    language: Language = "en",
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Find frames that state too much or too little, or that are ungrammatical.

    Exit code 1 if there are any.
    """
    from ..templates.bank import find_bank
    from ..templates.lint import lint as lint_bank

    bank = find_bank(world, language)
    name = world if language == "en" else f"{world} in {language}"
    with output.progress(f"lint {name}", len(bank.frames), quiet, "frames") as advance:
        findings = lint_bank(bank, advance)
    if json:
        echo_json([asdict(finding) for finding in findings])
    else:
        for finding in findings:
            output.echo(str(finding))
        output.echo(f"{name}: {len(bank.frames)} frames, {len(findings)} finding(s)")
    if findings:
        raise CheckFailed(f"{name}: {len(findings)} finding(s); fix those frames")
