"""`gen view`: show datasets in a browser, or as an HTML file."""

from pathlib import Path
from typing import Annotated

import typer

from ..errors import InvalidOption
from . import output
from .parameters import Folder, Quiet, integer, switch


def view(
    folder: Folder,
    predictions: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Answers to the dataset, in the format of gen score."),
    ] = None,
    port: Annotated[
        int | None, integer(1, "Port.", show_default="from 8640, the first free")
    ] = None,
    host: Annotated[
        str | None,
        typer.Option(
            help="Address to listen on; 0.0.0.0 accepts other machines.", show_default="127.0.0.1"
        ),
    ] = None,
    no_browser: Annotated[bool, switch("--no-browser", "Do not open a browser.")] = False,
    static: Annotated[
        Path | None, typer.Option(metavar="OUT", help="Write some rows to one HTML file instead.")
    ] = None,
    sample: Annotated[
        int | None, integer(1, "Rows that --static writes, evenly spaced.", show_default="50")
    ] = None,
    force: Annotated[bool, switch("--force", "Replace the file in --static.")] = False,
    quiet: Quiet = False,
) -> None:
    """Show a dataset in a browser until Ctrl-C."""
    from ..web import require

    require()
    if static is None:
        for name, given in (("--sample", sample), ("--force", force or None)):
            if given is not None:
                raise InvalidOption(f"{name}: has an effect only with --static; leave it out")
        _serve(folder, predictions, host, port, browser=not no_browser, quiet=quiet)
        return
    unused = {"--port": port, "--host": host, "--no-browser": no_browser or None}
    for name, value in unused.items():
        if value is not None:
            raise InvalidOption(f"{name}: has no effect with --static; leave it out")
    from ..web.view.file import Page

    page = Page(folder, predictions, 50 if sample is None else sample)
    written = page.write(static, force=force)
    if not quiet:
        output.echo(f"{written} of {page.total} rows written: {static}")


def _serve(
    folder: Path,
    predictions: Path | None,
    host: str | None,
    port: int | None,
    *,
    browser: bool,
    quiet: bool,
) -> None:
    from ..web.page import LOOPBACK
    from ..web.server import HOST, address, check_port, is_loopback, listen, serve
    from ..web.view.site import ViewSite

    check_port(port)
    site = ViewSite(folder, predictions)
    listening = listen(host or HOST, port)
    app = site.app(LOOPBACK if is_loopback(host or HOST) else None)
    if not quiet:
        others = "" if is_loopback(host or HOST) else "open to other machines; "
        output.echo(f"{site.name}: {address(listening)} ({others}Ctrl-C stops)")
    serve(app, listening, browser=browser)
