"""`gen export`: write a dataset in the format of another program."""

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import output
from .describe import new_table
from .output import echo_json, print_rich
from .parameters import Cluster, Engine, Folder, Json, Quiet, integer, switch

if TYPE_CHECKING:
    from ..exporting.exporter import Exporter


def export(
    folder: Folder,
    to: Annotated[
        str | None, typer.Option(metavar="NAME", help="Export format; without it, all are listed.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Output path.", show_default="DIR-NAME")] = None,
    force: Annotated[bool, switch("--force", "Replace an earlier export.")] = False,
    workers: Annotated[
        int | None,
        integer(
            1,
            "Number of processes, for formats written row by row; the output is the same.",
            show_default="1",
        ),
    ] = None,
    engine: Engine = "local",
    cluster: Cluster = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Export a dataset to the format of another program, or list the formats.

    All datasets of a suite (gen run) are exported together with --to hub.
    """
    from ..dataset import Manifest
    from ..dataset.manifest import SUITE
    from ..engines.engine import start_engine
    from ..errors import InvalidOption
    from ..exporting import exporter

    suite = (folder / SUITE).exists()
    manifest = None if suite else Manifest.load(folder)
    if to is None:
        listed = exporter.exporters(manifest.generator if manifest else None)
        _list(listed, json)
        return
    found = exporter.find_exporter(to, manifest.generator if manifest else None)
    shared = workers is not None or cluster is not None or engine != "local"
    if shared and not found.by_row:
        raise InvalidOption(
            f"--engine: {to} is written by one process; leave out --engine, --cluster and --workers"
        )
    home = folder if folder.name.strip(".") else folder.resolve()
    out = out or home.parent / f"{home.name}-{to}"
    rows = sum(manifest.splits.values()) if manifest else 0
    with ExitStack() as stack:
        advance = stack.enter_context(output.progress(f"export {folder}", rows, quiet))
        started = None
        if shared:
            started = stack.enter_context(
                start_engine(engine, workers=workers, cluster=cluster, progress=advance)
            )
        files = exporter.export(folder, to, out, force=force, tick=advance, engine=started)
    if json:
        echo_json([str(file) for file in files])
    elif not quiet:
        total = output.size(sum(file.stat().st_size for file in files))
        guide = f"; see {out / 'README.md'}" if out / "README.md" in files else ""
        output.echo(f"{out}: {len(files)} file{'s' * (len(files) > 1)}, {total}{guide}")


def _list(exporters: "list[Exporter]", json: bool) -> None:
    from rich.text import Text

    if json:
        echo_json([{"name": each.name, "summary": each.summary} for each in exporters])
        return
    table = new_table("--to", "what it writes")
    for each in exporters:
        table.add_row(Text(each.name, "bold"), Text(each.summary))
    print_rich(table)
