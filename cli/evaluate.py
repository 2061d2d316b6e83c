"""`gen eval` and `gen score`: train and test models, or score given answers."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import AlreadyExists, InvalidOption, NotFound
from . import output
from .describe import new_table
from .output import echo_json, print_rich
from .parameters import Json, Quiet, integer, listed, switch

if TYPE_CHECKING:
    from ..evaluation.model import Model


def evaluate(
    data: Annotated[
        Path,
        typer.Argument(metavar="DATA", help="A dataset's folder, or files for the models' task."),
    ],
    model: Annotated[
        str | None,
        typer.Option(metavar="A,B", help="Models by name, or all; without it, they are listed."),
    ] = None,
    train: Annotated[str, typer.Option(metavar="SPLIT", help="The split to train on.")] = "train",
    test: Annotated[str, typer.Option(metavar="SPLIT", help="The split to test on.")] = "test",
    test_on: Annotated[
        list[Path] | None,
        typer.Option(metavar="DIR", help="Also test on this split of another dataset; repeatable."),
    ] = None,
    seeds: Annotated[int, integer(1, "Number of runs, with seeds 0, 1, ...")] = 10,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda, cuda:1, ...")] = "auto",
    epochs: Annotated[
        int | None, integer(1, "Maximum number of epochs; default: that of the task.")
    ] = None,
    patience: Annotated[
        int | None,
        integer(1, "Epochs without improvement before stopping; default: that of the task."),
    ] = None,
    batch: Annotated[
        int | None, integer(1, "Batch size in rows; default: that of the task.")
    ] = None,
    precision: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="float32, bfloat16, or auto (bfloat16 on a GPU); default: that of the task.",
        ),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="A hyperparameter of the model; repeatable."
        ),
    ] = None,
    baselines: Annotated[
        bool, typer.Option(help="Also evaluate baselines that do not reason.")
    ] = True,
    predictions: Annotated[
        bool, typer.Option("--predictions", help="Save every answer, in a file beside the result.")
    ] = False,
    out: Annotated[
        Path, typer.Option(help="Folder for results; finished runs in it are kept.")
    ] = Path("results"),
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Train models on a dataset and test them, over several seeds.

    The same command continues an interrupted run from its last epoch.
    """
    from functools import partial

    from ..dataset.manifest import is_dataset
    from ..evaluation.model import need_torch

    need_torch()
    fitting = _fitting(data)
    if model is None:
        if not data.exists():
            raise NotFound(f"{str(data)!r} does not exist; give a dataset's folder, or files")
        _list(fitting, json)
        return
    if is_dataset(out):
        raise AlreadyExists(f"--out: {out} is a dataset; choose another folder for results")
    from ..evaluation.runner import EvalConfig, evaluate
    from .report import print_tables

    chosen = _chosen(model, parse_settings(set_ or []), fitting, baselines)
    limits = {"epochs": epochs, "patience": patience, "batch": batch, "precision": precision}
    config = EvalConfig(
        path=data,
        train=train,
        test=test,
        test_on=tuple(test_on or ()),
        seeds=seeds,
        device=device,
        limits=limits,
        out=out,
        predictions=predictions,
        bar=partial(output.progress, quiet=quiet, unit="epochs"),
        warn=partial(output.echo, err=True),
    )
    results = evaluate(chosen, config)
    if json:
        echo_json([result.summary() for result in results])
    elif not quiet:
        print_tables(chosen[0].task().tables(results))
        output.echo(f"results: {out}")


def _fitting(data: Path) -> "dict[str, type[Model]]":
    """Return the models whose task fits the data; all models if no task fits."""
    from ..evaluation.model import MODELS

    models = MODELS.load_working()
    tasks = {model.task for model in models.values()}
    fits = {task for task in tasks if task().fits(data)}
    return {name: model for name, model in models.items() if model.task in (fits or tasks)}


