"""`gen show`: a few rows, made for reading."""

from collections.abc import Iterable
from itertools import islice
from typing import Annotated, Any

import orjson
import typer

from ..dataset import Dataset
from ..example import Example
from ..generator import Generator
from ..splits import parse_splits
from .parameters import Json, Seed, whole_number

Count = Annotated[
    int, typer.Option("-n", parser=whole_number(1), metavar="<int>", help="How many rows.")
]
SplitName = Annotated[str | None, typer.Option(help="Rows of this split only.")]


def show_generator(
    generator: Generator, *, n: Count = 3, seed: Seed = 0, json: Json = False
) -> None:
    """Make the first rows that `gen NAME` would write."""
    splits = tuple(parse_splits(generator.default_split))
    show_rows(generator.examples(n, seed=seed, split=splits[0], splits=splits), json)


def show_dataset(folder: str, *, n: Count = 3, split: SplitName = None, json: Json = False) -> None:
    """Show the first rows of a dataset."""
    show_rows(islice(Dataset(folder).rows(split), n), json)


def show_rows(examples: Iterable[Example], json: bool) -> None:
    """Print rows: coloured panels for people, lines for programs."""
    if json:
        for example in examples:
            typer.echo(orjson.dumps(example))
        return
    from rich.console import Console
    from rich.panel import Panel
    from rich.text import Text

    console = Console()
    for example in examples:
        title = Text(example.id)
        console.print(Panel(_page(example), title=title, title_align="left", width=_WIDTH))


_WIDTH = 96
_SHORT = 70
_MOST_LINES = 5


def _page(example: Example) -> Any:
    from rich.console import Group
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    answer = Text("answer  ", style="dim").append(example.target, style="bold green")
    parts: list[Any] = [Text(example.input), Padding(answer, (1, 0, 0, 0))]
    if example.choices:
        parts.append(Text("choices ", style="dim").append(" · ".join(example.choices), "default"))
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for name, value in example.metadata.items():
        lines = Text("\n".join(_lines(value)), style="dim", overflow="ellipsis", no_wrap=True)
        table.add_row(Text(name, style="cyan"), lines)
    return Group(*parts, Padding(table, (1, 0, 0, 0)))


def _lines(value: object) -> list[str]:
    """A value in a few lines: short ones whole, long lists by the item."""
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    if len(text) <= _SHORT or not isinstance(value, list):
        return text.splitlines() or [""]
    shown = [orjson.dumps(item).decode() for item in value[:_MOST_LINES]]
    left = len(value) - len(shown)
    return [*shown, f"... and {left} more"] if left else shown
