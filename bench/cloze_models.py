"""Repeat table 4 of Bisk et al. with every model, within a time limit.

    python bench/cloze_models.py DATA OUT [--minutes 6] [--workers 6] [--seeds 3]

DATA has two datasets, train and valid, each with a split of that name. From KidsCook:

    for split in train valid; do
      gen cloze --profile kidscook --input $split.jsonl --whitelist approved.txt \\
        --split $split=1.0 --out DATA/$split
    done

Models are trained in parallel on one device; the first seed of all comes before the second of any,
and runs beyond the time limit are skipped. All models of table 4 are trained with our settings, the
paper's preset, and with that preset and answers drawn as in its appendix A.4; GloVe and SmolLM2 are
those of installed packages. OUT gets a JSON file for each model after each seed; they are shown by
gen report paper cloze-models OUT.
`--models seq2seq,transducer:preset=paper:shift=0.3` selects models; `--rows N` cuts both
splits, and `--epochs`, `--patience`, `--batch` and `--precision` are those of gen eval.
"""

import argparse
import functools
from pathlib import Path
from typing import Any

from pool import in_time
from results import Results
from thesis import model_of

from relsmith.evaluation.device import find_device
from relsmith.evaluation.model import RunContext
from relsmith.evaluation.papers.cloze.task import ClozeRow, ClozeTask
from relsmith.evaluation.report import figure
from relsmith.evaluation.result import Result, Run, Setup
from relsmith.evaluation.runner import run_one
from relsmith.evaluation.task import TaskRows
from relsmith.evaluation.training import Training

# The slowest first, so that no worker runs alone at the end.
NETWORKS = "transducer-param transducer seq2seq-attention seq2seq lstm-lm".split()
PRETRAINED = ("causal-lm-tuned:path=smollm2", "causal-lm:path=smollm2")
SETTINGS = ("", ":preset=paper", ":preset=paper:temperature=0.1")
MODELS_TO_TRAIN = ",".join(
    [*PRETRAINED, *(name + setting for name in NETWORKS for setting in SETTINGS), "trigram"]
)


@functools.cache
def read(folder: Path, rows: int | None) -> TaskRows[ClozeRow]:
    """Return the split with the folder's name, read once per process."""
    whole = ClozeTask().read(folder, folder.name)
    if rows is None:
        return whole
    data = whole.data.model_copy(update={"rows": len(whole.rows[:rows]), "columns": {}})
    return TaskRows(data, whole.ids[:rows], whole.rows[:rows])


def work(arguments: argparse.Namespace, task: tuple[int, str]) -> tuple[Setup, Run]:
    """Train and test one model with one seed."""
    seed, text = task
    device = find_device(arguments.device)
    limits: dict[str, Any] = {
        name: value
        for name in ("epochs", "patience", "batch", "precision")
        if (value := getattr(arguments, name)) is not None
    }
    training = Training.model_validate(ClozeTask.training.model_dump() | limits).on(device.type)
    train, valid = (read(arguments.data / split, arguments.rows) for split in ("train", "valid"))
    return run_one(model_of(text), train, [valid], RunContext(seed, str(device), training))


def main() -> None:
    """Train, and write results as they arrive."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--minutes", type=float, default=6)
    parser.add_argument("--workers", type=int, default=6)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--epochs", type=int)
    parser.add_argument("--patience", type=int)
    parser.add_argument("--batch", type=int)
    parser.add_argument("--precision")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--rows", type=int)
    parser.add_argument("--models", default=MODELS_TO_TRAIN)
    arguments = parser.parse_args()
    todo = [
        (seed, text)
        for seed in range(arguments.seeds)
        for text in arguments.models.split(",")
        if not seed or model_of(text).random
    ]
    results = Results(ClozeTask, arguments.out)
    task = functools.partial(work, arguments)
    for number, (setup, run), seconds in in_time(task, todo, arguments.workers, arguments.minutes):
        tell(number, seconds, results.add(setup, run))


def tell(number: str, seconds: float, result: Result) -> None:
    """Print the results of one seed."""
    (run,) = result.runs
    figures = ((name, figure(result, name)) for name in result.figures)
    measured = " ".join(f"{name} {estimate.mean:.2f}" for name, estimate in figures if estimate)
    (learning,) = run.folds
    print(
        f"{number} {result.setup.label}, seed {run.seed}: {measured} "
        f"(best epoch {learning.best_epoch} of {learning.epochs}, "
        f"validation {learning.validation or 0:.3f}, {seconds:.0f} s)",
        flush=True,
    )


if __name__ == "__main__":
    main()
