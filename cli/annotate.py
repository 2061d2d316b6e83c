"""`gen annotate`: people's judgements, from a server of one's own."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import InvalidOption
from . import output
from .describe import new_table
from .parameters import Json, Quiet, number, whole_number

if TYPE_CHECKING:
    from ..web.annotate.progress import Progress
    from ..web.annotate.project import Project

app = typer.Typer(
    help="Collect people's judgements: make a project, serve it, take the answers out.",
    rich_markup_mode="markdown",
)

Folder = Annotated[Path, typer.Argument(metavar="PROJECT", help="A project's folder.")]
Names = Annotated[list[str], typer.Argument(metavar="NAME...", help="Annotators, by their names.")]
_HERE = "http://127.0.0.1:8640"


@contextmanager
def _opened(folder: Path) -> "Iterator[Project]":
    _require()
    from ..web.annotate.database import explained
    from ..web.annotate.project import Project

    project = Project.open(folder)
    try:
        with explained():
            yield project
    finally:
        project.database.close()


def _require() -> None:
    from ..web import require

    require()


@app.command()
def init(
    project: Annotated[Path, typer.Argument(metavar="PROJECT", help="The folder to make.")],
    task: Annotated[
        str,
        typer.Option(help="What people do: relinf, paraphrase, whitelist, solve or a plugin's."),
    ],
    source: Annotated[
        Path, typer.Option("--from", metavar="DIR", help="The dataset that they are asked about.")
    ],
    title: Annotated[
        str, typer.Option(help="What stands above every page.", show_default="the task's own")
    ] = "",
    split: Annotated[
        str | None, typer.Option(help="Ask about this split only.", show_default="all")
    ] = None,
    rows: Annotated[
        int | None,
        typer.Option(
            parser=whole_number(1),
            metavar="<int>",
            help="Ask about so many rows, the first.",
            show_default="all",
        ),
    ] = None,
    people: Annotated[
        int | None,
        typer.Option(
            parser=whole_number(1),
            metavar="<int>",
            help="How many people answer each item.",
            show_default="5 for relinf, 3 for whitelist and solve, 1 for paraphrase",
        ),
    ] = None,
    gold: Annotated[
        int,
        typer.Option(
            parser=whole_number(0),
            metavar="<int>",
            help="Set so many items apart whose answer is known, to see who can be relied on.",
        ),
    ] = 0,
    gold_answers: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The answers to them, as export writes answers.jsonl."),
    ] = None,
    gold_share: Annotated[
        float | None,
        typer.Option(
            parser=number(0, 1),
            metavar="<float>",
            help="How much of what people are given is gold.",
            show_default="0.1 where there is some",
        ),
    ] = None,
    qualify: Annotated[
        int,
        typer.Option(
            parser=whole_number(0),
            metavar="<int>",
            help="So many gold items come first, and decide who goes on.",
        ),
    ] = 0,
    pass_mark: Annotated[
        float | None,
        typer.Option(
            parser=number(0, 1),
            metavar="<float>",
            help="The share of them that must be right.",
            show_default="0.8",
        ),
    ] = None,
    minutes: Annotated[
        float,
        typer.Option(
            parser=number(0.1, 10_000),
            metavar="<float>",
            help="After so long without an answer, an item goes to somebody else.",
        ),
    ] = 30,
    database: Annotated[
        str,
        typer.Option(
            metavar="URL",
            help="A PostgreSQL database: postgresql://name@host/database.",
            show_default="SQLite, in the folder",
        ),
    ] = "",
    seed: Annotated[
        int,
        typer.Option(
            parser=whole_number(), metavar="<int>", help="Another seed, another order of items."
        ),
    ] = 0,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Make a project: what is asked about the rows of a dataset, and a place for the answers.

    It prints the owner's link, once. `consent.txt` in the folder is what annotators agree to: edit
    it.
    """
    _require()
    from ..web.annotate.access import invite, path
    from ..web.annotate.project import DATABASE, Wanted, create

    if database and "://" not in database:
        raise InvalidOption(
            f"--database: expected a URL such as postgresql://name@host/project, but got "
            f"{database!r}; for SQLite leave it out"
        )
    wanted = Wanted(
        task=task,
        source=source,
        title=title,
        split=split,
        rows=rows,
        people=people,
        gold=gold,
        gold_answers=gold_answers,
        gold_share=gold_share,
        qualify=qualify,
        pass_mark=pass_mark,
        minutes=minutes,
        database=database or DATABASE,
        seed=seed,
    )
    count = create(project, wanted)
    if quiet:
        return
    with _opened(project) as made:
        link = f"{_HERE}/{path(invite(made, '', 365, owner=True), owner=True)}"
        asked = made.settings.people
    if json:
        output.echo_json({"items": count, "people": asked, "owner": link})
        return
    output.echo(f"{project}: {count} items, for {asked} each")
    output.echo(f"read what annotators agree to: {project / 'consent.txt'}")
    output.echo(f"then: gen annotate serve {project}")
    output.echo(f"your own link, shown this once: {link}")


