"""`gen clutrr-audit`: what official CLUTRR files are worth."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .describe import new_table
from .output import echo_json, print_rich
from .parameters import Json

if TYPE_CHECKING:
    from ..generators.clutrr.output.audit import Tally


def clutrr_audit(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE.csv...", help="Official CSVs, of 18 or of 15 columns."),
    ],
    uncles_by_marriage: Annotated[
        bool,
        typer.Option("--uncles-by-marriage", metavar="", help="An aunt's husband is an uncle."),
    ] = False,
    json: Json = False,
) -> None:
    """Count the answers of official CLUTRR files that their own stories entail.

    For each file and each k: the rows, for how many of them the thesis' rules derive the official
    answer, and what a judge that knows no rules says of it. The answer is *entailed* where it
    holds in every family that satisfies the story's facts, *undetermined* where it holds in some,
    *contradicted* where in none; an *impossible* story has no family at all.
    """
    from ..generators.clutrr.output.audit import audit, rule_deriver
    from ..kb.worlds.kinship.judge import Axioms

    axioms = Axioms(uncles_by_marriage=uncles_by_marriage)
    thesis = rule_deriver("thesis")
    tallies = [(str(path), audit(path, thesis, axioms)) for path in files]
    if json:
        echo_json(
            [
                {
                    "file": name,
                    "k": tally.k,
                    "rows": tally.rows,
                    "derived": tally.derived,
                    **tally.verdicts,
                }
                for name, by_k in tallies
                for tally in by_k
            ]
        )
    else:
        _print(tallies)


def _print(tallies: "list[tuple[str, list[Tally]]]") -> None:
    from ..kb.worlds.verdict import Status

    table = new_table("file", "k", "rows", "derived", *Status)
    for column in table.columns[1:]:
        column.justify, column.ratio = "right", None
    every = [tally for _, by_k in tallies for tally in by_k]
    for name, by_k in tallies:
        for tally in by_k:
            verdicts = (str(tally.verdicts[status]) for status in Status)
            table.add_row(name, str(tally.k), str(tally.rows), str(tally.derived), *verdicts)
    rows = sum(tally.rows for tally in every)
    counts = [sum(tally.verdicts[status] for tally in every) for status in Status]
    table.add_section()
    table.add_row(
        "all",
        "",
        str(rows),
        str(sum(tally.derived or 0 for tally in every)),
        *(f"{count} ({100 * count / (rows or 1):.0f} %)" for count in counts),
    )
    print_rich(table)
