"""`gen show`: print a few rows."""

from collections.abc import Iterable
from itertools import islice, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..capabilities import Limited
from ..errors import Infeasible
from ..splits import parse_splits
from ..storage.files import replacing
from . import output
from .parameters import ForcePlot, Json, Seed, integer, switch

if TYPE_CHECKING:
    from ..example import Example
    from ..generator import Generator

Count = Annotated[int, integer(1, "Number of rows.", "-n")]
Graph = Annotated[bool, switch("--graph", "Draw the facts of each row instead of its metadata.")]
Plot = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Draw the graphs to an image (png, svg, pdf).")
]
SplitName = Annotated[str | None, typer.Option(help="Show only this split.")]


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
    """Show the first rows that `gen NAME` would write."""
    splits = tuple(parse_splits(Limited.of(generator).default_split()))
    capacity = Limited.of(generator).capacity(splits, seed)
    most = min(n, capacity[splits[0]]) if capacity else n
    if not most:
        raise Infeasible(f"{generator.name} can make no rows from its input; give it more")
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
    with dataset.explain_damage():
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
    from ..graph_drawing import draw_image, graph_builder

    make = graph_builder(generator)
    drawn = [(example, make(example)) for example in examples]
    if plot is not None:
        with replacing(plot, force=force, option="--plot") as path:
            draw_image([(example.id, graph) for example, graph in drawn], path)
        if not json:
            output.echo(f"image of {len(drawn)} row(s): {plot}")
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
_MAX_LENGTH_IN_ONE_LINE = 70
_MAX_LINES = 5


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
    # Empty fields exist only so that tables have the same columns.
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

    from ..graph_drawing import draw_text

    drawn = Text(no_wrap=True)
    for line in draw_text(graph, wide):
        for text, role in line:
            drawn.append(text, _STYLES.get(role, "cyan"))
        drawn.append("\n")
    drawn.right_crop(1)
    return drawn


def _lines(value: object) -> list[str]:
    """Return a value in a few lines: short values in one, long lists item by item."""
    import orjson

    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    if len(text) <= _MAX_LENGTH_IN_ONE_LINE or not isinstance(value, list):
        return text.splitlines() or [""]
    shown = [orjson.dumps(item).decode() for item in value[:_MAX_LINES]]
    left = len(value) - len(shown)
    return [*shown, f"... and {left} more"] if left else shown
