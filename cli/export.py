"""`gen export`: a dataset in the form of another program."""

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..storage.store import Remote
from . import output
from .describe import new_table
from .output import echo_json, print_rich
from .parameters import Cluster, Engine, Folder, Json, Quiet, whole_number

if TYPE_CHECKING:
    from ..exporting.exporter import Exporter


def export(
    folder: Folder,
    to: Annotated[
        str | None, typer.Option(metavar="NAME", help="The form; without it, all are listed.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Where to write.", show_default="DIR-NAME")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", metavar="", help="Replace an earlier export.")
    ] = False,
    push: Annotated[
        str | None,
        typer.Option(
            metavar="OWNER/NAME",
            help="With --to hub: upload it to this dataset of the Hugging Face hub as well.",
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            parser=whole_number(1),
            metavar="<int>",
            help="Processes, for forms that are written by the row; they change no byte.",
            show_default="1",
        ),
    ] = None,
    engine: Engine = "local",
    cluster: Cluster = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Write a dataset in a form that other programs read, or list the forms there are for it."""
    from ..dataset import Manifest
    from ..engines.engine import start_engine
    from ..errors import InvalidOption
    from ..exporting import exporter

    manifest = Manifest.load(folder)
    if to is None:
        if push:
            raise InvalidOption("--push: nothing is written without --to; add --to hub")
        _list(exporter.exporters(manifest.generator), json)
        return
    form = exporter.find_exporter(to, manifest.generator)
    shared = workers is not None or cluster is not None or engine != "local"
    if shared and not form.by_row:
        raise InvalidOption(
            f"--engine: {to} is written in one piece, by one process; leave out --engine, "
            f"--cluster and --workers"
        )
    if push and not form.push:
        raise InvalidOption(f"--push: {to} has no place to be pushed to; hub has: --to hub")
    send = form.push(push) if push and form.push else None
    home = folder if folder.name.strip(".") else folder.resolve()
    beside = Path() if isinstance(home, Remote) else home.parent
    out = out or beside / f"{home.name}-{to}"
    rows = sum(manifest.splits.values())
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
        output.echo(f"{out}: {len(files)} file{'s' * (len(files) > 1)}, {total}")
    if send:
        place = send(out)
        if not (quiet or json):
            output.echo(place)


def _list(forms: "list[Exporter]", json: bool) -> None:
    from rich.text import Text

    if json:
        echo_json([{"name": form.name, "summary": form.summary} for form in forms])
        return
    table = new_table("--to", "what it writes")
    for form in forms:
        table.add_row(Text(form.name, "bold"), Text(form.summary))
    print_rich(table)
