"""Words on the screen: consoles, one-line errors, progress."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer

Advance = Callable[[int], None]

_SECONDS_BETWEEN_LINES = 5.0


def fail(message: str) -> None:
    """Say on standard error what is wrong, a line for each thing."""
    for line in message.splitlines():
        typer.echo(f"gen: {line}", err=True)


@contextmanager
def progress(what: str, rows: int, quiet: bool, unit: str = "rows") -> Iterator[Advance]:
    """Show how many rows are done: a bar on a terminal, now and then a line elsewhere."""
    if quiet:
        yield lambda done: None
    elif sys.stderr.isatty():
        with _bar(what, rows) as advance:
            yield advance
    else:
        yield _lines(what, rows, unit)


@contextmanager
def _bar(what: str, rows: int) -> Iterator[Advance]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Remaining())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task(what, total=rows)
        yield lambda done: bars.update(task, completed=done)


def _lines(what: str, rows: int, unit: str) -> Advance:
    last = time.monotonic()

    def advance(done: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= _SECONDS_BETWEEN_LINES:
            last = now
            typer.echo(f"{what}: {done} of {rows} {unit}", err=True)

    return advance


def size(count: int) -> str:
    """A number of bytes for people."""
    value, unit = float(count), "bytes"
    for bigger in ("kB", "MB", "GB", "TB"):
        if value < 1000:
            break
        value, unit = value / 1000, bigger
    return f"{value:.0f} {unit}" if unit == "bytes" else f"{value:.1f} {unit}"


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
