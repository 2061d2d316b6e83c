"""`gen annotate`: collect annotations with your own server."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import InvalidOption
from . import output
from .describe import new_table
from .parameters import Json, Quiet, decimal, integer, switch
from .serving import Host, Proxy, Url, check_proxies, host_of, listen_at

if TYPE_CHECKING:
    from ..web.annotate.progress import ProjectProgress
    from ..web.annotate.project import Project

app = typer.Typer(
    no_args_is_help=True,
    help="Collect annotations: create a project, serve it, export the answers.",
    rich_markup_mode="markdown",
)

Folder = Annotated[Path, typer.Argument(metavar="PROJECT", help="The project's folder.")]
Names = Annotated[list[str], typer.Argument(metavar="NAME...", help="Names of annotators.")]


@contextmanager
def _opened(folder: Path) -> "Iterator[Project]":
    _require()
    from ..storage.database import explain_database_errors
    from ..web.annotate.progress import explain_damage
    from ..web.annotate.project import Project

    project = Project.open(folder)
    try:
        with explain_database_errors(), explain_damage(project):
            yield project
    finally:
        project.database.close()


def _require() -> None:
    from ..web import require

    require()


@app.command()
def init(
    project: Annotated[Path, typer.Argument(metavar="PROJECT", help="The folder to create.")],
    task: Annotated[str, typer.Option(help="Annotation task: relinf, solve or a plugin.")],
    source: Annotated[Path, typer.Option("--from", metavar="DIR", help="The dataset to annotate.")],
    split: Annotated[
        str | None, typer.Option(help="Use only this split.", show_default="all")
    ] = None,
    rows: Annotated[
        int | None, integer(1, "Use only this many first rows.", show_default="all")
    ] = None,
    people: Annotated[
        int | None,
        integer(
            1,
            "Annotators per item.",
            show_default="5 for relinf, 3 for solve",
        ),
    ] = None,
    gold: Annotated[
        int, integer(0, "Number of gold items with known answers, to measure reliability.")
    ] = 0,
    qualify: Annotated[
        int, integer(0, "Number of gold items shown first, as a qualification test.")
    ] = 0,
    pass_mark: Annotated[
        float | None,
        decimal(0, 1, "Share of the qualification items that must be right.", show_default="0.8"),
    ] = None,
    minutes: Annotated[
        float,
        decimal(0.1, 10_000, "Minutes without an answer before an item goes to somebody else."),
    ] = 30,
    port: Annotated[
        int | None,
        integer(1, "Port for gen annotate serve.", show_default="from 8640, the first free"),
    ] = None,
    seed: Annotated[int, integer(None, "Random seed for the order of items.")] = 0,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Create an annotation project from the rows of a dataset.

    Edit `consent.txt` in the folder: annotators must agree to it.
    """
    _require()
    from ..web.annotate.project import ProjectOptions, create
    from ..web.server import check_port, listen

    check_port(port)
    if port is None:
        with listen() as free:
            port = int(free.getsockname()[1])
    wanted = ProjectOptions(
        task=task,
        source=source,
        split=split,
        rows=rows,
        people=people,
        gold=gold,
        qualify=qualify,
        pass_mark=pass_mark,
        minutes=minutes,
        port=port,
        seed=seed,
    )
    count = create(project, wanted)
    if quiet:
        return
    with _opened(project) as made:
        asked = made.settings.people
    if json:
        output.echo_json({"items": count, "people": asked})
        return
    output.echo(f"{project}: {count} items, {asked} annotators each")
    output.echo(f"edit what annotators agree to: {project / 'consent.txt'}")
    output.echo(f"then: gen annotate invite {project} NAME...; gen annotate serve {project}")


