"""`gen verify`, `gen stats` and `gen diff`: inspect existing datasets."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import CheckFailed, Interrupted, Unchecked
from ..storage.files import local_path
from . import output
from .describe import new_table
from .output import echo_json, print_rich
from .parameters import Cluster, Engine, Folder, Json, Quiet, Workers, integer, switch


def verify(
    folder: Folder,
    sample: Annotated[
        int | None,
        integer(1, "Regenerate and judge only this many rows per split; all bytes are checked."),
    ] = None,
    no_judge: Annotated[
        bool, switch("--no-judge", "Regenerate rows, but do not judge them.")
    ] = False,
    trust: Annotated[
        bool, switch("--trust", "Open the files and models that the manifest names.")
    ] = False,
    workers: Workers = None,
    engine: Engine = "local",
    cluster: Cluster = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Check a dataset against its manifest, then regenerate and judge every row.

    Prints one line per finding. Exit code 0: no findings; 1: findings; 2: no findings, but some
    checks were not possible.
    """
    from ..dataset.verifier import Verification, locked_manifest
    from ..engines.engine import start_engine

    findings = []
    try:
        with locked_manifest(folder) as manifest:
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
            f"interrupted; {folder} was not checked completely, and nothing in it was changed"
        ) from None
    if json:
        echo_json({"rows": rows, "findings": findings, "undone": checked.skipped})
    if findings:
        raise CheckFailed(
            f"{folder}: {len(findings)} finding(s) in {rows} rows; make the dataset again, or "
            f"report the generator if it is new" + "".join(f"; {why}" for why in checked.skipped)
        )
    if checked.skipped:
        raise Unchecked(f"{folder}: no findings, but {checked.skipped[0]}")
    if not quiet and not json:
        files = len(manifest.files)
        sampled = f" in the {sample} rows checked of each split" if sample else ""
        output.echo(
            f"{folder}: {rows} rows in {files} file{'s' * (files > 1)}, no findings{sampled}"
        )


def stats(
    folder: Folder,
    json: Json = False,
) -> None:
    """Count rows, targets, lengths and duplicates of a dataset."""
    from ..dataset import statistics

    counted = statistics.compute_statistics(folder)
    if json:
        echo_json(counted.as_json())
        return
    print_rich(counted.title)
    _print_frame("split", counted.splits)
    shown = counted.labels.head(_MAX_LABELS)
    _print_frame("target", shown)
    if len(counted.labels) > len(shown):
        output.echo(f"... and {len(counted.labels) - len(shown)} more targets (all with --json)\n")
    for split, lengths in counted.lengths.groupby(level="split", sort=False, observed=True):
        _print_frame(f"length, {split}", lengths.droplevel("split").round(1))
    if counted.measures:
        table = new_table("measure", "value", numbers=1)
        for name, value in counted.measures.items():
            table.add_row(name, f"{value:g}")
        print_rich(table)


_MAX_LABELS = 25


def _print_frame(corner: str, frame: Any) -> None:
    table = new_table(corner, *map(str, frame.columns), numbers=len(frame.columns))
    for label, row in zip(frame.index, frame.itertuples(index=False), strict=True):
        table.add_row(str(label), *(f"{value:g}" for value in row))
    print_rich(table)


def diff(
    left: Annotated[
        Path, typer.Argument(parser=local_path, metavar="A", help="A dataset's folder.")
    ],
    right: Annotated[
        Path,
        typer.Argument(parser=local_path, metavar="B", help="The dataset to compare it with."),
    ],
    rows: Annotated[int, integer(0, "Differing rows to show per split.")] = 3,
    json: Json = False,
) -> None:
    """Compare two datasets: first the manifests, then the rows.

    Exit code 0 if they are equal, 1 if not.
    """
    from .. import dataset

    differences = list(dataset.diff(left, right, rows=rows))
    if json:
        echo_json([{"where": d.where, "A": d.left, "B": d.right} for d in differences])
    elif not differences:
        output.echo(f"{left} and {right} have the same rows")
    else:
        from rich.text import Text

        table = new_table("where", str(left), str(right))
        table.columns[1].ratio = 1
        for d in differences:
            table.add_row(Text(d.where, "bold"), Text(str(d.left)), Text(str(d.right)))
        print_rich(table)
    if differences:
        raise typer.Exit(1)
