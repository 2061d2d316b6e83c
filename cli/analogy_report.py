"""`gen report analogy...`: tables over results on analogies."""

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
        typer.Option(help="Averages over groups of relations, or every relation."),
    ] = "group",
    setting: Annotated[
        Literal["supervised", "unsupervised"], typer.Option(help="With --by relation: which.")
    ] = "supervised",
    plot: Plot = None,
    force: ForcePlot = False,
    json: Json = False,
) -> None:
    """Accuracy on analogies by group (the paper's table 1), or by relation (its table 2)."""
    from ..evaluation.papers.analogy import figures
    from ..evaluation.papers.analogy import task as analogy
    from ..evaluation.result import load

    results = load(folders, TASK)
    by_relation = analogy.by_relation(results, setting) if by == "relation" or plot else []
    tables = by_relation if by == "relation" else analogy.by_group(results)
    show(tables, lambda _, path: figures.draw_relations(by_relation, path), plot, force, json)


def analogy_negatives(
    folders: Results,
    probe: Annotated[str, typer.Option(help="The probe to compare by.")] = "random",
    plot: Plot = None,
    force: ForcePlot = False,
    json: Json = False,
) -> None:
    """Accuracy on the paper's negatives beside sound ones, and how many of the former are true."""
    from ..evaluation.papers.analogy import figures
    from ..evaluation.papers.analogy.task import negatives
    from ..evaluation.result import load

    show(negatives(load(folders, TASK), probe), figures.draw_negatives, plot, force, json)


def analogy_frequency(
    result: Annotated[
        Path, typer.Argument(metavar="FILE", help="A result that gen eval wrote, of one model.")
    ],
    data: Annotated[Path, typer.Option(metavar="DIR", help="The dataset that it is of.")],
    probe: Annotated[str, typer.Option(help="The probe to look at.")] = "random",
    plot: Plot = None,
    force: ForcePlot = False,
    json: Json = False,
) -> None:
    """Whether rare words are what a model gets wrong: Kolmogorov-Smirnov for each relation."""
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
