"""Terminal output: text, JSON, tables, one-line errors, progress."""

import io
import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import typer

Advance = Callable[[int], None]

_SECONDS_BETWEEN_LINES = 2.5


def prepare() -> None:
    """Make sure that stdout and stderr exist and accept every character."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the parent process
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 (for good)
        if isinstance(stream := getattr(sys, name), io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def discard_stdout() -> None:
    """Discard buffered output if stdout is broken; flushing it at exit would fail."""
    try:
        sys.stdout.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


_CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""Control characters, bidirectional marks and lone surrogates."""


def printable(text: str) -> str:
    """Return the text with control characters escaped."""
    return _CONTROL.sub(lambda found: ascii(found[0])[1:-1], text)


def echo(text: str, *, err: bool = False, nl: bool = True) -> None:
    """Print a line, with control characters escaped."""
    typer.echo(printable(text), err=err, nl=nl)


def echo_json(value: Any, *, indented: bool = True) -> None:
    """Print JSON to stdout, with control characters escaped."""
    import orjson

    option = orjson.OPT_NON_STR_KEYS | (orjson.OPT_INDENT_2 if indented else 0)
    try:
        text = orjson.dumps(value, option=option).decode()
    except TypeError:  # lone surrogates, as in file names
        text = json.dumps(value, indent=2 if indented else None)
    typer.echo(_CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


_FREE_WIDTH = 140
_WIDEST = 10_000


def print_whole(table: Any) -> None:
    """Print a rich table; on a narrow screen cells wrap between words, and no word is cut."""
    from rich.console import Console

    wide = Console(width=_WIDEST)
    if wide.measure(table).maximum > _console().width:
        for column in table.columns:
            column.width = max(
                wide.measure(cell).minimum for cell in (column.header, *column.cells)
            )
    print_rich(table, least=wide.measure(table).maximum)


def print_rich(thing: Any, width: int | None = None, least: int = 0) -> None:
    """Print a rich object to stdout, with control characters escaped."""
    from rich.segment import Segment, Segments

    console = _console(width)
    console.width = max(console.width, least)
    drawn = console.render(console.render_str(thing) if isinstance(thing, str) else thing)
    shown = (Segment(printable(text), style, control) for text, style, control in drawn)
    console.print(Segments(shown), end="")


def _console(width: int | None = None) -> Any:
    from rich.console import Console

    # Files and pipes need no wrapping to the width of a screen.
    free = not sys.stdout.isatty() and "COLUMNS" not in os.environ and width is None
    return Console(width=_FREE_WIDTH if free else width, markup=False, emoji=False)


def fail(message: str) -> None:
    """Print error messages to stderr, one per line."""
    with suppress(OSError):  # stderr is broken
        for line in message.split("\n"):
            echo(f"gen: {line}", err=True)


@contextmanager
def progress(what: str, rows: int, quiet: bool, unit: str = "rows") -> Iterator[Advance]:
    """Show progress: a bar on a terminal, else a line every few seconds."""
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
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    shown = TextColumn("{task.description}"), BarColumn(), TaskProgressColumn()
    columns = (*shown, MofNCompleteColumn(), TimeRemainingColumn())
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
            share = 100 * done // max(rows, 1)
            echo(f"{what}: {done} of {rows} {unit}, {share} %", err=True)

    return advance


def size(count: int) -> str:
    """Return a number of bytes in a readable unit."""
    value, unit = float(count), "bytes"
    for bigger in ("kB", "MB", "GB", "TB"):
        if value < 1000:
            break
        value, unit = value / 1000, bigger
    return f"{value:.0f} {unit}" if unit == "bytes" else f"{value:.1f} {unit}"