@app.command()
def serve(
    project: Folder,
    port: Annotated[int | None, integer(0, "Port.", show_default="the project's")] = None,
    host: Host = "127.0.0.1",
    url: Url = "",
    proxy: Proxy = None,
) -> None:
    """Serve a project's pages until Ctrl-C.

    Only this machine can reach them unless --host is given. Outside a trusted network, put a
    server with TLS in front, and pass the public address as --url and the server's as --proxy.
    """
    proxies = check_proxies(proxy)
    with _opened(project) as opened:
        from ..web.annotate.project import FILE
        from ..web.annotate.site import AnnotationSite
        from ..web.server import serve as run

        listening, hosts, where = listen_at(
            host, opened.settings.port if port is None else port, url
        )
        site = AnnotationSite(opened, hosts=hosts, secure=url.startswith("https://"))
        output.echo(f"{opened.settings.title}: {where}")
        output.echo(f"gen annotate progress {project} shows the work so far; Ctrl-C stops")
        if not url and port not in (None, 0, opened.settings.port):
            output.echo(f'for new links, set "port" to {port} in {project / FILE}')
        run(site.app, listening, proxies=proxies)


@app.command()
def invite(
    project: Folder,
    names: Names,
    days: Annotated[float, decimal(0, 3660, "Days until the link expires.")] = 30,
    url: Annotated[
        str,
        typer.Option(
            metavar="URL",
            help="Public address of the server.",
            show_default="http://127.0.0.1 with the project's port",
        ),
    ] = "",
    json: Json = False,
) -> None:
    """Make a link for each annotator; an earlier link stops working."""
    _require()
    from ..access import check_name
    from ..web.annotate.access import invite as make
    from ..web.annotate.access import link_path

    if url:
        host_of(url)
    for name in names:
        check_name(name)
    with _opened(project) as opened:
        base = url.rstrip("/") or f"http://127.0.0.1:{opened.settings.port}"
        links = {name: f"{base}/{link_path(make(opened, name, days))}" for name in names}
    if json:
        output.echo_json(links)
        return
    for name, link in links.items():
        output.echo(f"{name}\t{link}")


@app.command()
def revoke(project: Folder, names: Names) -> None:
    """Disable the links of annotators; their answers stay."""
    _require()
    from ..web.annotate.access import revoke as revoke_link

    with _opened(project) as opened:
        for name in names:
            revoke_link(opened, name)
            output.echo(f"{name}: the link no longer works")


@app.command()
def forget(
    project: Folder,
    names: Names,
    yes: Annotated[bool, switch("--yes", "Confirm the deletion, which is final.")] = False,
) -> None:
    """Delete annotators and their answers; their items go to others."""
    _require()
    from ..web.annotate.access import delete_person as delete

    if not yes:
        raise InvalidOption("--yes: the deletion is final; add it to confirm")
    with _opened(project) as opened:
        for name in names:
            output.echo(f"{name}: deleted, with {delete(opened, name)} answers")


@app.command()
def progress(project: Folder, json: Json = False) -> None:
    """Print the progress of a project, the agreement, and the reliability of annotators."""
    with _opened(project) as opened:
        from ..web.annotate.progress import progress as compute_progress

        state = compute_progress(opened)
    if json:
        output.echo_json(state.as_json())
    else:
        _print(state)


def _print(state: "ProjectProgress") -> None:
    from rich.text import Text

    table = new_table("what", "complete", "answers")
    table.add_row(
        state.unit, f"{state.complete} of {state.items}", f"{state.answers} of {state.wanted}"
    )
    if state.gold:
        table.add_row("gold", f"{state.gold} items", f"{state.gold_answers}")
    output.print_rich(table)
    alpha = "-" if state.alpha is None else f"{state.alpha:.3f}"
    output.echo(f"Krippendorff's alpha: {alpha}")
    table = new_table("annotator", "answers", "gold", "as expected", "with most others")
    for who in state.annotators:
        shares = (who.gold, who.expected, who.with_others)
        table.add_row(Text(who.name), str(who.answers), *map(_share, shares))
    output.print_rich(table)


def _share(pair: tuple[int, int]) -> str:
    return f"{pair[0]} of {pair[1]}" if pair[1] else "-"


@app.command()
def export(
    project: Folder,
    out: Annotated[Path, typer.Option(help="Output folder.")] = Path("annotations"),
    force: Annotated[bool, switch("--force", "Replace the export in --out.")] = False,
    json: Json = False,
) -> None:
    """Export items, answers, annotators and a manifest, as files for other commands."""
    with _opened(project) as opened:
        from ..web.annotate.transfer import export as write

        lines = write(opened, out, force=force)
    if json:
        output.echo_json(lines)
        return
    for name, count in lines.items():
        output.echo(f"{out / name}: {count} line{'s' * (count != 1)}")
