"""`gen world`: describe and check rule worlds."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import CheckFailed, InvalidOption
from ..registry import WORLDS
from . import output
from .describe import describe_world
from .output import echo_json
from .parameters import Json

if TYPE_CHECKING:
    from ..kb.worlds.lint import WorldFinding
    from ..kb.worlds.world import World

app = typer.Typer(
    no_args_is_help=True, rich_markup_mode="markdown", help="Describe and check rule worlds."
)


@app.callback()
def world() -> None:
    """Describe and check rule worlds: predicates, rules and semantics."""


@app.command("describe")
def describe(
    what: Annotated[
        str, typer.Argument(metavar="NAME", help="A world's name (gen list), or a world file.")
    ],
    json: Json = False,
) -> None:
    """Explain a world: relations, rules, sentences, an example, and what shortcuts reach."""
    describe_world(_world(what), json)


@app.command("check")
def check(
    what: Annotated[
        str | None,
        typer.Argument(metavar="FILE", help="A world file, or a world's name (gen list)."),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Check every installed world, with its default rules.")
    ] = False,
    rules: Annotated[
        str | None, typer.Option(help="Check only this rule set.", show_default="all")
    ] = None,
    json: Json = False,
) -> None:
    """Find false, ambiguous and missing rules.

    A false rule is shown with a minimal counterexample. Exit code 1 if a rule is false, 0 if there
    is only advice, which --all counts but does not show.
    """
    if every == (what is not None):
        raise InvalidOption("give a world, or --all for every installed world")
    if every and rules is not None:
        raise InvalidOption("--rules: each world has its own rule sets; give one world")
    from ..kb.worlds.lint import lint

    found: dict[str, dict[str, list[WorldFinding]]] = {}
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
                    if finding.is_error or not every:
                        output.echo(f"  {str(finding).replace(chr(10), chr(10) + '  ')}")
    if json:
        listed = {
            one: {name: list(map(_as_json, each)) for name, each in sets.items()}
            for one, sets in found.items()
        }
        echo_json(listed if what is None else listed[what])
    for one, sets in found.items():
        wrong = sum(finding.is_error for each in sets.values() for finding in each)
        if wrong:
            raise CheckFailed(f"{one}: {wrong} finding(s) show false rules; fix them")


def _as_json(finding: "WorldFinding") -> dict[str, object]:
    return {
        "kind": finding.kind,
        "subject": finding.subject,
        "message": finding.message,
        "example": finding.example,
        "wrong": finding.is_error,
    }


def _world(what: str) -> "World":
    from ..kb.worlds.world import find_world, load_world

    if what in WORLDS.entries and not Path(what).is_file():
        return find_world(what)
    return load_world(Path(what))
