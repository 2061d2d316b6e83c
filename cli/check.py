"""`gen verify`, `gen stats` and `gen diff`: look at datasets that exist."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import CheckFailed, Interrupted, Unchecked
from ..storage.files import replacing
from ..storage.store import place_of
from . import output
from .describe import new_table
from .output import echo_json, print_rich
from .parameters import Cluster, Engine, Folder, ForcePlot, Json, Quiet, Workers, whole_number


def verify(
    folder: Folder,
    sample: Annotated[
        int | None,
        typer.Option(
            parser=whole_number(1),
            metavar="<int>",
            help="Make and judge so many rows of each split, evenly spread; read every byte still.",
        ),
    ] = None,
    no_judge: Annotated[
        bool, typer.Option("--no-judge", metavar="", help="Make rows anew, but judge none.")
    ] = False,
    trust: Annotated[
        bool,
        typer.Option(
            "--trust", metavar="", help="Read the files and load the models the manifest names."
        ),
    ] = False,
    workers: Workers = None,
    engine: Engine = "local",
    cluster: Cluster = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Check the folder against its manifest, make every row anew and judge it; one line a finding.

    Exit 0 where all is right, 1 where anything is not, 2 where nothing wrong was found but not all
    could be checked.
    """
    from ..dataset.verifier import Verification, undisturbed
    from ..engines.engine import start_engine

    findings = []
    try:
        with undisturbed(folder) as manifest:
            rows = sum(manifest.splits.values())
            checked = Verification(
                folder, manifest, trust=trust, sample=sample, judged=not no_judge
            )
            with (
                output.progress(f"verify {folder}", rows, quiet) as advance,
                start_engine(engine, workers=workers, cluster=cluster, progress=advance) as started,
            ):
                for finding in checked.findings(started):
                    findings.append(finding)
                    if not json:
                        output.echo(finding)
    except KeyboardInterrupt:
        raise Interrupted(
            f"interrupted; {folder} was not checked to its end, and nothing in it was changed"
        ) from None
    if json:
        echo_json({"rows": rows, "findings": findings, "undone": checked.undone})
    if findings:
        raise CheckFailed(
            f"{folder}: {len(findings)} finding(s) in {rows} rows; make the dataset again, or "
            f"report the generator if it is fresh" + "".join(f"; {why}" for why in checked.undone)
        )
    if checked.undone:
        raise Unchecked(f"{folder}: nothing wrong was found, but {checked.undone[0]}")
    if not quiet and not json:
        files = len(manifest.files)
        looked = f" in the {sample} rows looked at of each split" if sample else ""
        output.echo(f"{folder}: {rows} rows in {files} file{'s' * (files > 1)}, all right{looked}")


def stats(
    folder: Folder,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the targets as well (png, svg, pdf).")
    ] = None,
    force: ForcePlot = False,
    json: Json = False,
) -> None:
    """Count rows, targets, lengths and duplicates of a dataset."""
    from ..dataset import statistics

    counted = statistics.statistics(folder)
    if plot:
        with replacing(plot, force=force, option="--plot") as picture:
            statistics.plot(counted, picture)
    if json:
        echo_json(counted.as_json())
        return
    print_rich(counted.title)
    _print_frame("split", counted.splits)
    shown = counted.labels.head(_MOST_LABELS)
    _print_frame("target", shown)
    if len(counted.labels) > len(shown):
        output.echo(f"... and {len(counted.labels) - len(shown)} more targets (all with --json)\n")
    for split, lengths in counted.lengths.groupby(level="split", sort=False, observed=True):
        _print_frame(f"length, {split}", lengths.droplevel("split").round(1))
    if counted.measures:
        table = new_table("measure", "value")
        table.columns[1].justify, table.columns[1].ratio = "right", None
        for name, value in counted.measures.items():
            table.add_row(name, f"{value:g}")
        print_rich(table)
    if plot:
        output.echo(f"plot: {plot}")


_MOST_LABELS = 25


def _print_frame(corner: str, frame: Any) -> None:
    table = new_table(corner, *map(str, frame.columns))
    for column in table.columns[1:]:
        column.justify, column.ratio = "right", None
    for label, row in zip(frame.index, frame.itertuples(index=False), strict=True):
        table.add_row(str(label), *(f"{value:g}" for value in row))
    print_rich(table)


def diff(
    left: Annotated[
        Any, typer.Argument(parser=place_of, metavar="A", help="A dataset's folder, or its URL.")
    ],
    right: Annotated[Any, typer.Argument(parser=place_of, metavar="B", help="Another.")],
    rows: Annotated[
        int,
        typer.Option(
            parser=whole_number(0), metavar="<int>", help="Show so many differing rows a split."
        ),
    ] = 3,
    json: Json = False,
) -> None:
    """Say what differs between two datasets: manifests first, then the first rows that do.

    Exit 0 where they are the same, 1 where not.
    """
    from .. import dataset

    differences = list(dataset.diff(left, right, rows=rows))
    if json:
        echo_json([{"where": d.where, "A": d.left, "B": d.right} for d in differences])
    elif not differences:
        output.echo(f"{left} and {right} hold the same rows")
    else:
        from rich.text import Text

        table = new_table("where", str(left), str(right))
        table.columns[1].ratio = 1
        for d in differences:
            table.add_row(Text(d.where, "bold"), Text(str(d.left)), Text(str(d.right)))
        print_rich(table)
    if differences:
        raise typer.Exit(1)
