"""The thesis' figure 3.5 and table 3.8 anew, with every model and yardstick, in a given time.

    python bench/thesis.py DATA OUT [--minutes 11] [--workers 8] [--seeds 5] [--epochs 60]
        [--models gat,rn]

DATA holds any datasets called gen-..., such as gen-train23 and gen-train234, and robust-clean,
robust-supporting, robust-irrelevant and robust-disconnected; presets make them. Models are trained
side by side on one device; the first seed of all comes before the second of any, and what is not
done when time is up is left out. OUT gets results.json, generalization.png, robustness.png and
report.json.
"""

import argparse
import contextlib
import functools
from pathlib import Path

import orjson
from pool import in_time

from relsmith.errors import NotFound
from relsmith.evaluation.device import find_device
from relsmith.evaluation.model import MODELS
from relsmith.evaluation.stories import reports
from relsmith.evaluation.stories.results import Evaluation, Result, Run, StorySetup
from relsmith.evaluation.training import Training

GENERALIZATION = "gen-*"
ROBUSTNESS = tuple(f"robust-{noise}" for noise in reports.NOISE)
# By interest; the relational memory is by far the slowest.
MODELS_TO_TRAIN = (
    "gat,bilstm-mean,bilstm-attention,mac,rn,transformer,edge-transformer,majority,rules,"
    "bag-of-words,story-without-query,position-only,name-only,query-only,rmc"
)

Job = tuple[int, str, str]
Done = tuple[str, str, StorySetup, Run]


@functools.cache
def evaluation(data: Path, dataset: str, training: Training, device: str) -> Evaluation:
    """The dataset as tensors; one of the noise matrix is tested on all four."""
    others = ROBUSTNESS if dataset in ROBUSTNESS else ()
    tests = [dataset, *(name for name in others if name != dataset)]
    return Evaluation(
        (data / dataset, "train"),
        [(data / test, "test") for test in tests],
        find_device(device),
        training=training,
    )


def work(data: Path, training: Training, device: str, job: Job) -> Done:
    """Train and test one model with one seed."""
    seed, model_name, dataset = job
    model = MODELS.get(model_name).configure({})
    shared = evaluation(data, dataset, training, device)
    return model_name, dataset, shared.setup(model), shared.run_seed(model, seed)


def jobs(data: Path, seeds: int, models: list[str]) -> list[Job]:
    """All there is to do, in the order of its importance."""
    datasets = sorted(folder.name for folder in data.glob(GENERALIZATION))
    datasets += [name for name in ROBUSTNESS if (data / name).is_dir()]
    return [
        (seed, model, dataset)
        for seed in range(seeds)
        for model in models
        for dataset in datasets
        if not (model == "rmc" and dataset in ROBUSTNESS)  # nor has the thesis this
        and not (model in ("majority", "rules") and seed)
    ]


def collect(arguments: argparse.Namespace) -> list[Result]:
    """Run what there is time for."""
    training = Training(epochs=arguments.epochs, patience=arguments.patience, batch=arguments.batch)
    todo = jobs(arguments.data, arguments.seeds, arguments.models.split(","))
    task = functools.partial(work, arguments.data, training, arguments.device)
    setups: dict[tuple[str, str], StorySetup] = {}
    runs: dict[tuple[str, str], list[Run]] = {}
    for number, done, seconds in in_time(task, todo, arguments.workers, arguments.minutes):
        model, dataset, setup, run = done
        setups[model, dataset] = setup
        runs.setdefault((model, dataset), []).append(run)
        scores = " ".join(f"{score.accuracy:.3f}" for score in run.tests)
        print(
            f"{number} {model} on {dataset}, seed {run.seed}: {scores} "
            f"({run.epochs} epochs, {seconds:.0f} s)",
            flush=True,
        )
    return [
        Result(setup=setups[pair], runs=sorted(seeds, key=lambda run: run.seed))
        for pair, seeds in runs.items()
    ]


def main() -> None:
    """Train, then write files and tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--minutes", type=float, default=11)
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--models", default=MODELS_TO_TRAIN)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--patience", type=int, default=8)
    parser.add_argument("--batch", type=int, default=200)
    parser.add_argument("--device", default="auto")
    arguments = parser.parse_args()
    results = collect(arguments)
    arguments.out.mkdir(parents=True, exist_ok=True)
    option = orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS | orjson.OPT_APPEND_NEWLINE
    dumped = orjson.dumps([result.as_json() for result in results], option=option)
    (arguments.out / "results.json").write_bytes(dumped)
    tables = []
    with contextlib.suppress(NotFound):
        tables += reports.generalization(results)
        reports.draw_curves(tables, arguments.out / "generalization.png")
    with contextlib.suppress(NotFound):
        matrix = reports.robustness(results)
        tables.append(matrix)
        reports.draw_matrix(matrix, arguments.out / "robustness.png")
    report = [table.as_json() for table in tables]
    (arguments.out / "report.json").write_bytes(orjson.dumps(report, option=option))
    for table in tables:
        print(f"\n{table.title}\n{'':20} {' '.join(table.columns)}")
        for line in table.lines:
            cells = " ".join(f"{cell[0]:.2f}" if cell else "   -" for cell in line.cells)
            print(f"{line.model:20} {cells}")


if __name__ == "__main__":
    main()
