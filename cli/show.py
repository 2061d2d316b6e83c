"""`gen show`: print a few rows."""

from collections.abc import Iterable
from itertools import islice, repeat
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from ..errors import Infeasible
from ..splits import parse_splits
from . import output
from .parameters import Json, Seed, integer, switch

if TYPE_CHECKING:
    from ..example import Example
    from ..generator import Generator

Count = Annotated[int, integer(1, "Number of rows.", "-n")]
Graph = Annotated[bool, switch("--graph", "Draw the facts of each row.")]
SplitName = Annotated[str | None, typer.Option(help="Show only this split.")]


def show_generator(
    generator: "Generator",
    *,
    n: Count = 3,
    seed: Seed = 0,
    graph: Graph = False,
    json: Json = False,
) -> None:
    """Show the first rows that `gen NAME` would write."""
    from ..capabilities import Limited

    splits = tuple(parse_splits(Limited.of(generator).default_split()))
    capacity = Limited.of(generator).capacity(splits, seed)
    most = min(n, capacity[splits[0]]) if capacity else n
    if not most:
        raise Infeasible(f"{generator.name} can make no rows from its input; give it more")
    examples = generator.examples(most, seed=seed, split=splits[0], splits=splits)
    _show(generator.name, examples, _Parts(graph, json))


def show_dataset(
    folder: str,
    *,
    n: Count = 3,
    split: SplitName = None,
    graph: Graph = False,
    json: Json = False,
) -> None:
    """Show the first rows of a dataset."""
    from ..dataset import Dataset

    dataset = Dataset(folder)
    rows = islice(dataset.rows(split), n)
    with dataset.explain_damage():
        parts = _Parts(graph, json)
        _show(dataset.manifest.generator, rows, parts)


class _Parts(NamedTuple):
    """Parts of a row that are printed beside its text and answer."""

    graph: bool
    json: bool


def _show(generator: str, examples: "Iterable[Example]", parts: _Parts) -> None:
    if not parts.graph:
        _print_rows(examples, parts)
        return
    from ..graph_drawing import graph_builder

    make = graph_builder(generator)
    drawn = [(example, make(example)) for example in examples]
    _print_rows((row for row, _ in drawn), parts, (graph for _, graph in drawn))


def _print_rows(
    examples: "Iterable[Example]", parts: _Parts, graphs: Iterable[Any] = repeat(None)
) -> None:
    """Print rows: coloured panels for people, lines for programs."""
    if parts.json:
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
        page = _page(example, graph, wide)
        output.print_rich(Panel(page, title=title, title_align="left", width=wide), screen)


_WIDTH = 96


def _page(example: "Example", graph: Any, wide: int) -> Any:
    from rich.console import Group
    from rich.padding import Padding
    from rich.text import Text

    from ..capabilities import Drawings
    from ..scoring.scorer import generator_class

    answer = Text("answer  ", style="dim").append(example.target, style="bold green")
    parts: list[Any] = [Text(example.input), Padding(answer, (1, 0, 0, 0))]
    if example.choices:
        parts.append(Text("choices ", style="dim").append(" · ".join(example.choices), "default"))
    if steps := Drawings.of_class(generator_class(example)).steps(example):
        said = (f"{number}. {step.words}" for number, step in enumerate(steps, 1))
        proof = Text("proof\n", style="dim").append("\n".join(said), style="default")
        parts.append(Padding(proof, (1, 0, 0, 0)))
    if graph is not None:
        parts.append(Padding(_drawing(graph, wide - 4), (1, 0, 0, 0)))
    return Group(*parts)


_STYLES = {
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
