"""`gen NAME`: write a dataset."""

import os
from pathlib import Path
from typing import Annotated, Literal

import typer

from .. import dataset
from ..engine import Local
from ..errors import InvalidOption
from ..generator import Generator
from ..splits import DEFAULT_ROWS, DEFAULT_SPLITS, parse_splits
from . import output

PANEL = "The dataset"

Rows = Annotated[
    int | None,
    typer.Option(
        help="How many rows in all.", show_default=str(DEFAULT_ROWS), rich_help_panel=PANEL
    ),
]
Seed = Annotated[int, typer.Option(help="Another seed, other rows.", rich_help_panel=PANEL)]
Split = Annotated[
    str,
    typer.Option(
        help="Splits by share (train=0.8,test=0.2) or by rows (train=5000,test=100).",
        rich_help_panel=PANEL,
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        help="The folder to write; must not exist yet.",
        show_default="data/NAME",
        rich_help_panel=PANEL,
    ),
]
Shards = Annotated[
    int | None,
    typer.Option(
        help="Files per split.",
        show_default=f"one for every {dataset.writer.ROWS_PER_SHARD} rows",
        rich_help_panel=PANEL,
    ),
]
Format = Annotated[
    Literal["jsonl", "jsonl.gz"], typer.Option(help="Plain or packed.", rich_help_panel=PANEL)
]
Force = Annotated[
    bool,
    typer.Option(
        "--force", metavar="", help="Replace the dataset in --out.", rich_help_panel=PANEL
    ),
]
Judge = Annotated[
    bool,
    typer.Option(
        "--judge",
        metavar="",
        help="Solve every row anew before it is written, not only replay its certificate.",
        rich_help_panel=PANEL,
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        help="Processes; they change no byte.", show_default="all cores", rich_help_panel=PANEL
    ),
]
Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet", "-q", metavar="", help="No progress, no summary.", rich_help_panel=PANEL
    ),
]


def write(
    generator: Generator,
    *,
    rows: Rows = None,
    seed: Seed = 0,
    split: Split = DEFAULT_SPLITS,
    out: Out = None,
    shards: Shards = None,
    format: Format = "jsonl",
    force: Force = False,
    judge: Judge = False,
    workers: Workers = None,
    quiet: Quiet = False,
) -> None:
    """Write the dataset and say where it is."""
    out = out or Path("data", generator.name)
    splits = parse_splits(split, rows)
    with output.progress(generator.name, sum(splits.values()), quiet) as advance:
        manifest = dataset.write(
            generator,
            out,
            splits,
            seed=seed,
            shards=shards,
            encoding=format,
            judge=judge,
            force=force,
            engine=Local(worker_count(workers), advance),
        )
    if not quiet:
        counts = ", ".join(f"{name} {count}" for name, count in manifest.splits.items())
        total = output.size(sum(file.bytes for file in manifest.files))
        files = len(manifest.files)
        typer.echo(f"{out}: {counts} rows in {files} file{'s' * (files > 1)}, {total}")
        typer.echo(f"look at it: gen show {out}    check it: gen verify {out}")


def worker_count(workers: int | None) -> int:
    """The number asked for, or one for each core this process may use."""
    if workers is not None and workers < 1:
        raise InvalidOption(f"--workers: expected at least 1, but got {workers}")
    return workers or len(os.sched_getaffinity(0))
