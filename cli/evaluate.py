"""`gen eval` and `gen report`: train models on datasets, and tables of what came out."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import AlreadyExists, InvalidOption
from ..files import replacing
from . import output
from .describe import new_table
from .output import echo_json, print_rich
from .parameters import ForcePlot, Json, Quiet, whole_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..evaluation.table import Figure, Table


def evaluate(
    data: Annotated[
        Path,
        typer.Argument(metavar="DATA", help="A dataset's folder, or a file that the models read."),
    ],
    model: Annotated[
        str | None,
        typer.Option(
            metavar="A,B", help="By name, or all that read stories; without it they are listed."
        ),
    ] = None,
    train: Annotated[str, typer.Option(metavar="SPLIT", help="The split to train on.")] = "train",
    test: Annotated[str, typer.Option(metavar="SPLIT", help="The split to test on.")] = "test",
    test_on: Annotated[
        list[Path] | None,
        typer.Option(metavar="DIR", help="Test on the same split of this dataset too; repeatable."),
    ] = None,
    seeds: Annotated[
        int,
        typer.Option(parser=whole_number(1), metavar="<int>", help="So many runs: seeds 0, 1, ..."),
    ] = 10,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda, cuda:1, ...")] = "auto",
    epochs: Annotated[
        int,
        typer.Option(parser=whole_number(1), metavar="<int>", help="At most so many epochs."),
    ] = 100,
    patience: Annotated[
        int,
        typer.Option(
            parser=whole_number(1),
            metavar="<int>",
            help="Stop after so many epochs without a better validation.",
        ),
    ] = 10,
    batch: Annotated[
        int, typer.Option(parser=whole_number(1), metavar="<int>", help="Rows in a step.")
    ] = 100,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="A hyperparameter of the model; repeatable."
        ),
    ] = None,
    yardsticks: Annotated[
        bool, typer.Option(help="Evaluate what can be had without reasoning, too.")
    ] = True,
    out: Annotated[
        Path, typer.Option(help="The folder for results; runs that it has are not run again.")
    ] = Path("results"),
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Train models on a dataset and test them, over several seeds.

    A run that was interrupted goes on from its last epoch when the same command is given again.
    """
    from ..dataset.manifest import is_dataset
    from ..evaluation.model import MODELS, need_torch

    need_torch()
    if model is None:
        _list(json)
        return
    if is_dataset(out):
        raise AlreadyExists(f"--out: {out} is a dataset; choose another folder for results")
    from functools import partial

    from ..evaluation.model import Order

    chosen = [MODELS.get(name).configure(_options(set_ or [])) for name in _chosen(model)]
    kinds = sorted({configured.reads for configured in chosen})
    if len(kinds) > 1:
        raise InvalidOption(f"--model: {' and '.join(kinds)} cannot be read at once; name one kind")
    if yardsticks:
        names = {configured.name for configured in chosen}
        chosen += [
            other.configure({})
            for name, other in MODELS.working().items()
            if other.yardstick and other.reads == kinds[0] and name not in names
        ]
    order = Order(
        path=data,
        train=train,
        test=test,
        test_on=tuple(test_on or ()),
        seeds=seeds,
        device=device,
        epochs=epochs,
        patience=patience,
        batch=batch,
        out=out,
        bar=partial(output.progress, quiet=quiet),
    )
    outcome = chosen[0].evaluate(chosen, order)
    if json:
        echo_json(outcome.as_json())
    elif not quiet:
        for table in outcome.tables():
            print_table(table)
        output.echo(f"results: {out}")


def _chosen(text: str) -> list[str]:
    from ..evaluation.model import MODELS

    if text != "all":
        return [name.strip() for name in text.split(",")]
    return [
        name
        for name, model in MODELS.working().items()
        if model.reads == "stories"
        and not model.yardstick
        and not any(field.is_required() for field in model.model_fields.values())
    ]


