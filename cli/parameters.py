"""Flags that several commands share."""

import math
from collections.abc import Callable
from typing import Annotated, Any, Literal

import typer

from ..storage.store import place_of

DATASET_PANEL = "The dataset"


def whole_number(lowest: int | None = None) -> Callable[[str], int]:
    """Read a whole number, or complain of the value itself."""
    wanted = "a whole number" if lowest is None else f"a whole number from {lowest} up"

    def read(text: str | int) -> int:
        try:
            number = int(text)
        except ValueError:
            number = None
        if number is None or (lowest is not None and number < lowest):
            raise typer.BadParameter(f"expected {wanted}, but got {text!r}")
        return number

    return read


def number(lowest: float, highest: float) -> Callable[[str], float]:
    """Read a number between two others, or complain of the value itself."""

    def read(text: str | float) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not lowest <= value <= highest:
            raise typer.BadParameter(
                f"expected a number from {lowest:g} to {highest:g}, but got {text!r}"
            )
        return value

    return read


Folder = Annotated[
    Any,  # a Place, a union that typer does not take
    typer.Argument(parser=place_of, metavar="DIR", help="A dataset's folder, or its URL."),
]
Json = Annotated[bool, typer.Option("--json", metavar="", help="For programs.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", metavar="", help="No progress, no summary.")]
Rows = Annotated[
    int | None,
    typer.Option(
        parser=whole_number(1),
        metavar="<int>",
        help="How many rows in all; unless --split says, 1000, or all where they can be counted.",
        rich_help_panel=DATASET_PANEL,
    ),
]
Seed = Annotated[
    int,
    typer.Option(
        parser=whole_number(),
        metavar="<int>",
        help="Another seed, other rows.",
        rich_help_panel=DATASET_PANEL,
    ),
]
Split = Annotated[
    str | None,
    typer.Option(
        help="Splits by share (train=0.8,test=0.2) or by rows (train=5000,test=100).",
        show_default="train=1.0, or the generator's own",
        rich_help_panel=DATASET_PANEL,
    ),
]
Out = Annotated[
    Any,
    typer.Option(
        parser=place_of,
        metavar="PATH",
        help="The folder to write, or its URL in a store; must not hold anything yet.",
        show_default="data/NAME",
        rich_help_panel=DATASET_PANEL,
    ),
]
Shards = Annotated[
    str | None,
    typer.Option(
        help="Files per split (4, or train=10,test=2), or their size before packing (64MB).",
        show_default="one for every 20,000 rows",
        rich_help_panel=DATASET_PANEL,
    ),
]
Format = Annotated[
    Literal["jsonl", "jsonl.gz", "jsonl.zst", "parquet"],
    typer.Option(
        help="Lines of JSON, plain or packed, or tables; the rows are the same.",
        rich_help_panel=DATASET_PANEL,
    ),
]
Force = Annotated[
    bool,
    typer.Option(
        "--force", metavar="", help="Replace the dataset in --out.", rich_help_panel=DATASET_PANEL
    ),
]
ForcePlot = Annotated[
    bool, typer.Option("--force", metavar="", help="Replace the picture in --plot.")
]
Judge = Annotated[
    bool,
    typer.Option(
        "--judge",
        metavar="",
        help="Solve every row anew before it is written, not only replay its certificate.",
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
        help="Where rows are worked on: local, dask or a plugin's; it changes no byte.",
        autocompletion=_engines,
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="With --engine dask: its scheduler, tcp://HOST:8786, or local:4 for workers here.",
        show_default="local, a worker for each core",
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        parser=whole_number(1),
        metavar="<int>",
        help="Processes, by default one for each core; they change no byte.",
    ),
]
