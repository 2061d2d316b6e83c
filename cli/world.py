"""`gen world`: look at rule worlds."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import CheckFailed, InvalidOption
from ..registry import WORLDS
from . import output
from .output import echo_json
from .parameters import Json

if TYPE_CHECKING:
    from ..kb.worlds.lint import Finding
    from ..kb.worlds.world import World

app = typer.Typer(rich_markup_mode="markdown", help="Look at rule worlds.")


@app.callback()
def world() -> None:
    """Look at rule worlds: predicates, rules, and what they mean."""


@app.command("check")
def check(
    what: Annotated[
        str | None,
        typer.Argument(metavar="FILE", help="A world file, or the name of a world (gen list)."),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Every world that is installed, by its default rules.")
    ] = False,
    rules: Annotated[
        str | None, typer.Option(help="Only this rule set.", show_default="all of them")
    ] = None,
    json: Json = False,
) -> None:
    """Look for rules that are false, and for what is ambiguous, missing or superfluous.

    A false rule is shown with a smallest situation in which it fails. Exit 1 where a world
    says something false, 0 where there is only advice, which --all counts and does not show.
    """
    if every == (what is not None):
        raise InvalidOption("name a world, or give --all for every world that is installed")
    if every and rules is not None:
        raise InvalidOption("--rules: worlds have rule sets of their own; name one world")
    from ..kb.worlds.lint import lint

    found: dict[str, dict[str, list[Finding]]] = {}
    for one in sorted(WORLDS.entries) if what is None else [what]:
        world = _world(one)
        found[one] = {}
        names = [world.default] if every else list(world.rulesets)
        for name in names if rules is None else [rules]:
            findings = found[one][name] = lint(world, name)
            if not json:
                kinds = Counter(finding.kind for finding in findings)
                counts = ", ".join(f"{number} {kind}" for kind, number in kinds.items())
                output.echo(
                    f"{one}, rule set {name}: {len(world.ruleset(name).rules)} rules, "
                    f"{len(findings)} finding(s){counts and f' ({counts})'}"
                )
                for finding in findings:
                    if finding.wrong or not every:
                        output.echo(f"  {str(finding).replace(chr(10), chr(10) + '  ')}")
    if json:
        told = {
            one: {name: list(map(_told, each)) for name, each in sets.items()}
            for one, sets in found.items()
        }
        echo_json(told if what is None else told[what])
    for one, sets in found.items():
        wrong = sum(finding.wrong for each in sets.values() for finding in each)
        if wrong:
            raise CheckFailed(
                f"{one}: {wrong} finding(s) show that it says what is false; mend that"
            )


def _told(finding: "Finding") -> dict[str, object]:
    return {
        "kind": finding.kind,
        "subject": finding.subject,
        "message": finding.message,
        "example": finding.example,
        "wrong": finding.wrong,
    }


def _world(what: str) -> "World":
    from ..kb.worlds.world import find_world, load_world

    if what in WORLDS.entries and not Path(what).is_file():
        return find_world(what)
    return load_world(Path(what))
