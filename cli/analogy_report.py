"""`gen report analogy...`: tables of results on analogies."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from .parameters import ForcePlot, Json
from .report import Plot, Results, show

TASK = "analogies"


def analogy(
    folders: Results,
    by: Annotated[
        Literal["group", "relation"],
        typer.Option(help="Averages by group of relations, or every relation."),
    ] = "group",
    setting: Annotated[
        Literal["supervised", "unsupervised"], typer.Option(help="The setting for --by relation.")
    ] = "supervised",
    plot: Plot = None,
    force: ForcePlot = False,
    json: Json = False,
) -> None:
    """Print accuracy on analogies by group (table 1 of the paper) or relation (table 2)."""
    from ..evaluation.papers.analogy import figures
    from ..evaluation.papers.analogy import task as analogy
    from ..evaluation.result import load

    results = load(folders, TASK)
    by_relation = analogy.by_relation(results, setting) if by == "relation" or plot else []
    tables = by_relation if by == "relation" else analogy.by_group(results)
    show(tables, lambda _, path: figures.draw_relations(by_relation, path), plot, force, json)


def analogy_negatives(
    folders: Results,
    probe: Annotated[str, typer.Option(help="The probe to compare.")] = "random",
    plot: Plot = None,
    force: ForcePlot = False,
    json: Json = False,
) -> None:
    """Compare accuracy on the paper's negatives, with their share of true ones, and on ours."""
    from ..evaluation.papers.analogy import figures
    from ..evaluation.papers.analogy.task import negatives
    from ..evaluation.result import load

    show(negatives(load(folders, TASK), probe), figures.draw_negatives, plot, force, json)


def analogy_frequency(
    result: Annotated[
        Path, typer.Argument(metavar="FILE", help="A result file of gen eval, of one model.")
    ],
    data: Annotated[Path, typer.Option(metavar="DIR", help="The dataset of the result.")],
    probe: Annotated[str, typer.Option(help="The probe to use.")] = "random",
    plot: Plot = None,
    force: ForcePlot = False,
    json: Json = False,
) -> None:
    """Test whether errors depend on word frequency (Kolmogorov-Smirnov, by relation)."""
    from ..evaluation.papers.analogy import figures, frequency
    from ..evaluation.result import load

    (outcome,) = load([result], TASK)
    splits = frequency.splits(outcome, data, probe)
    table = frequency.table(f"{data.name}, {outcome.setup.label}, supervised {probe}", splits)
    show(
        [table],
        lambda _, path: figures.draw_frequency(splits, table.title, path),
        plot,
        force,
        json,
    )
