"""Train story models on many datasets and seeds in parallel on one device, within a time limit.

    python bench/thesis.py DATA OUT [--minutes 9] [--workers 12] [--seeds 3] [--epochs 500]
        [--models gat,bilstm-mean:dropout=0.5] [--only 'gen-*']

DATA has datasets: any named gen-..., such as gen-train23 and gen-train234; robust-clean,
robust-supporting, robust-irrelevant and robust-disconnected, each of which is tested on all four;
and official-..., folders of official files. Models are trained in parallel; the first seed of all
comes before the second of any, and runs beyond the time limit are skipped. OUT gets a result
for each model and dataset, which gen report reads.
"""

import argparse
import fnmatch
import functools
from pathlib import Path
from typing import Any

from pool import in_time
from results import Results

from relsmith.evaluation.device import find_device
from relsmith.evaluation.model import MODELS, Model, RunContext
from relsmith.evaluation.papers.stories.task import NOISE, StoryTask
from relsmith.evaluation.result import Run, Setup
from relsmith.evaluation.runner import Evaluation
from relsmith.evaluation.task import TaskRows
from relsmith.evaluation.training import Training

# The most interesting first.
MODELS_TO_TRAIN = (
    "bilstm-attention,bilstm-mean,gat,rn,mac,edge-transformer,majority,rules,"
    "bag-of-words,ends-logistic,story-without-query,position-only,name-only,query-only"
)
Work = tuple[int, str, str]
Done = tuple[str, str, Setup, Run]


@functools.cache
def model_of(text: str) -> Model:
    """Parse `name:option=value:option=value` as a model."""
    name, *options = text.split(":")
    return MODELS.get(name).configure(dict(option.split("=", 1) for option in options))


@functools.cache
def rows_of(folder: Path) -> tuple[TaskRows[Any], list[TaskRows[Any]]]:
    """A dataset and its test sets."""
    task = StoryTask()
    noises = [folder.parent / f"robust-{noise}" for noise in NOISE]
    tests = [folder, *(other for other in noises if other != folder and other.is_dir())]
    tests = tests if folder in noises else [folder]
    return task.read(folder, "train"), [task.read(test, "test") for test in tests]


@functools.cache
def prepared(folder: Path) -> dict[Any, Any]:
    """Datasets that the models of one worker share."""
    return {}


def work(data: Path, training: Training, device: str, what: Work) -> Done:
    """Train and test one model with one seed."""
    seed, text, dataset = what
    train, tests = rows_of(data / dataset)
    job = RunContext(seed, device, training, prepared=prepared(data / dataset))
    evaluation = Evaluation(model_of(text), train, tests, job)
    return text, dataset, evaluation.setup(), evaluation.seed(job)


def works(data: Path, seeds: int, models: list[str], only: str) -> list[Work]:
    """Return all runs, the most important first."""
    datasets = sorted(folder.name for folder in data.iterdir() if folder.is_dir())
    return [
        (seed, model, dataset)
        for seed in range(seeds)
        for model in models
        for dataset in datasets
        if fnmatch.fnmatch(dataset, only) and (model_of(model).random or not seed)
    ]


def parse_row(
    parser: argparse.ArgumentParser, epochs: int, patience: int, batch: int
) -> tuple[argparse.Namespace, str, Training]:
    """Parse the arguments; return them with the device and the training settings."""
    parser.add_argument("--epochs", type=int, default=epochs)
    parser.add_argument("--patience", type=int, default=patience)
    parser.add_argument("--batch", type=int, default=batch)
    parser.add_argument("--device", default="auto")
    arguments = parser.parse_args()
    device = find_device(arguments.device)
    training = Training(
        epochs=arguments.epochs,
        patience=arguments.patience,
        batch=arguments.batch,
        precision="auto",
    ).on(device.type)
    return arguments, str(device), training


def main() -> None:
    """Train, and keep the results."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--minutes", type=float, default=9)
    parser.add_argument("--workers", type=int, default=12)
    parser.add_argument("--models", default=MODELS_TO_TRAIN)
    parser.add_argument("--only", default="*")
    parser.add_argument("--seeds", type=int, default=3)
    arguments, device, training = parse_row(parser, epochs=500, patience=20, batch=100)
    todo = works(arguments.data, arguments.seeds, arguments.models.split(","), arguments.only)
    task = functools.partial(work, arguments.data, training, device)
    results = Results(StoryTask, arguments.out)
    for number, done, seconds in in_time(task, todo, arguments.workers, arguments.minutes):
        text, dataset, setup, run = done
        only = results.add(setup, run, "".join(f"-{option}" for option in text.split(":")[1:]))
        first = only.setup.tests[0].columns["k"].values
        by_k = [only.sums("accuracy", 0, {"k": k})[0, :, 0].mean() for k in first]
        others = [only.sums("accuracy", test)[0, :, 0].mean() for test in range(1, len(run.tests))]
        figures = " ".join(f"{figure:.2f}" for figure in by_k)
        figures += " | " * bool(others) + " ".join(f"{figure:.2f}" for figure in others)
        learnt = run.folds[0]
        print(
            f"{number} {text} {dataset} seed {run.seed}: {figures} (validation "
            f"{learnt.validation or 0:.3f}, {learnt.best_epoch}/{learnt.epochs} epochs, "
            f"{seconds:.0f} s)",
            flush=True,
        )


if __name__ == "__main__":
    main()