@app.command()
def serve(
    project: Folder,
    port: Annotated[
        int | None,
        typer.Option(
            parser=whole_number(0), metavar="<int>", help="The port.", show_default="8640, or free"
        ),
    ] = None,
    host: Annotated[
        str,
        typer.Option(help="The address to listen on; 0.0.0.0 for whoever reaches this machine."),
    ] = "127.0.0.1",
    url: Annotated[
        str,
        typer.Option(
            metavar="URL",
            help="By what address people reach it, for links: https://annotate.example.org",
            show_default="the address it listens on",
        ),
    ] = "",
) -> None:
    """Serve a project's pages until Ctrl-C.

    Only this machine reaches them unless --host says otherwise. Beyond a network that you trust,
    put a server with TLS before it and name its address with --url.
    """
    with _opened(project) as opened:
        from ..web.annotate.site import Site
        from ..web.page import LOOPBACK
        from ..web.server import address, is_loopback, listen
        from ..web.server import serve as run

        hosts: frozenset[str] | None = LOOPBACK if is_loopback(host) else None
        if url:
            hosts = LOOPBACK | {_name(url)}
        listening = listen(host, port)
        where = url or address(listening)
        site = Site(opened, hosts=hosts, address=where, secure=url.startswith("https://"))
        output.echo(f"{opened.settings.title}: {where}")
        output.echo("your own page is at the link that gen annotate init printed; Ctrl-C ends this")
        run(site.app, listening)


def _name(url: str) -> str:
    from urllib.parse import urlsplit

    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/"):
        raise InvalidOption(
            f"--url: expected an address such as https://annotate.example.org, but got {url!r}"
        )
    return parts.hostname


@app.command()
def invite(
    project: Folder,
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME...]", help="Annotators, by their names.")
    ] = None,
    owner: Annotated[
        bool,
        typer.Option("--owner", metavar="", help="A new link for yourself, in place of the old."),
    ] = False,
    days: Annotated[
        float,
        typer.Option(parser=number(0, 3660), metavar="<float>", help="How long it is good."),
    ] = 30,
    url: Annotated[str, typer.Option(metavar="URL", help="The address of the server.")] = _HERE,
    json: Json = False,
) -> None:
    """Make a link for each annotator; a new one for who has one, and the old is no longer good."""
    _require()
    from ..web.annotate.access import check_name, path
    from ..web.annotate.access import invite as make

    if owner == bool(names):
        raise InvalidOption("NAME: name annotators, or ask for --owner")
    _name(url)
    for name in names or []:
        check_name(name)
    with _opened(project) as opened:
        links = {
            name: f"{url.rstrip('/')}/{path(make(opened, name, days, owner=owner), owner=owner)}"
            for name in names or ["owner"]
        }
    if json:
        output.echo_json(links)
        return
    for name, link in links.items():
        output.echo(f"{name}\t{link}")


@app.command()
def revoke(project: Folder, names: Names) -> None:
    """Make links useless; what those annotators answered stays."""
    _require()
    from ..web.annotate.access import revoke as take_back

    with _opened(project) as opened:
        for name in names:
            take_back(opened, name)
            output.echo(f"{name}: the link is no longer good")


@app.command()
def forget(
    project: Folder,
    names: Names,
    yes: Annotated[
        bool, typer.Option("--yes", metavar="", help="It is for good: say that you mean it.")
    ] = False,
) -> None:
    """Delete annotators and all they answered; others are asked in their stead."""
    _require()
    from ..web.annotate.access import forget as delete

    if not yes:
        raise InvalidOption("--yes: what is forgotten is gone for good; add it if you mean it")
    with _opened(project) as opened:
        for name in names:
            output.echo(f"{name}: forgotten, with {delete(opened, name)} answers")


@app.command()
def progress(project: Folder, json: Json = False) -> None:
    """Say how far a project is, how far people agree, and who can be relied on."""
    with _opened(project) as opened:
        from ..web.annotate.progress import progress as reckon

        state = reckon(opened)
    if json:
        output.echo_json(state.as_json())
    else:
        _print(state)


def _print(state: "Progress") -> None:
    from rich.text import Text

    table = new_table("what", "complete", "answers")
    for stage in state.stages:
        table.add_row(
            stage.name, f"{stage.complete} of {stage.items}", f"{stage.answers} of {stage.wanted}"
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
    out: Annotated[Path, typer.Option(help="The folder to write.")] = Path("annotations"),
    force: Annotated[
        bool, typer.Option("--force", metavar="", help="Replace the export in --out.")
    ] = False,
    json: Json = False,
) -> None:
    """Write all items, answers and annotators, what other commands read of them, and a manifest."""
    with _opened(project) as opened:
        from ..web.annotate.transfer import export as write

        lines = write(opened, out, force=force)
    if json:
        output.echo_json(lines)
        return
    for name, count in lines.items():
        output.echo(f"{out / name}: {count} lines")


@app.command("import")
def bring_in(
    project: Folder,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="answers.jsonl of an export; for relinf all that gen relinf-aggregate reads.",
        ),
    ],
    json: Json = False,
) -> None:
    """Take in annotations of earlier, all or none; what cannot be used is counted and named."""
    with _opened(project) as opened:
        from ..web.annotate.transfer import bring_in as take

        kept, left_out = take(opened, file)
    if json:
        output.echo_json({"kept": kept, "left_out": left_out})
        return
    output.echo(f"{kept} answers taken in")
    for why, which in left_out.items():
        more = ", ..." if len(which) > 3 else ""
        output.echo(f"{len(which)} left out: {why}: {', '.join(which[:3])}{more}", err=True)
