"""`gen world`: look at rule worlds."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import CheckFailed
from ..registry import WORLDS
from . import output
from .output import echo_json
from .parameters import Json

if TYPE_CHECKING:
    from ..kb.world import World

app = typer.Typer(rich_markup_mode="markdown", help="Look at rule worlds.")


@app.callback()
def world() -> None:
    """Look at rule worlds: predicates, rules, and what they mean."""


@app.command("check")
def check(
    what: Annotated[
        str, typer.Argument(metavar="FILE", help="A world file, or the name of a world (gen list).")
    ],
    rules: Annotated[
        str | None, typer.Option(help="Only this rule set.", show_default="all of them")
    ] = None,
    json: Json = False,
) -> None:
    """Look for rules that are false, and for what is ambiguous, missing or superfluous.

    A false rule is shown with a smallest situation in which it fails. Exit 1 where the world
    says something false, 0 where there is only advice.
    """
    from ..kb.lint import lint

    found = _world(what)
    names = list(found.rulesets) if rules is None else [rules]
    findings = {name: lint(found, name) for name in names}
    if json:
        echo_json(
            {
                name: [
                    {
                        "kind": one.kind,
                        "subject": one.subject,
                        "message": one.message,
                        "example": one.example,
                        "wrong": one.wrong,
                    }
                    for one in ones
                ]
                for name, ones in findings.items()
            }
        )
    else:
        for name, ones in findings.items():
            count = len(found.ruleset(name).rules)
            output.echo(f"{found.name}, rule set {name}: {count} rules, {len(ones)} finding(s)")
            for one in ones:
                output.echo(f"  {str(one).replace(chr(10), chr(10) + '  ')}")
    wrong = sum(one.wrong for ones in findings.values() for one in ones)
    if wrong:
        raise CheckFailed(f"{what}: {wrong} finding(s) show that it says what is false; mend that")


def _world(what: str) -> "World":
    from ..kb.world import find_world, load_world

    if what in WORLDS.entries and not Path(what).is_file():
        return find_world(what)
    return load_world(Path(what))
