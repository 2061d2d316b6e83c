"""`gen view`: datasets to look at in a browser, or as a file to send around."""

from pathlib import Path
from typing import Annotated

import typer

from ..errors import InvalidOption
from . import output
from .parameters import Quiet, whole_number


def view(
    folders: Annotated[
        list[Path], typer.Argument(metavar="DIR...", help="A dataset's folder, or two.")
    ],
    predictions: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Answers to the first, as gen score takes them."),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            parser=whole_number(1), metavar="<int>", help="Serve there.", show_default="a free one"
        ),
    ] = None,
    host: Annotated[
        str | None,
        typer.Option(help="Serve where others may reach it.", show_default="127.0.0.1"),
    ] = None,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", metavar="", help="Open no browser.")
    ] = False,
    static: Annotated[
        Path | None,
        typer.Option(metavar="OUT", help="Write some rows as one HTML file instead."),
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(
            parser=whole_number(1),
            metavar="<int>",
            help="How many rows --static writes, from all over the dataset.",
            show_default="50",
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", metavar="", help="Replace the file in --static.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Look at a dataset, or two side by side, in a browser; Ctrl-C ends it."""
    if len(folders) > 2:
        raise InvalidOption(f"expected one dataset or two, but got {len(folders)}; leave some out")
    if len({folder.resolve() for folder in folders}) < len(folders):
        raise InvalidOption(f"{folders[0]} is given twice; name another, or leave it out")
    from ..web import require

    require()
    if static is None:
        for name, given in (("--sample", sample), ("--force", force or None)):
            if given is not None:
                raise InvalidOption(f"{name}: is for --static only; leave it out")
        _serve(folders, predictions, host, port, browser=not no_browser, quiet=quiet)
        return
    unfit = {"--port": port, "--host": host, "--no-browser": no_browser or None}
    for name, value in unfit.items():
        if value is not None:
            raise InvalidOption(f"{name}: has no effect with --static; leave it out")
    if len(folders) > 1:
        raise InvalidOption("--static: takes one dataset; leave the other out")
    from ..web.view.file import Page

    page = Page(folders[0], predictions, 50 if sample is None else sample)
    with output.progress("counting", page.total, quiet) as advance:
        written = page.write(static, advance, force=force)
    if not quiet:
        output.echo(f"{written} row(s) to look at: {static}")


def _serve(
    folders: list[Path],
    predictions: Path | None,
    host: str | None,
    port: int | None,
    *,
    browser: bool,
    quiet: bool,
) -> None:
    from ..web.page import LOOPBACK
    from ..web.server import HOST, address, is_loopback, listen, serve
    from ..web.view.site import Site

    if port is not None and port > 65_535:
        raise InvalidOption(f"--port: expected a number up to 65535, but got {port}")
    site = Site(folders, predictions)
    listening = listen(host or HOST, port)
    app = site.app(LOOPBACK if is_loopback(host or HOST) else None)
    if not quiet:
        output.echo(f"{' and '.join(site.names)}: {address(listening)} (Ctrl-C ends it)")
    serve(app, listening, browser=browser)