def _options(words: list[str]) -> dict[str, Any]:
    pairs = [word.partition("=") for word in words]
    for name, equals, value in pairs:
        if not (name and equals):
            raise InvalidOption(f"--set: expected NAME=VALUE, but got {name + equals + value!r}")
    return {name: value for name, _, value in pairs}


def _list(json: bool) -> None:
    from rich.text import Text

    from ..evaluation.model import MODELS

    models = MODELS.working()
    if json:
        echo_json(
            [
                {
                    "name": name,
                    "reads": model.reads,
                    "yardstick": model.yardstick,
                    "summary": model.summary(),
                }
                | {"hyperparameters": model.model_json_schema()["properties"]}
                for name, model in models.items()
            ]
        )
        return
    table = new_table("--model", "reads", "kind", "what it is")
    for name, model in sorted(models.items(), key=lambda item: (item[1].reads, item[1].yardstick)):
        kind = "yardstick" if model.yardstick else "model"
        table.add_row(Text(name, "bold"), model.reads, kind, Text(model.summary()))
    print_rich(table)


def print_table(table: "Table") -> None:
    """Print a table, and under each model's line that of the paper."""
    from rich.text import Text

    output.echo(table.title)
    shown = new_table(table.head, *table.columns)
    shown.columns[0].no_wrap = True
    shown.columns[0].min_width = max(len(line.model) for line in table.lines)
    for column in shown.columns[1:]:
        column.justify, column.ratio = "right", None
    dividing = False
    for line in table.lines:
        if line.yardstick and not dividing:
            shown.add_section()
            dividing = True
        cells = (_cell(cell, table.digits) for cell in line.cells)
        shown.add_row(Text(line.model, "" if line.yardstick else "bold"), *cells)
        if any(line.paper):
            beside = (Text(_cell(cell, table.digits), "dim") for cell in line.paper)
            shown.add_row(Text("  paper", "dim"), *beside)
    print_rich(shown)
    if table.note:
        output.echo(f"{table.note}\n")


def show_tables(tables: "Sequence[Table]", plot: Path | None, json: bool) -> None:
    """Print tables for people or for programs, and say where the figure is."""
    if json:
        echo_json([table.as_json() for table in tables])
        return
    for table in tables:
        print_table(table)
    if plot:
        output.echo(f"plot: {plot}")


def _cell(figure: "Figure | None", digits: int) -> str:
    if figure is None:
        return ""
    mean, error = figure
    return f"{mean:.{digits}f} ±{error:.{digits}f}" if error else f"{mean:.{digits}f}"


report = typer.Typer(help="Tables and figures over results of gen eval.", no_args_is_help=True)

Results = Annotated[
    list[Path], typer.Argument(metavar="DIR...", help="Folders that gen eval wrote results to.")
]
Plot = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Draw the figure as well (png, svg, pdf).")
]


@report.command()
def generalization(
    folders: Results, plot: Plot = None, force: ForcePlot = False, json: Json = False
) -> None:
    """Accuracy against k of models that were trained on short stories (the thesis' figure 3.5)."""
    from ..evaluation.model import need_torch

    need_torch()
    from ..evaluation.stories import reports
    from ..evaluation.stories.results import load_results

    tables = reports.generalization(load_results(folders))
    if plot:
        with replacing(plot, force=force, option="--plot") as picture:
            reports.draw_curves(tables, picture)
    show_tables(tables, plot, json)


@report.command()
def robustness(
    folders: Results, plot: Plot = None, force: ForcePlot = False, json: Json = False
) -> None:
    """Accuracy by the noise in training and in the test (the thesis' table 3.8)."""
    from ..evaluation.model import need_torch

    need_torch()
    from ..evaluation.stories import reports
    from ..evaluation.stories.results import load_results

    table = reports.robustness(load_results(folders))
    if plot:
        with replacing(plot, force=force, option="--plot") as picture:
            reports.draw_matrix(table, picture)
    if json:
        echo_json(table.as_json())
        return
    print_table(table)
    if plot:
        output.echo(f"plot: {plot}")
