"""`gen relinf-agreement`: the agreement of annotators of relation inferences."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InvalidOption
from . import output
from .describe import new_table
from .output import echo_json, print_rich
from .parameters import Folder, Json

if TYPE_CHECKING:
    from ..dataset import Manifest
    from ..generators.relinf.aggregate import LabelledPairs
    from ..generators.relinf.aggregation import Precision


def agreement(
    folder: Folder,
    experts: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Annotations by experts, to compare with the labels."),
    ] = None,
    json: Json = False,
) -> None:
    """Report the agreement of annotators for labels of `gen relinf-aggregate`.

    Prints the outcomes of the candidates, Krippendorff's alpha, and how often each annotator
    agrees with the others.
    """
    from ..generators.relinf import RelinfAggregate
    from ..generators.relinf.aggregate import labelled_pairs
    from ..generators.relinf.aggregation import against_experts
    from ..generators.relinf.annotation import read_annotations

    manifest = _manifest(folder, RelinfAggregate.name)
    made = labelled_pairs(RelinfAggregate.configure(manifest.options))
    compared = None
    if experts:
        tasks = {row.metadata["task"] for row in made.candidates.values()}
        theirs = read_annotations([experts], tasks)
        compared = against_experts(made.labels, theirs.votes)
        for note in theirs.notes:
            output.fail(f"{experts}: {note}")
    if json:
        echo_json(_report(made, compared))
    else:
        _print_report(made, compared)


def _manifest(folder: Path, generator: str) -> "Manifest":
    from ..dataset import Manifest

    manifest = Manifest.load(folder)
    if manifest.generator != generator:
        raise InvalidOption(
            f"{folder} was made by {manifest.generator}; give a dataset of gen {generator}"
        )
    return manifest


def _report(made: "LabelledPairs", compared: "Precision | None") -> dict[str, Any]:
    from ..generators.relinf.aggregation import alpha, worker_quality

    votes = made.votes.votes
    report: dict[str, Any] = {
        "tasks": len({row.metadata["task"] for row in made.candidates.values()}),
        "votes": sum(map(len, votes.values())),
        "left_out": {reason: len(which) for reason, which in made.votes.left_out.items()},
        "outcomes": made.outcomes,
        "krippendorff_alpha": alpha(votes),
        "workers": [worker._asdict() for worker in worker_quality(votes)],
    }
    if compared:
        report["experts"] = {
            "compared": compared.compared,
            "agreed": compared.agreed,
            "precision": compared.precision,
        }
    return report


_MAX_WORKERS = 10


def _print_report(made: "LabelledPairs", compared: "Precision | None") -> None:
    report = _report(made, compared)
    rows: list[tuple[str, str]] = [
        ("sentences", str(report["tasks"])),
        ("votes", str(report["votes"])),
        *((f"candidates: {name}", str(count)) for name, count in report["outcomes"].items()),
        ("Krippendorff's alpha", _number(report["krippendorff_alpha"])),
    ]
    if compared:
        rows.append(
            ("precision on experts", f"{_number(compared.precision)} of {compared.compared}")
        )
    _print_table(("annotation", "value"), rows)
    workers = report["workers"]
    shown = [
        (w["worker"], str(w["votes"]), _number(w["with_others"]), _number(w["nonsense"]))
        for w in workers[:_MAX_WORKERS]
    ]
    _print_table(("annotator", "votes", "agrees with others", "says nonsense"), shown)
    if len(workers) > len(shown):
        output.echo(f"... and {len(workers) - len(shown)} who agree more (all with --json)")


def _print_table(columns: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    from rich.text import Text

    table = new_table(*columns)
    for column in table.columns[1:]:
        column.justify, column.ratio = "right", None
    for row in rows:
        table.add_row(*map(Text, row))
    print_rich(table)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
