"""`gen show`: a few rows, made for reading."""

from collections.abc import Iterable
from itertools import islice, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import Infeasible
from ..splits import parse_splits
from ..storage.files import replacing
from . import output
from .parameters import ForcePlot, Json, Seed, whole_number

if TYPE_CHECKING:
    from ..example import Example
    from ..generator import Generator

Count = Annotated[
    int, typer.Option("-n", parser=whole_number(1), metavar="<int>", help="How many rows.")
]
Graph = Annotated[
    bool, typer.Option("--graph", metavar="", help="Draw the facts of each row, not its metadata.")
]
Plot = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Draw those graphs to a picture (png, svg, pdf)."),
]
SplitName = Annotated[str | None, typer.Option(help="Rows of this split only.")]


def show_generator(
    generator: "Generator",
    *,
    n: Count = 3,
    seed: Seed = 0,
    graph: Graph = False,
    plot: Plot = None,
    force: ForcePlot = False,
    json: Json = False,
) -> None:
    """Make the first rows that `gen NAME` would write."""
    splits = tuple(parse_splits(generator.default_split()))
    capacity = generator.capacity(splits, seed)
    most = min(n, capacity[splits[0]]) if capacity else n
    if not most:
        raise Infeasible(f"{generator.name} can make no row of what it is given; give it more")
    examples = generator.examples(most, seed=seed, split=splits[0], splits=splits)
    _show(generator.name, examples, graph, plot, force, json)


def show_dataset(
    folder: str,
    *,
    n: Count = 3,
    split: SplitName = None,
    graph: Graph = False,
    plot: Plot = None,
    force: ForcePlot = False,
    json: Json = False,
) -> None:
    """Show the first rows of a dataset."""
    from ..dataset import Dataset

    dataset = Dataset(folder)
    rows = islice(dataset.rows(split), n)
    with dataset.damage_explained():
        _show(dataset.manifest.generator, rows, graph, plot, force, json)


def _show(
    generator: str,
    examples: "Iterable[Example]",
    graph: bool,
    plot: Path | None,
    force: bool,
    json: bool,
) -> None:
    if not graph and plot is None:
        show_rows(examples, json)
        return
    from ..drawing import find_graph, picture

    make = find_graph(generator)
    drawn = [(example, make(example)) for example in examples]
    if plot is not None:
        with replacing(plot, force=force, option="--plot") as path:
            picture([(example.id, graph) for example, graph in drawn], path)
        if not json:
            output.echo(f"picture of {len(drawn)} row(s): {plot}")
    if graph or json:
        show_rows((row for row, _ in drawn), json, (g for _, g in drawn) if graph else repeat(None))


def show_rows(
    examples: "Iterable[Example]", json: bool, graphs: Iterable[Any] = repeat(None)
) -> None:
    """Print rows: coloured panels for people, with a drawing if wanted, lines for programs."""
    if json:
        for example in examples:
            output.echo_json(example, indented=False)
        return
    from rich.console import Console
    from rich.panel import Panel
    from rich.text import Text

    screen = Console().width
    wide = min(_WIDTH, screen)
    for example, graph in zip(examples, graphs, strict=False):
        title = Text(example.id)
        page = Panel(_page(example, graph, wide), title=title, title_align="left", width=wide)
        output.print_rich(page, screen)


_WIDTH = 96
_SHORT = 70
_MOST_LINES = 5


def _page(example: "Example", graph: Any, wide: int) -> Any:
    from rich.console import Group
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    answer = Text("answer  ", style="dim").append(example.target, style="bold green")
    parts: list[Any] = [Text(example.input), Padding(answer, (1, 0, 0, 0))]
    if example.choices:
        parts.append(Text("choices ", style="dim").append(" · ".join(example.choices), "default"))
    if graph is not None:
        return Group(*parts, Padding(_drawing(graph, wide - 4), (1, 0, 0, 0)))
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    # Fields that a row has no use for are there for tables, not for people.
    used = {name: value for name, value in example.metadata.items() if value not in ("", [], None)}
    for name, value in used.items():
        lines = Text("\n".join(_lines(value)), style="dim", overflow="ellipsis", no_wrap=True)
        table.add_row(Text(name, style="cyan"), lines)
    return Group(*parts, Padding(table, (1, 0, 0, 0)))


_STYLES = {
    "": "dim",
    "path": "bold",
    "query": "magenta",
    "supporting": "green",
    "irrelevant": "yellow",
    "disconnected": "blue",
}


def _drawing(graph: Any, wide: int) -> Any:
    from rich.text import Text

    from ..drawing import sketch

    drawn = Text(no_wrap=True)
    for line in sketch(graph, wide):
        for text, role in line:
            drawn.append(text, _STYLES.get(role, "cyan"))
        drawn.append("\n")
    drawn.right_crop(1)
    return drawn


def _lines(value: object) -> list[str]:
    """A value in a few lines: short ones whole, long lists by the item."""
    import orjson

    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    if len(text) <= _SHORT or not isinstance(value, list):
        return text.splitlines() or [""]
    shown = [orjson.dumps(item).decode() for item in value[:_MOST_LINES]]
    left = len(value) - len(shown)
    return [*shown, f"... and {left} more"] if left else shown