def _chosen(
    text: str, options: dict[str, Any], fitting: "dict[str, type[Model]]", baselines: bool
) -> "list[Model]":
    from ..evaluation.model import MODELS

    names = listed(text)
    if text == "all":
        names = [
            name for name, model in fitting.items() if not (model.baseline or model.needs_options())
        ]
    chosen = [MODELS.get(name).configure(options) for name in names]
    tasks = sorted({model.task.name for model in chosen})
    if len(tasks) > 1:
        raise InvalidOption(
            f"--model: these are models of several tasks ({', '.join(tasks)}); choose one"
        )
    if baselines:
        chosen += [
            other.configure({})
            for name, other in MODELS.load_working().items()
            if other.baseline and other.task is chosen[0].task and name not in names
        ]
    return chosen


def parse_settings(words: list[str]) -> dict[str, Any]:
    """Parse the values of --set."""
    pairs = [word.partition("=") for word in words]
    for name, equals, value in pairs:
        if not (name and equals):
            raise InvalidOption(f"--set: expected NAME=VALUE, but got {name + equals + value!r}")
    return {name: value for name, _, value in pairs}


def _list(models: "dict[str, type[Model]]", json: bool) -> None:
    from rich.text import Text

    if json:
        echo_json(
            [
                {
                    "name": name,
                    "task": model.task.name,
                    "baseline": model.baseline,
                    "summary": model.summary(),
                    "hyperparameters": model.model_json_schema()["properties"],
                }
                for name, model in models.items()
            ]
        )
        return
    table = new_table("--model", "task", "kind", "what it is")
    for name, model in sorted(
        models.items(), key=lambda item: (item[1].task.name, item[1].baseline)
    ):
        kind = "baseline" if model.baseline else "model"
        table.add_row(Text(name, "bold"), model.task.name, kind, Text(model.summary()))
    print_rich(table)


def score(
    predictions: Annotated[
        Path,
        typer.Argument(
            metavar="PREDICTIONS",
            help="Ids and answers (JSON lines, JSON, CSV), results of OpenAI's batch API, a log of "
            "Inspect, or samples of lm-eval.",
        ),
    ],
    data: Annotated[Path, typer.Argument(metavar="DIR", help="The dataset of the answers.")],
    split: Annotated[str, typer.Option(help="The split of the answers.")] = "test",
    by: Annotated[
        str | None, typer.Option(metavar="A,B", help="Group rows by metadata, such as k,noise.")
    ] = None,
    rows: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Save verdict, answer and reason of each row, as JSON lines."
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Save the result, for gen report.")
    ] = None,
    steps: Annotated[
        bool,
        switch("--steps", "Also judge the steps of each answer; a table by world and k, or --by."),
    ] = False,
    english: Annotated[
        bool, switch("--english", "Also accept answers in English to rows in other languages.")
    ] = False,
    force: Annotated[bool, switch("--force", "Replace the files in --out and --rows.")] = False,
    json: Json = False,
) -> None:
    """Score answers from a file or log, with intervals; unanswered rows count as wrong."""
    from ..evaluation.result import encoded
    from ..evaluation.score import VERDICTS, judge_steps, step_tables, verdict_tables
    from ..evaluation.score import score as scored
    from ..storage.files import replacing
    from .report import print_tables

    result, scored_rows = scored(predictions, data, split, english=english)
    columns = listed(by)
    tables = verdict_tables(result, columns)
    if steps:
        judged, scored_rows = judge_steps(result, scored_rows)
        tables += step_tables(judged, columns)
    if out:
        with replacing(out, force=force, inputs=[predictions]) as successor:
            successor.write_bytes(encoded([result]))
    if rows:
        with replacing(rows, force=force, inputs=[predictions]) as successor:
            successor.write_bytes(b"".join(each.encoded() for each in scored_rows))
    if json:
        verdicts = [each.verdict for each in scored_rows]
        counts = {verdict: verdicts.count(verdict) for verdict in VERDICTS}
        echo_json({"rows": counts, "tables": [table.as_json() for table in tables]})
        return
    print_tables(tables)
