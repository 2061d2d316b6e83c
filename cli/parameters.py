"""Flags that several commands share."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from ..storage.files import local_path

DATASET_PANEL = "The dataset"


def whole_number(lowest: int | None = None) -> Callable[[str], int]:
    """Return a parser of whole numbers of `lowest` or more."""
    expected = "a whole number" + ("" if lowest is None else f" of {lowest} or more")

    def parse(text: str | int) -> int:
        try:
            number = int(text)
        except ValueError:
            number = None
        if number is None or (lowest is not None and number < lowest):
            raise typer.BadParameter(f"expected {expected}, but got {text!r}")
        return number

    return parse


def number(lowest: float, highest: float) -> Callable[[str], float]:
    """Return a parser of numbers from `lowest` to `highest`."""

    def parse(text: str | float) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not lowest <= value <= highest:
            raise typer.BadParameter(
                f"expected a number from {lowest:g} to {highest:g}, but got {text!r}"
            )
        return value

    return parse


def listed(text: str | None) -> list[str]:
    """Return the words of a list such as k,noise."""
    return [word.strip() for word in (text or "").split(",") if word.strip()]


def integer(lowest: int | None, help: str, *names: str, **attributes: Any) -> Any:
    """Return an option for a whole number."""
    parser = whole_number(lowest)
    return typer.Option(*names, parser=parser, metavar="<int>", help=help, **attributes)


def decimal(lowest: float, highest: float, help: str, **attributes: Any) -> Any:
    """Return an option for a number."""
    parser = number(lowest, highest)
    return typer.Option(parser=parser, metavar="<float>", help=help, **attributes)


def switch(*names_and_help: str, **attributes: Any) -> Any:
    """Return an option without a value: its names, then the help text."""
    *names, help = names_and_help
    return typer.Option(*names, metavar="", help=help, **attributes)


Folder = Annotated[
    Path, typer.Argument(parser=local_path, metavar="DIR", help="A dataset's folder.")
]
Json = Annotated[bool, switch("--json", "Print JSON.")]
Quiet = Annotated[bool, switch("--quiet", "-q", "Print no progress and no summary.")]
Rows = Annotated[
    int | None,
    integer(
        1,
        "Total number of rows; default: that of --split, 1000, or all if there is a limit.",
        rich_help_panel=DATASET_PANEL,
    ),
]
Seed = Annotated[int, integer(None, "Random seed.", rich_help_panel=DATASET_PANEL)]
Split = Annotated[
    str | None,
    typer.Option(
        help="Splits as shares (train=0.8,test=0.2) or in rows (train=5000,test=100).",
        show_default="train=1.0, or the generator's default",
        rich_help_panel=DATASET_PANEL,
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        parser=local_path,
        metavar="PATH",
        help="Output folder; must be empty or not exist.",
        show_default="data/NAME",
        rich_help_panel=DATASET_PANEL,
    ),
]
Shards = Annotated[
    str | None,
    typer.Option(
        help="Files per split (4, or train=10,test=2), or uncompressed file size (64MB).",
        show_default="one per 20,000 rows",
        rich_help_panel=DATASET_PANEL,
    ),
]
Format = Annotated[
    Literal["jsonl", "jsonl.gz", "jsonl.zst", "parquet"],
    typer.Option(
        help="File format: JSON lines, plain or compressed, or Parquet tables.",
        rich_help_panel=DATASET_PANEL,
    ),
]
Force = Annotated[
    bool, switch("--force", "Replace the dataset in --out.", rich_help_panel=DATASET_PANEL)
]
ForcePlot = Annotated[bool, switch("--force", "Replace the image in --plot.")]
Judge = Annotated[
    bool,
    switch(
        "--judge",
        "Judge every row before it is written, instead of only replaying its certificate.",
        rich_help_panel=DATASET_PANEL,
    ),
]


def _engines(incomplete: str) -> list[str]:
    from ..engines.engine import ENGINES

    return [name for name in ENGINES.entries if name.startswith(incomplete)]


Engine = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Where to run: local, dask or a plugin; the output is the same.",
        autocompletion=_engines,
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="With --engine dask: scheduler address tcp://HOST:8786, or local:4 for local workers.",
        show_default="local, one worker per core",
    ),
]
Workers = Annotated[
    int | None, integer(1, "Number of processes, by default one per core; the output is the same.")
]
