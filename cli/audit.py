"""`gen clutrr-audit`: check the answers of the published CLUTRR files."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .describe import new_table
from .output import echo_json, print_rich
from .parameters import Json, switch

if TYPE_CHECKING:
    from ..generators.clutrr.output.audit import AuditCounts


def clutrr_audit(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE.csv...", help="Published CSV files, with 18 or 15 columns."),
    ],
    uncles_by_marriage: Annotated[
        bool, switch("--uncles-by-marriage", "Count an aunt's husband as an uncle.")
    ] = False,
    json: Json = False,
) -> None:
    """Count the answers of published CLUTRR files that their stories entail.

    For each file and k: the number of rows, of answers that the rules of the thesis derive, and
    the verdicts of a judge without rules. An answer is *entailed* if it holds in every family that
    satisfies the story's facts, *undetermined* if in some, *contradicted* if in none; an
    *impossible* story has no family at all.
    """
    from ..generators.clutrr.output.audit import audit, rule_deriver

    thesis = rule_deriver("thesis")
    audits = [
        (str(path), audit(path, thesis, uncles_by_marriage=uncles_by_marriage)) for path in files
    ]
    if json:
        echo_json(
            [
                {
                    "file": name,
                    "k": counts_of_k.k,
                    "rows": counts_of_k.rows,
                    "derived": counts_of_k.derived,
                    **counts_of_k.verdicts,
                }
                for name, by_k in audits
                for counts_of_k in by_k
            ]
        )
    else:
        _print(audits)


def _print(audits: "list[tuple[str, list[AuditCounts]]]") -> None:
    from ..kb.worlds.verdict import Status

    table = new_table("file", "k", "rows", "derived", *Status)
    for column in table.columns[1:]:
        column.justify, column.ratio = "right", None
    every = [counts_of_k for _, by_k in audits for counts_of_k in by_k]
    for name, by_k in audits:
        for counts_of_k in by_k:
            verdicts = (str(counts_of_k.verdicts[status]) for status in Status)
            table.add_row(
                name, str(counts_of_k.k), str(counts_of_k.rows), str(counts_of_k.derived), *verdicts
            )
    rows = sum(counts_of_k.rows for counts_of_k in every)
    counts = [sum(counts_of_k.verdicts[status] for counts_of_k in every) for status in Status]
    table.add_section()
    table.add_row(
        "all",
        "",
        str(rows),
        str(sum(counts_of_k.derived or 0 for counts_of_k in every)),
        *(f"{count} ({100 * count / (rows or 1):.0f} %)" for count in counts),
    )
    print_rich(table)
