"""`gen world`: check rule worlds."""

from collections import Counter
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import CheckFailed
from . import output
from .describe import load_or_find
from .output import echo_json
from .parameters import Json

if TYPE_CHECKING:
    from ..kb.worlds.lint import WorldFinding

app = typer.Typer(no_args_is_help=True, rich_markup_mode="markdown", help="Check rule worlds.")


@app.callback()
def world() -> None:
    """Check rule worlds: predicates, rules and semantics."""


@app.command("check")
def check(
    what: Annotated[
        str, typer.Argument(metavar="FILE", help="A world file, or a world's name (gen list).")
    ],
    rules: Annotated[
        str | None, typer.Option(help="Check only this rule set.", show_default="all")
    ] = None,
    json: Json = False,
) -> None:
    """Find false, ambiguous and missing rules.

    A false rule is shown with a minimal counterexample. Exit code 1 if a rule is false, 0 if there
    is only advice.
    """
    from ..kb.worlds.lint import lint

    world = load_or_find(what)
    found: dict[str, list[WorldFinding]] = {}
    for name in world.rulesets if rules is None else [rules]:
        findings = found[name] = lint(world, name)
        if not json:
            kinds = Counter(finding.kind for finding in findings)
            counts = ", ".join(f"{number} {kind}" for kind, number in kinds.items())
            output.echo(
                f"{what}, rule set {name}: {len(world.ruleset(name).rules)} rules, "
                f"{len(findings)} finding(s){counts and f' ({counts})'}"
            )
            for finding in findings:
                output.echo(f"  {str(finding).replace(chr(10), chr(10) + '  ')}")
    if json:
        echo_json({name: list(map(_as_json, each)) for name, each in found.items()})
    if wrong := sum(finding.is_error for each in found.values() for finding in each):
        raise CheckFailed(f"{what}: {wrong} finding(s) show false rules; fix them")


def _as_json(finding: "WorldFinding") -> dict[str, object]:
    return {
        "kind": finding.kind,
        "subject": finding.subject,
        "message": finding.message,
        "example": finding.example,
        "wrong": finding.is_error,
    }
