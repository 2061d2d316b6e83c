"""`gen report analogy...`: tables over results on analogies."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from .. import files
from .report import Plot, Results, show
from .parameters import ForcePlot, Json


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
    from ..evaluation.model import need_torch

    need_torch()
    from ..evaluation.analogy import figures, reports
    from ..evaluation.analogy.results import load_results

    results = load_results(folders)
    by_relation = reports.by_relation(results, setting) if by == "relation" or plot else []
    if plot:
        with files.replacing(plot, force=force, option="--plot") as picture:
            figures.draw_relations(by_relation, picture)
    show_tables(by_relation if by == "relation" else reports.by_group(results), plot, json)


def analogy_negatives(
    folders: Results,
    probe: Annotated[str, typer.Option(help="The probe to compare by.")] = "random",
    plot: Plot = None,
    force: ForcePlot = False,
    json: Json = False,
) -> None:
    """Accuracy on the paper's negatives beside sound ones, and how many of the former are true."""
    from ..evaluation.model import need_torch

    need_torch()
    from ..evaluation.analogy import figures, reports
    from ..evaluation.analogy.results import load_results

    tables = reports.negatives(load_results(folders), probe)
    if plot:
        yardsticks = ("analogy-majority", "analogy-words")
        drawn = [table for table in tables if not table.title.startswith(yardsticks)]
        with files.replacing(plot, force=force, option="--plot") as picture:
            figures.draw_negatives(drawn or tables, picture)
    show_tables(tables, plot, json)


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
    from ..evaluation.model import need_torch

    need_torch()
    from ..dataset import Dataset
    from ..evaluation.analogy import figures, frequency
    from ..evaluation.analogy.results import load_results

    (outcome,) = load_results([result])
    manifest = Dataset(data).folder / "manifest.json"
    frequency.check_dataset(outcome, data, files.digest(manifest))
    splits = frequency.splits(outcome, data, probe)
    title = f"{outcome.setup.test.dataset}, {outcome.setup.label}, supervised {probe}"
    if plot:
        with files.replacing(plot, force=force, option="--plot") as picture:
            figures.draw_frequency(splits, title, picture)
    show_tables([frequency.table(title, splits)], plot, json)
